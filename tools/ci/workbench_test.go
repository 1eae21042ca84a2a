package ci

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// workbench is a folder with the scripts.
type workbench struct {
	t *testing.T
	// root is the folder, programs the first on the PATH.
	root, programs string
	// env are further variables of what is run.
	env []string
}

func newWorkbench(t *testing.T) *workbench {
	t.Helper()
	w := &workbench{t: t, root: filepath.Join(t.TempDir(), "a clone"), programs: t.TempDir()}
	scripts, err := os.ReadDir("../../.ci")
	require.NoError(t, err)
	for _, script := range scripts {
		w.copies(filepath.Join(".ci", script.Name()))
	}
	w.copies(".env.example")
	return w
}

// copies takes a file of the project over.
func (w *workbench) copies(name string) {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	require.NoError(w.t, err)
	w.writes(name, string(text))
}

// writes makes a file below the root, which may be run.
func (w *workbench) writes(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.root, name)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(w.t, os.WriteFile(path, []byte(text), 0o755))
}

// installs puts a program of the shell on the PATH.
func (w *workbench) installs(name, script string) {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(filepath.Join(w.programs, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
}

// runs starts a command at the root and returns its lines and whether it ended well. Nothing of
// this process's environment reaches it but the PATH, nor does what git knows of the user.
func (w *workbench) runs(command ...string) (lines []string, well bool) {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), command[0], command[1:]...)
	cmd.Dir = w.root
	cmd.Env = append([]string{
		"PATH=" + w.programs + ":" + os.Getenv("PATH"), "HOME=" + w.programs, "TMPDIR=" + w.t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@redline.test", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@redline.test",
	}, w.env...)
	out, err := cmd.CombinedOutput()
	return strings.Split(strings.TrimSpace(string(out)), "\n"), err == nil
}

// must is runs of a command that has to end well.
func (w *workbench) must(command ...string) []string {
	w.t.Helper()
	lines, well := w.runs(command...)
	require.True(w.t, well, "%v: %s", command, strings.Join(lines, "\n"))
	return lines
}
