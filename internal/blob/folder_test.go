package blob

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func openTestFolder(t *testing.T) (*Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "made")
	store, err := Open(Options{Dir: dir})
	require.NoError(t, err)
	return store, dir
}

func TestFolder_BrokenWriteLeavesNoOtherFile(t *testing.T) {
	store, dir := openTestFolder(t)
	broken := errors.New("broken off")
	write(t, store, "old", "whole")
	for _, key := range []string{"new", "old"} {
		content := io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken))
		require.ErrorIs(t, store.Write(t.Context(), key, "text/plain", content), broken)
	}
	files, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, files, 1)
}

func TestFolder_FilesStandUnderTheirKeys(t *testing.T) {
	store, dir := openTestFolder(t)
	write(t, store, "uploads/p/f", "content")
	content, err := os.ReadFile(filepath.Join(dir, "uploads", "p", "f"))
	require.NoError(t, err)
	require.Equal(t, "content", string(content))
}

func TestFolder_FilesAreForTheServiceAlone(t *testing.T) {
	store, dir := openTestFolder(t)
	write(t, store, "uploads/p/f", "content")
	for path, mode := range map[string]os.FileMode{
		"": 0o700, "uploads": 0o700, "uploads/p": 0o700, "uploads/p/f": 0o600,
	} {
		info, err := os.Stat(filepath.Join(dir, path))
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode().Perm(), path)
	}
}

// A file that a loss of power may take away is not acknowledged: its name is on the disk once the folders down to it are.
func TestFolder_AFileIsAcknowledgedOnceItsNameIsOnTheDisk(t *testing.T) {
	store, dir := openTestFolder(t)
	kept := store.driver.(folder)
	var synced []string
	full := errors.New("no space is left")
	kept.sync = func(opened *os.File) error {
		content, err := os.ReadFile(filepath.Join(dir, "uploads", "p", "f"))
		require.NoError(t, err, "the file has its name by then")
		require.Equal(t, "content", string(content))
		if synced = append(synced, opened.Name()); len(synced) == 5 {
			return full
		}
		return opened.Sync()
	}
	store.driver = kept
	write(t, store, "uploads/p/f", "content")
	require.Equal(t, []string{filepath.Join(dir, "uploads", "p"), filepath.Join(dir, "uploads"), dir}, synced)
	require.ErrorIs(t, store.Write(t.Context(), "uploads/p/f", "text/plain", strings.NewReader("content")), full)
}

func TestFolder_NoKeyLeadsOut(t *testing.T) {
	store, dir := openTestFolder(t)
	outside := filepath.Join(filepath.Dir(dir), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("not a file of the store"), 0o600))
	for _, key := range []string{"../outside", outside, "a/../../outside", ""} {
		require.Error(t, store.Write(t.Context(), key, "text/plain", strings.NewReader("x")), key)
		_, err := store.Read(t.Context(), key)
		require.Error(t, err, key)
		require.Error(t, store.Delete(t.Context(), key), key)
	}
	content, err := os.ReadFile(outside)
	require.NoError(t, err)
	require.Equal(t, "not a file of the store", string(content))
}

func TestOpenWantsAStore(t *testing.T) {
	_, err := Open(Options{})
	require.Error(t, err)
}
