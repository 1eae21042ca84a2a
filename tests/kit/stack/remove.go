package stack

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// Remove deletes a folder with the data of stacks that were stopped. Root's
// Postgres has its data elsewhere, where another user may enter; the link to it
// is followed, or every run would leave hundreds of megabytes behind.
func Remove(folder string) error {
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink == 0 || entry.Name() != "data-folder" {
			return err
		}
		data, err := os.Readlink(path)
		if err != nil {
			return err
		}
		return os.RemoveAll(data)
	})
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, os.RemoveAll(folder))
}
