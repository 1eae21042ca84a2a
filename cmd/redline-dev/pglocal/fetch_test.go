package pglocal

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatACutOffFetchLeftIsSwept(t *testing.T) {
	cache := t.TempDir()
	left, kept := filepath.Join(cache, fetching+"1", "binaries"), filepath.Join(cache, "postgres-"+Version)
	require.NoError(t, os.MkdirAll(left, 0o700))
	require.NoError(t, os.MkdirAll(kept, 0o700))
	require.NoError(t, removeLeftovers(cache))
	require.NoDirExists(t, filepath.Dir(left))
	require.DirExists(t, kept)
}
