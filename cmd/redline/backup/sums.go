package backup

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// sum is the SHA-256 of a file of the backup, by its path below the folder, with slashes.
type sum struct{ hex, path string }

// atOnce is how many files are read or written at once.
const atOnce = 8

func writeSums(folder string, sums []sum) error {
	var text strings.Builder
	for _, s := range sums {
		fmt.Fprintf(&text, "%s  %s\n", s.hex, s.path)
	}
	_, err := writeFile(filepath.Join(folder, sumsName), strings.NewReader(text.String()))
	return err
}

func readSums(folder string) (sums []sum, err error) {
	file, err := os.Open(filepath.Join(folder, sumsName))
	if err != nil {
		return nil, fmt.Errorf("%s: is not whole, it has no %s: take another copy of the backup", folder, sumsName)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		digest, path, found := strings.Cut(lines.Text(), "  ")
		if !found || !filepath.IsLocal(path) {
			return nil, fmt.Errorf("%s: %s is damaged: take another copy of the backup", folder, sumsName)
		}
		sums = append(sums, sum{digest, path})
	}
	return sums, lines.Err()
}

// verify reads the whole backup and compares it with its sums. The error names what is damaged or missing.
func verify(ctx context.Context, folder string, m *Manifest) ([]sum, error) {
	sums, err := readSums(folder)
	if err != nil {
		return nil, err
	}
	if len(sums) != m.Files+2 { // the manifest and the dump besides
		return nil, fmt.Errorf("%s: is not whole, %s has %d lines in place of %d: take another copy of the backup", folder, sumsName, len(sums), m.Files+2)
	}
	return sums, each(ctx, sums, func(s sum) error {
		digest, err := sumOf(filepath.Join(folder, filepath.FromSlash(s.path)))
		if err != nil {
			return fmt.Errorf("%s: is not whole, %s cannot be read: take another copy of the backup", folder, s.path)
		}
		if digest != s.hex {
			return fmt.Errorf("%s: %s is damaged: take another copy of the backup", folder, s.path)
		}
		return nil
	})
}

// sumOf reads a file for its sum.
func sumOf(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }()
	digest := sha256.New()
	_, err = io.Copy(digest, file)
	return hex.EncodeToString(digest.Sum(nil)), err
}

// writeFile writes a file and returns its sum; it has reached the disk then.
func writeFile(path string, content io.Reader) (digest string, err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(file, hash), content)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return hex.EncodeToString(hash.Sum(nil)), err
}
