package stack

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/config"
)

func TestOptions(t *testing.T) {
	options, err := Parse([]string{"--ports=free", "--data=somewhere", "--services=api,worker", "--reset"})
	require.NoError(t, err)
	require.True(t, options.FreePorts)
	require.True(t, options.Reset)
	require.Equal(t, []string{"api", "worker"}, options.Services)
	require.True(t, filepath.IsAbs(options.Data))

	none, err := Parse([]string{"--services=none"})
	require.NoError(t, err)
	require.Empty(t, none.Services)
	usual, err := Parse(nil)
	require.NoError(t, err)
	require.Equal(t, []string{"serve"}, usual.Services)

	for _, wrong := range []string{"--ports=8080", "--services=queen", "--nothing", "word"} {
		_, err := Parse([]string{wrong})
		require.Error(t, err, wrong)
	}
}

func TestAShellReadsTheEnvironmentBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.env")
	set := environment{
		"PLAIN": "postgres://u:p@127.0.0.1:1/d?sslmode=disable", "SPACED": "a b", "HARD": `it's $HOME & "more"; ` + "`id`", "EMPTY": "",
	}
	require.NoError(t, set.write(path))
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	again, err := readEnvironment(path)
	require.NoError(t, err)
	require.Equal(t, set, again)
	for name, value := range set {
		out, err := exec.Command("sh", "-c", `. "$1"; eval "printf %s \"\$$2\""`, "sh", path, name).Output()
		require.NoError(t, err)
		require.Equal(t, value, string(out))
	}
	missing, err := readEnvironment(path + ".none")
	require.NoError(t, err)
	require.Empty(t, missing)
}

func TestTheCallersVariablesWin(t *testing.T) {
	t.Setenv("REDLINE_STEP_CALLS", "7")
	t.Setenv("REDLINE_API_KEY", "from a demo.env that was sourced")
	outside := fromOutside()
	require.Equal(t, "7", outside["REDLINE_STEP_CALLS"])
	require.NotContains(t, outside, "REDLINE_API_KEY")
	both := environment{"REDLINE_STEP_CALLS": "200", "REDLINE_PPROF": "true"}.with(outside)
	require.Equal(t, environment{"REDLINE_STEP_CALLS": "7", "REDLINE_PPROF": "true"}, both)
	byFile := environment{"REDLINE_HASH_KEYS": "x"}.with(environment{"REDLINE_HASH_KEYS_FILE": "/f"})
	require.Equal(t, environment{"REDLINE_HASH_KEYS_FILE": "/f"}, byFile)
	for _, pair := range both.list() {
		require.False(t, strings.HasPrefix(pair, "REDLINE_API_KEY="))
	}
}

// Whoever starts a process by the profile is not warned of a name that is none.
func TestTheServiceKnowsEachNameOfTheProfile(t *testing.T) {
	f := folder(t.TempDir())
	p, err := choosePorts(f, true)
	require.NoError(t, err)
	defer p.lock.Release()
	for name := range profile(f, p, keys{}, "", "") {
		require.Contains(t, config.Names(), name)
	}
}

func TestPortsAreKeptAndNeverShared(t *testing.T) {
	one, other := folder(t.TempDir()), folder(t.TempDir())
	first, err := choosePorts(one, true)
	require.NoError(t, err)
	second, err := choosePorts(other, true)
	require.NoError(t, err)
	require.NotEqual(t, first.Block, second.Block)
	second.lock.Release()
	block := first.Block
	first.lock.Release()

	again, err := choosePorts(one, true)
	require.NoError(t, err)
	require.Equal(t, block, again.Block)
	again.lock.Release()

	taken, err := net.Listen("tcp", local(again.postgres()))
	require.NoError(t, err)
	moved, err := choosePorts(one, true)
	require.NoError(t, err)
	require.NotEqual(t, block, moved.Block, "a port of the block is taken")
	moved.lock.Release()
	require.NoError(t, taken.Close())
}

func TestAConfiguredPortInUseStopsTheStart(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	err = checkConfigured("REDLINE_HTTP_ADDR", taken.Addr().String())
	require.ErrorContains(t, err, "is in use by another program")
	require.ErrorContains(t, err, "REDLINE_HTTP_ADDR")
	require.NoError(t, taken.Close())
	require.NoError(t, checkConfigured("REDLINE_HTTP_ADDR", taken.Addr().String()))
	require.NoError(t, checkConfigured("REDLINE_HTTP_ADDR", ""))
	require.ErrorContains(t, checkConfigured("REDLINE_HTTP_ADDR", "8080"), "host:port")
}

func TestLeftoversAreCountedInEnglish(t *testing.T) {
	require.Equal(t, "Ended one process that an earlier run left behind.", leftovers(1))
	require.Equal(t, "Ended 4 processes that an earlier run left behind.", leftovers(4))
}

func TestKeysAreMadeOnceAndNeverReplaced(t *testing.T) {
	file := filepath.Join(t.TempDir(), "keys.json")
	made, err := openKeys(file)
	require.NoError(t, err)
	again, err := openKeys(file)
	require.NoError(t, err)
	require.Equal(t, made, again)
	require.NoError(t, os.WriteFile(file, []byte("{"), 0o600))
	_, err = openKeys(file)
	require.ErrorContains(t, err, "damaged")
}

func TestAFolderHasOneStack(t *testing.T) {
	f := folder(t.TempDir())
	lock, err := f.claim()
	require.NoError(t, err)
	require.NoError(t, f.make())
	_, err = f.claim()
	require.ErrorContains(t, err, "another redline-dev runs on")
	require.NoError(t, os.WriteFile(f.demoEnv(), nil, 0o600))
	require.NoError(t, f.wipe())
	require.NoFileExists(t, f.demoEnv())
	_, err = f.claim()
	require.ErrorContains(t, err, "another redline-dev runs on", "a reset keeps the claim")
	lock.Release()
	again, err := f.claim()
	require.NoError(t, err)
	again.Release()
}
