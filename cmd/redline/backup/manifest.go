package backup

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/secret"
)

// The names in a backup's folder.
const (
	manifestName = "manifest.json"
	dumpName     = "database.dump"
	filesName    = "files"
	sumsName     = "SHA256SUMS"
)

// format is the number of what this package writes and reads.
const format = 1

// Manifest says what a backup is of.
type Manifest struct {
	Format int `json:"format"`
	// Version is the program's, Schema the number of its newest migration.
	Version string `json:"version"`
	Schema  int64  `json:"schema"`
	// Postgres is the major version of the server, which those of the tools follow.
	Postgres int       `json:"postgres"`
	TakenAt  time.Time `json:"takenAt"`
	// EncryptionKeys and HashKeys are those that values of the backup are sealed and hashed with.
	EncryptionKeys []KeyPrint `json:"encryptionKeys"`
	HashKeys       []KeyPrint `json:"hashKeys"`
	// Files and FileBytes are what was copied; Missing are keys that rows name and the store has not.
	Files     int      `json:"files"`
	FileBytes int64    `json:"fileBytes"`
	Missing   []string `json:"missing"`
}

// KeyPrint tells a key without showing it.
type KeyPrint struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint"`
}

// Prints are the fingerprints of the keys that are named. Error: one of them is not there.
func Prints(keys []secret.Key, named []string) ([]KeyPrint, error) {
	prints := []KeyPrint{}
	for _, id := range named {
		at := slices.IndexFunc(keys, func(k secret.Key) bool { return k.ID == id })
		if at < 0 {
			return nil, fmt.Errorf("values are under the key %s, which is not among the keys: add it, or nobody could read them after a restore", id)
		}
		prints = append(prints, KeyPrint{ID: id, Fingerprint: keys[at].Fingerprint()})
	}
	return prints, nil
}

// lacking are the ids of those keys that are not among the given, or are others of that name.
func lacking(prints []KeyPrint, keys []secret.Key) (ids []string) {
	for _, p := range prints {
		if !slices.ContainsFunc(keys, func(k secret.Key) bool { return k.ID == p.ID && k.Fingerprint() == p.Fingerprint }) {
			ids = append(ids, p.ID)
		}
	}
	return ids
}

// readManifest reads that of a whole backup. Errors are for the operator.
func readManifest(folder string) (*Manifest, error) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s: there is no such folder", folder)
	}
	if strings.HasSuffix(filepath.Clean(folder), partial) {
		return nil, fmt.Errorf("%s: this backup broke off or is still being written: take one that has ended", folder)
	}
	text, err := os.ReadFile(filepath.Join(folder, manifestName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: is no backup, it has no %s", folder, manifestName)
	}
	if err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s: %s is damaged: take another copy of the backup", folder, manifestName)
	}
	if m.Format != format {
		return nil, fmt.Errorf("%s: has the format %d and this program reads %d: restore with version %s of it", folder, m.Format, format, m.Version)
	}
	return m, nil
}
