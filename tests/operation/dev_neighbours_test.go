package operation

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// stranger is the uid and gid of nobody: an ordinary user.
const stranger = 65534

// Two stacks of one checkout run side by side, the second one by an ordinary
// user: each has an address and data of its own, and one goes on when the other
// has ended.
func TestDev_TwoSideBySide(t *testing.T) {
	t.Parallel()
	kit.TakeSlot(t, kit.IsolatedSlots)
	folder := filepath.Join(t.TempDir(), "stack")
	t.Cleanup(func() { require.NoError(t, stack.Remove(folder)) })
	ours, theirs := develop(t, folder), developOrdinarily(t)
	ours.ready()
	theirs.ready()
	first, second := ours.demo(), theirs.demo()
	require.NotEqual(t, first["REDLINE_URL"], second["REDLINE_URL"])
	require.NotEqual(t, first["REDLINE_WORKSPACE_ID"], second["REDLINE_WORKSPACE_ID"])

	decide(t, first)
	kit.RequireEventually(t, "the decision is taken", func() bool { return len(waiting(t, first)) == 0 })
	require.Len(t, waiting(t, second), 1, "the other one's execution still waits")
	kit.Declined(t, demoKey(first).At(second["REDLINE_URL"]), client.ListSteps, map[string]any{}, "UNAUTHENTICATED", "")

	children := ours.children()
	require.NoError(t, ours.cmd.Process.Signal(os.Interrupt))
	require.NoError(t, ours.end(), ours.out)
	require.True(t, gone(children))
	decide(t, second)
	kit.RequireEventually(t, "the other one goes on", func() bool { return len(waiting(t, second)) == 0 })
	require.NoError(t, theirs.cmd.Process.Signal(os.Interrupt))
	require.NoError(t, theirs.end(), theirs.out)
}

// decide approves the step that waits for the demo's editor.
func decide(t *testing.T, demo map[string]string) {
	t.Helper()
	steps := waiting(t, demo)
	require.Len(t, steps, 1)
	_, err := client.Call[any](t.Context(), demoKey(demo), client.RecordDecision, map[string]any{
		"executionId": steps[0].ExecutionID, "stepId": steps[0].StepID, "reviewerId": "u_editor", "decision": "approve",
	})
	require.NoError(t, err)
}

// developOrdinarily starts a stack by an ordinary user: who runs the tests, or,
// where that is root, nobody with a home and a cache of its own.
func developOrdinarily(t *testing.T) *development {
	t.Helper()
	if os.Getuid() != 0 {
		return develop(t, filepath.Join(t.TempDir(), "stack"))
	}
	home := t.TempDir()
	require.NoError(t, os.Chmod(filepath.Dir(home), 0o711)) // it is its user's alone
	cache := filepath.Join(home, "redline")
	require.NoError(t, os.Mkdir(cache, 0o700))
	own, err := os.UserCacheDir()
	require.NoError(t, err)
	servers, err := os.ReadDir(filepath.Join(own, "redline"))
	require.NoError(t, err)
	for _, server := range servers {
		if name := server.Name(); server.IsDir() && strings.Contains(name, "-") { // with its version
			lend(t, filepath.Join(own, "redline", name), filepath.Join(cache, name))
		}
	}
	programs := filepath.Join(home, "bin")
	require.NoError(t, errors.Join(os.Mkdir(programs, 0o755), os.Chmod(programs, 0o755)))
	binary := filepath.Join(programs, "redline")
	lend(t, kit.Shared.Binary, binary)
	lend(t, stack.Dev(kit.Shared.Binary), stack.Dev(binary))
	for _, folder := range []string{home, cache} {
		require.NoError(t, os.Chown(folder, stranger, stranger))
	}
	folder := filepath.Join(home, "stack")
	cmd := exec.Command(stack.Dev(binary), "--ports=free", "--data="+folder)
	cmd.Dir, cmd.Env = home, append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
	return begun(t, folder, cmd)
}

// lend makes a file or folder readable at another place, for everybody: by links, or by copies
// where that is another disk or where not everybody may read the file.
func lend(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		target := filepath.Join(to, below)
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return errors.Join(os.Mkdir(target, 0o755), os.Chmod(target, 0o755))
		case entry.Type() == fs.ModeSymlink:
			name, err := os.Readlink(path)
			return errors.Join(err, os.Symlink(name, target))
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		everybody := info.Mode().Perm() | info.Mode().Perm()>>6&0o5
		if everybody == info.Mode().Perm() && os.Link(path, target) == nil {
			return nil
		}
		bytes, err := os.ReadFile(path)
		return errors.Join(err, os.WriteFile(target, bytes, 0o600), os.Chmod(target, everybody))
	}))
}
