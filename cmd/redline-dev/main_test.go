package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExitCodes(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	require.Equal(t, 0, run(t.Context(), []string{"--help"}, &said))
	require.Empty(t, said.String())

	require.Equal(t, 2, run(t.Context(), []string{"--ports=8080"}, &said))
	require.Equal(t, "redline-dev: --ports is usual or free, not \"8080\"\n", said.String())
}

// Nothing is begun where the service's program does not lie beside this one.
func TestWithoutTheServiceNothingBegins(t *testing.T) {
	t.Parallel()
	var said bytes.Buffer
	folder := filepath.Join(t.TempDir(), "data")
	require.Equal(t, 1, run(t.Context(), []string{"--data=" + folder}, &said))
	own, err := os.Executable()
	require.NoError(t, err)
	require.Contains(t, said.String(), filepath.Join(filepath.Dir(own), "redline")+": no such file")
	require.NoFileExists(t, folder)
}
