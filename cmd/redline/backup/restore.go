package backup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/redline-svc/redline/internal/blob"
	"github.com/redline-svc/redline/internal/secret"
)

// Target is where a backup is put back.
type Target struct {
	// Vacant returns an error unless the database is nobody's and empty; it stays so until release.
	Vacant      func(context.Context) (release func(), err error)
	Files       *blob.Store
	DatabaseURL string
	// Postgres is the major version of its server, Schema the number that the program needs.
	Postgres         int
	Schema           int64
	EncryptionKeys   []secret.Key
	HashKeys         []secret.Key
	ToolsFolder      string
	AboutToBeChanged func(*Manifest) error
}

// Restore puts a backup back. It changes nothing unless all of it can be: the folder is
// whole, the keys, the program and the tools are the right ones, the database is empty.
// AboutToBeChanged is called then; its error ends it.
func Restore(ctx context.Context, folder string, t Target) (*Manifest, error) {
	m, err := readManifest(folder)
	if err != nil {
		return nil, err
	}
	if err := t.fits(folder, m); err != nil {
		return nil, err
	}
	tools, err := FindTools(ctx, t.ToolsFolder, t.Postgres)
	if err != nil {
		return nil, err
	}
	release, err := t.Vacant(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	sums, err := verify(ctx, folder, m)
	if err != nil {
		return nil, err
	}
	if err := t.AboutToBeChanged(m); err != nil {
		return nil, err
	}
	if err := t.writeFiles(ctx, folder, sums); err != nil {
		return nil, err
	}
	return m, tools.restore(ctx, t.DatabaseURL, filepath.Join(folder, dumpName))
}

// fits returns an error unless this program, with its keys and server, can serve the backup.
func (t Target) fits(folder string, m *Manifest) error {
	switch {
	case m.Schema > t.Schema:
		return fmt.Errorf("%s: has the schema %d and this program knows %d: restore with version %s or a later one", folder, m.Schema, t.Schema, m.Version)
	case m.Schema < t.Schema:
		return fmt.Errorf("%s: has the schema %d and this program needs %d: restore with version %s, then run redline migrate of this one", folder, m.Schema, t.Schema, m.Version)
	case t.Postgres < m.Postgres:
		return fmt.Errorf("%s: is of Postgres %d and the server is %d: restore into a server of %d or newer", folder, m.Postgres, t.Postgres, m.Postgres)
	}
	for _, keys := range []struct {
		name   string
		prints []KeyPrint
		keys   []secret.Key
	}{{"REDLINE_ENCRYPTION_KEYS", m.EncryptionKeys, t.EncryptionKeys}, {"REDLINE_HASH_KEYS", m.HashKeys, t.HashKeys}} {
		if ids := lacking(keys.prints, keys.keys); len(ids) > 0 {
			return fmt.Errorf("%s: the key %s of the backup is not here or is another one: nothing could be read without it; add it from where the keys are kept",
				keys.name, strings.Join(ids, ", "))
		}
	}
	return nil
}

// writeFiles puts the files into the store. No row names them yet.
func (t Target) writeFiles(ctx context.Context, folder string, sums []sum) error {
	return each(ctx, sums, func(s sum) error {
		key, is := strings.CutPrefix(s.path, filesName+"/")
		if !is {
			return nil
		}
		content, err := os.Open(filepath.Join(folder, filepath.FromSlash(s.path)))
		if err != nil {
			return err
		}
		defer func() { _ = content.Close() }()
		return t.Files.Write(ctx, key, "application/octet-stream", content)
	})
}
