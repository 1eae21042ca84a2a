package operation

import (
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// refused starts the program with a setting that cannot be, asking for a reset,
// and returns what it says. It has begun nothing, and what was kept is kept.
func refused(t *testing.T, setting string) string {
	t.Helper()
	folder := t.TempDir()
	kept := filepath.Join(folder, "blobs")
	require.NoError(t, os.WriteFile(kept, []byte("kept"), 0o600))
	cmd := exec.Command(stack.Dev(kit.Shared.Binary), "--ports=free", "--data="+folder, "--reset")
	cmd.Env = append(os.Environ(), setting)
	d := begun(t, folder, cmd)
	require.Error(t, d.end())
	require.NotContains(t, d.out.String(), "Starting")
	require.FileExists(t, kept, "a start that is refused wipes nothing")
	return d.out.String()
}

// A configured port that somebody else has stops the start, before anything is wiped.
func TestDev_APortInUseStopsTheStart(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"REDLINE_HTTP_ADDR", "REDLINE_OPS_ADDR"} {
		taken, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		said := refused(t, name+"="+taken.Addr().String())
		require.Contains(t, said, "of "+name+" is in use by another program")
		require.Contains(t, said, "unset "+name)
		require.NoError(t, taken.Close())
	}
}

// A configured server that is away, or lets nobody in, is told before anything
// is started, by the name of its variable. Nothing of a password is.
func TestDev_AConfiguredServerThatIsAwayStopsTheStart(t *testing.T) {
	t.Parallel()
	stranger, err := url.Parse(kit.Shared.Env["REDLINE_DATABASE_URL"])
	require.NoError(t, err)
	stranger.User = url.UserPassword("stranger", "hunter")
	file := filepath.Join(t.TempDir(), "url")
	require.NoError(t, os.WriteFile(file, []byte("postgres://ann:hunter@127.0.0.1:1/x"), 0o600))
	for name, addresses := range map[string][]string{
		"REDLINE_TEMPORAL_ADDR":     {"127.0.0.1:1", "localhost"},
		"REDLINE_WEAVIATE_ADDR":     {"127.0.0.1:1"},
		"REDLINE_DATABASE_URL":      {"postgres://ann:hunter@127.0.0.1:1/x", "postgres://ann:hunter@127.0.0.1:many/x", stranger.String()},
		"REDLINE_DATABASE_URL_FILE": {file},
	} {
		for _, address := range addresses {
			said := refused(t, name+"="+address)
			require.Contains(t, said, name)
			require.Contains(t, said, "start that server, correct "+name+", or unset it to have one started here")
			require.NotContains(t, said, "hunter")
		}
	}
}
