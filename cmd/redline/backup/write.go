package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/internal/blob"
	rows "github.com/redline-svc/redline/models/backup"
)

// partial ends the name of a folder that is not whole.
const partial = ".partial"

// Source is what is backed up.
type Source struct {
	// Begin takes the snapshot.
	Begin       func(context.Context) (*rows.Snapshot, error)
	Files       *blob.Store
	DatabaseURL string
	Tools       Tools
	// About has what the manifest says beside the files.
	About Manifest
}

// Write writes a backup into a folder that is not there yet, and returns its manifest. Until
// it is whole it stands beside that under a name that no restore takes.
func Write(ctx context.Context, folder string, s Source) (*Manifest, error) {
	folder = filepath.Clean(folder)
	if _, err := os.Lstat(folder); !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s: is there already: name a folder that is not there yet", folder)
	}
	work := folder + partial
	if err := os.Mkdir(work, 0o700); err != nil {
		return nil, fmt.Errorf("%w (what a backup left that was killed is to be removed first)", err)
	}
	m, err := s.write(ctx, work)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(work))
	}
	if err := os.Rename(work, folder); err != nil {
		return nil, err
	}
	return m, syncFolder(filepath.Dir(folder))
}

func (s Source) write(ctx context.Context, work string) (*Manifest, error) {
	snapshot, err := s.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer snapshot.Close(ctx)
	m := s.About
	m.Format, m.TakenAt = format, time.Now().UTC().Truncate(time.Second)
	if err := s.Tools.dump(ctx, s.DatabaseURL, snapshot.ID, filepath.Join(work, dumpName)); err != nil {
		return nil, err
	}
	keys, err := snapshot.Files(ctx)
	if err != nil {
		return nil, err
	}
	if err := snapshot.Dumped(ctx); err != nil {
		return nil, err
	}
	copied, err := s.copyFiles(ctx, work, keys, &m)
	if err != nil {
		return nil, err
	}
	if err := snapshot.Held(ctx); err != nil {
		return nil, err
	}
	return &m, s.seal(work, &m, copied)
}

// copyFiles copies the files of the keys, notes in the manifest how many there were, and
// returns their sums.
func (s Source) copyFiles(ctx context.Context, work string, keys []string, m *Manifest) ([]sum, error) {
	found := make([]sum, len(keys))
	sizes := make([]int64, len(keys))
	err := each(ctx, indexes(len(keys)), func(i int) (err error) {
		found[i], sizes[i], err = s.copyFile(ctx, work, keys[i])
		return err
	})
	if err != nil {
		return nil, err
	}
	m.Missing = []string{}
	for i, key := range keys {
		if found[i].path == "" {
			m.Missing = append(m.Missing, key)
		}
		m.FileBytes += sizes[i]
	}
	found = slices.DeleteFunc(found, func(s sum) bool { return s.path == "" })
	m.Files = len(found)
	return found, nil
}

// copyFile copies one; the sum of one that is not there is empty.
func (s Source) copyFile(ctx context.Context, work, key string) (sum, int64, error) {
	local, err := filepath.Localize(key)
	if err != nil {
		return sum{}, 0, fmt.Errorf("the key %q of a file: %w", key, err)
	}
	content, err := s.Files.Read(ctx, key)
	if errors.Is(err, blob.ErrMissing) {
		return sum{}, 0, nil
	}
	if err != nil {
		return sum{}, 0, err
	}
	defer func() { _ = content.Close() }()
	target := filepath.Join(work, filesName, local)
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return sum{}, 0, err
	}
	digest, err := writeFile(target, content)
	return sum{digest, path.Join(filesName, key)}, content.Size(), err
}

// seal writes the manifest and the sums of everything.
func (s Source) seal(work string, m *Manifest, copied []sum) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	about, err := writeFile(filepath.Join(work, manifestName), bytes.NewReader(text))
	if err != nil {
		return err
	}
	dump, err := sumOf(filepath.Join(work, dumpName))
	if err != nil {
		return err
	}
	if err := writeSums(work, append([]sum{{about, manifestName}, {dump, dumpName}}, copied...)); err != nil {
		return err
	}
	return filepath.WalkDir(work, func(name string, entry os.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		return syncFolder(name)
	})
}

// syncFolder brings the names in a folder to the disk.
func syncFolder(name string) error {
	opened, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(opened.Sync(), opened.Close())
}

// each calls do for every item, some at once; the first error ends it.
func each[T any](ctx context.Context, items []T, do func(T) error) error {
	group, ends := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for _, item := range items {
		if ends.Err() != nil {
			break
		}
		group.Go(func() error { return do(item) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

func indexes(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}
