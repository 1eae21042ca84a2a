package pglocal

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// Root's servers run as another user, who may run the programs that root has copied.
func TestProgramsAreForEverybodyWhateverTheUmask(t *testing.T) {
	from, dir := filepath.Join(t.TempDir(), "postgres-1"), filepath.Join(t.TempDir(), "shared")
	require.NoError(t, os.MkdirAll(filepath.Join(from, "bin"), 0o700))
	for _, name := range []string{"initdb", "postgres", "pg_ctl"} {
		require.NoError(t, os.WriteFile(filepath.Join(from, "bin", name), []byte(name), 0o700))
	}
	require.NoError(t, os.Symlink("postgres", filepath.Join(from, "bin", "postmaster")))
	defer syscall.Umask(syscall.Umask(0o077))
	if os.Getuid() != 0 {
		require.NoError(t, copyTree(from, dir)) // nobody but root has another user's servers
		requireForEverybody(t, dir)
		return
	}
	target := filepath.Join(dir, "postgres-1")
	for _, before := range []os.FileMode{0, 0o700} { // nothing, and what an earlier start has kept for itself
		if before != 0 {
			require.NoError(t, os.Chmod(target, before))
		}
		found, err := publish(t.Context(), from, dir)
		require.NoError(t, err)
		require.Equal(t, target, found)
		requireForEverybody(t, target)
	}
}

func requireForEverybody(t *testing.T, dir string) {
	t.Helper()
	for _, path := range []string{"", "bin", "bin/initdb", "bin/postgres", "bin/postmaster"} {
		info, err := os.Stat(filepath.Join(dir, path))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o755), info.Mode().Perm(), path)
	}
}
