package api_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// authority certifies the receivers of tests. A server calls them while it answers; what a
// worker would call, nobody calls.
var authority = sync.OnceValues(receiver.NewAuthority)

// trusted writes the certificate of the authority into a folder and returns the file's path.
func trusted(t *testing.T, folder string) string {
	t.Helper()
	of, err := authority()
	require.NoError(t, err)
	path := filepath.Join(folder, "authority.pem")
	require.NoError(t, os.WriteFile(path, of.PEM(), 0o600))
	return path
}

// newWorkspace makes a workspace at the server that all tests share; the test runs beside
// all others.
func newWorkspace(t *testing.T) *kit.Env {
	t.Helper()
	return newWorkspaceWith(t)
}

// newWorkspaceWith makes one at a server of the test's own, with these settings, NAME=value
// each.
func newWorkspaceWith(t *testing.T, settings ...string) *kit.Env {
	t.Helper()
	t.Parallel()
	s := handlerServer(t, settings...)
	env := kit.NewWorkspaceAt(t, s.URL)
	env.Database = s.Database
	var err error
	env.Trusted, err = authority()
	require.NoError(t, err)
	return env
}

// beside returns the same workspace at one more server on its rows, with these settings.
func beside(env *kit.Env, settings ...string) *kit.Env {
	env.T.Helper()
	s := serve(env.T, env.Database, env.T.TempDir(), settings)
	env.T.Cleanup(s.close)
	return env.Through(s.URL)
}
