package operation

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// workbench is a PATH with the shell's tools and nothing else.
func workbench(t *testing.T) string {
	t.Helper()
	bin := t.TempDir()
	for _, name := range []string{"make", "bash", "sh", "mkdir", "dirname", "awk", "cut"} {
		program, err := exec.LookPath(name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(program, filepath.Join(bin, name)))
	}
	return bin
}

// install puts a program of the shell onto it.
func install(t *testing.T, bin, name, script string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script), 0o755))
}

// A machine that cannot build the program is told why before anything begins.
func TestMake_SaysWhatIsMissingBeforeItBuilds(t *testing.T) {
	t.Parallel()
	bin := workbench(t)
	said := func(name string, args ...string) string {
		cmd := exec.Command(filepath.Join(bin, name), args...)
		cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=" + bin, "HOME=" + bin}
		out, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.NotContains(t, string(out), "go build")
		return string(out)
	}
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	require.Contains(t, said("make", "-C", root, "build"), "install Go 1.26 or newer")

	install(t, bin, "go", `case $2 in CC) echo cc;; CGO_ENABLED) echo 1;; -deps) exit 1;; *) echo /nowhere/yet;; esac`)
	require.Contains(t, said("make", "-C", root, "build"), `the C compiler "cc" is not on the PATH: install one`)

	install(t, bin, "cc", "")
	install(t, bin, "df", "echo Filesystem 1M-blocks Used Available; echo /dev/disk 10000 8000 2000")
	require.Contains(t, said("sh", filepath.Join(root, ".ci", "prerequisites")), "make room", "for modules and objects together")
}
