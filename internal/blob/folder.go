package blob

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// folder keeps each file under its key below a folder. sync has what a folder lists be on the disk.
type folder struct {
	dir  string
	sync func(*os.File) error
}

// folderMode lets in who runs the service alone, as the mode of the files does.
const folderMode = 0o700

func openFolder(dir string) (driver, error) {
	if err := os.MkdirAll(dir, folderMode); err != nil {
		return nil, err
	}
	return folder{dir: filepath.Clean(dir), sync: (*os.File).Sync}, nil
}

// path of a file; a key that leads out of the folder is an error.
func (f folder) path(key string) (string, error) {
	local, err := filepath.Localize(key)
	return filepath.Join(f.dir, local), err
}

func (f folder) write(ctx context.Context, key, _ string, content io.Reader) error {
	path, err := f.path(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), folderMode); err != nil {
		return err
	}
	file, err := renameio.NewPendingFile(path, renameio.WithTempDir(filepath.Dir(path)))
	if err != nil {
		return err
	}
	defer func() { _ = file.Cleanup() }()
	if _, err := io.Copy(file, content); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := file.CloseAtomicallyReplace(); err != nil {
		return err
	}
	return f.syncFolders(filepath.Dir(path))
}

// syncFolders syncs a folder and those it is in: the content is on the disk by now, but
// not the name under which it is found, nor those of folders that were made for it.
func (f folder) syncFolders(dir string) error {
	opened, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = errors.Join(f.sync(opened), opened.Close())
	if err != nil || dir == f.dir {
		return err
	}
	return f.syncFolders(filepath.Dir(dir))
}

func (f folder) read(_ context.Context, key string) (Reader, error) {
	path, err := f.path(key)
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, missingFile(err)
	}
	info, err := file.Stat()
	if err != nil {
		_ = file.Close()
		return nil, err
	}
	return folderFile{File: file, size: info.Size()}, nil
}

func (f folder) remove(_ context.Context, key string) error {
	path, err := f.path(key)
	if err != nil {
		return err
	}
	return missingFile(os.Remove(path))
}

func missingFile(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return ErrMissing
	}
	return err
}

// folderFile is an open file, which cannot change: writing replaces it.
type folderFile struct {
	*os.File

	size int64
}

func (f folderFile) Size() int64 { return f.size }
