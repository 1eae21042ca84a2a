package ortlib_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/embed/ortlib"
)

func TestConfiguredLibraryWinsAndMustExist(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lib.so")
	_, err := ortlib.Resolve(context.Background(), path)
	require.ErrorIs(t, err, ortlib.ErrNone)
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o600))
	found, err := ortlib.Resolve(context.Background(), path)
	require.NoError(t, err)
	require.Equal(t, path, found)
}

func TestCopyIsMadeOnceAndThenUsed(t *testing.T) {
	if home, err := os.UserHomeDir(); err == nil { // where the go command keeps modules
		t.Setenv("GOMODCACHE", moduleCache(home))
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	first, err := ortlib.Cached(context.Background())
	require.NoError(t, err)
	before, err := os.Stat(first)
	require.NoError(t, err)
	require.Greater(t, before.Size(), int64(10<<20))

	t.Setenv("PATH", "") // no go command any more
	again, err := ortlib.Cached(context.Background())
	require.NoError(t, err)
	require.Equal(t, first, again)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, err = ortlib.Cached(context.Background())
	require.ErrorIs(t, err, ortlib.ErrNone)
}

func moduleCache(home string) string {
	for _, path := range []string{os.Getenv("GOMODCACHE"), filepath.Join(os.Getenv("GOPATH"), "pkg", "mod")} {
		if filepath.IsAbs(path) {
			return path
		}
	}
	return filepath.Join(home, "go", "pkg", "mod")
}
