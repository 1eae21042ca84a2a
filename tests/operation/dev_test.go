package operation

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

const (
	// devStart is how long a start may take once the parts are built.
	devStart = 5 * time.Minute
	// devStop is above the service's own limit for an orderly stop.
	devStop = 3 * time.Minute
)

// development is a `redline-dev` of its own.
type development struct {
	t      *testing.T
	folder string
	cmd    *exec.Cmd
	out    *bytes.Buffer
	ended  chan error
}

// develop starts it with the arguments, and does not wait.
func develop(t *testing.T, folder string, args ...string) *development {
	t.Helper()
	return begun(t, folder, exec.Command(stack.Dev(kit.Shared.Binary), append([]string{"--ports=free", "--data=" + folder}, args...)...))
}

func begun(t *testing.T, folder string, cmd *exec.Cmd) *development {
	t.Helper()
	d := &development{t: t, folder: folder, cmd: cmd, out: &bytes.Buffer{}, ended: make(chan error, 1)}
	d.cmd.Stdout, d.cmd.Stderr = d.out, d.out
	require.NoError(t, d.cmd.Start())
	t.Cleanup(func() { _ = d.cmd.Process.Kill() })
	go func() { d.ended <- d.cmd.Wait() }()
	return d
}

// ready waits until this very process says that all is up; an older one's word does not count.
func (d *development) ready() {
	d.t.Helper()
	want := strconv.Itoa(d.cmd.Process.Pid)
	require.Eventually(d.t, func() bool {
		text, err := os.ReadFile(filepath.Join(d.folder, "ready"))
		return err == nil && strings.TrimSpace(string(text)) == want
	}, devStart, 20*time.Millisecond)
}

// end waits for the end of the process.
func (d *development) end() error {
	d.t.Helper()
	select {
	case err := <-d.ended:
		return err
	case <-time.After(devStop):
		require.FailNow(d.t, "it does not end")
		return nil
	}
}

// children are the processes that the stack has started.
func (d *development) children() []int {
	d.t.Helper()
	files, err := filepath.Glob(filepath.Join(d.folder, "run", "*.pid"))
	require.NoError(d.t, err)
	for _, sub := range []string{"data", "data-folder/data"} {
		file := filepath.Join(d.folder, "postgres", sub, "postmaster.pid")
		if _, err := os.Stat(file); err == nil {
			files = append(files, file)
		}
	}
	var pids []int
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(d.t, err)
		first, _, _ := strings.Cut(string(text), "\n")
		pid, err := strconv.Atoi(strings.TrimSpace(first))
		require.NoError(d.t, err)
		if pid != d.cmd.Process.Pid {
			pids = append(pids, pid)
		}
	}
	return pids
}

func gone(pids []int) bool {
	for _, pid := range pids {
		if syscall.Kill(pid, 0) == nil {
			return false
		}
	}
	return true
}

// demo is the demo workspace's settings; only its owner may read them.
func (d *development) demo() map[string]string {
	d.t.Helper()
	path := filepath.Join(d.folder, "demo.env")
	info, err := os.Stat(path)
	require.NoError(d.t, err)
	require.Equal(d.t, os.FileMode(0o600), info.Mode().Perm())
	text, err := os.ReadFile(path)
	require.NoError(d.t, err)
	found := map[string]string{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		found[name] = value
	}
	for _, name := range []string{
		"REDLINE_URL", "REDLINE_OPS_URL", "REDLINE_TEMPORAL_UI_URL", "REDLINE_WORKSPACE_ID", "REDLINE_WORKSPACE_AUTH_TOKEN",
		"REDLINE_API_KEY", "REDLINE_AUTH_TOKEN", "REDLINE_DEV_RECEIVER_URL", "REDLINE_DEV_INBOX_URL", "REDLINE_DEV_MAILS_URL",
	} {
		require.NotEmpty(d.t, found[name], name)
	}
	return found
}

// One life of a stack: started, asked for a second time, stopped, started
// again on the same data, killed, started again, and reset. A further start
// finds no compiler and no other program, so it takes what the first one kept.
func TestDev_ALife(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "stack")
	t.Cleanup(func() { require.NoError(t, stack.Remove(folder)) })
	first := develop(t, folder)
	first.ready()
	made := first.demo()
	require.Len(t, waiting(t, made), 1, "one execution waits for a decision")
	mails, err := client.Call[redline.EmailSettingsResult](t.Context(), demoKey(made), client.GetEmails, map[string]any{})
	require.NoError(t, err)
	require.Equal(t, []any{true, redline.EmailServiceConfigTypeDefault}, []any{mails.Data.UseEmailService, mails.Data.EmailServiceConfig.Type})
	_, err = client.Call[redline.EmailSettingsResult](t.Context(), demoKey(made), client.UpdateEmails, map[string]any{"useEmailService": false})
	require.NoError(t, err)

	second := develop(t, folder)
	require.Error(t, second.end())
	require.Contains(t, second.out.String(), "another redline-dev runs on "+folder)

	children := first.children()
	require.GreaterOrEqual(t, len(children), 5, "Postgres, Temporal, its UI, Weaviate, the service")
	require.NoError(t, first.cmd.Process.Signal(os.Interrupt))
	require.NoError(t, first.end(), first.out.String())
	require.True(t, gone(children), "nothing is left running")

	t.Setenv("PATH", t.TempDir())
	again := develop(t, folder)
	again.ready()
	require.NotContains(t, again.out.String(), "Building")
	require.NotContains(t, again.out.String(), "Fetching")
	require.Equal(t, made["REDLINE_WORKSPACE_ID"], again.demo()["REDLINE_WORKSPACE_ID"])
	require.Len(t, waiting(t, again.demo()), 1, "seeding twice changes nothing")
	mails, err = client.Call[redline.EmailSettingsResult](t.Context(), demoKey(again.demo()), client.GetEmails, map[string]any{})
	require.NoError(t, err)
	require.False(t, mails.Data.UseEmailService, "what was set since stays")

	children = again.children()
	require.NoError(t, again.cmd.Process.Kill())
	require.Error(t, again.end())
	third := develop(t, folder)
	third.ready()
	require.True(t, gone(children), "what a killed run left is ended by the next one at the latest")
	require.Equal(t, made["REDLINE_AUTH_TOKEN"], third.demo()["REDLINE_AUTH_TOKEN"])
	require.NoError(t, third.cmd.Process.Signal(syscall.SIGTERM))
	require.NoError(t, third.end())

	fresh := develop(t, folder, "--reset")
	fresh.ready()
	require.NotEqual(t, made["REDLINE_WORKSPACE_ID"], fresh.demo()["REDLINE_WORKSPACE_ID"])
	require.NoError(t, fresh.cmd.Process.Signal(os.Interrupt))
	require.NoError(t, fresh.end())
}

// demoKey calls with the key of the demo workspace.
func demoKey(demo map[string]string) *client.Session {
	return client.Public(demo["REDLINE_URL"]).With(map[string]string{
		"x-svc-api-key": demo["REDLINE_API_KEY"], "x-svc-auth-token": demo["REDLINE_AUTH_TOKEN"],
	})
}

// waiting are the steps that wait for the demo's editor.
func waiting(t *testing.T, demo map[string]string) []redline.ListedStep {
	t.Helper()
	page, err := client.Call[redline.ListedStepPage](t.Context(), demoKey(demo), client.ListSteps,
		map[string]any{"reviewerId": "u_editor"})
	require.NoError(t, err)
	return page.Items
}

// The examples that people are told to run tell their tests to the end.
func TestEditorialExample(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("../../examples/editorial.sh", filepath.Join(kit.Shared.Folder, "demo.env")).CombinedOutput()
	require.NoError(t, err, string(out))
	for _, said := range []string{
		`{"ok":true,"code":"accepted"}`, "Say which spring this is.", "the agent: rejected", "loop.iteration-started", "regional, iteration 2",
		"group.quorum-met", "step.breached", "legal-lead, iteration 1", "execution.completed",
	} {
		require.Contains(t, string(out), said)
	}
}

func TestQuickstart(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("../../examples/quickstart.sh", filepath.Join(kit.Shared.Folder, "demo.env")).CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "execution.completed")
	for _, said := range []string{
		"verified", "mail to Bob", "completely disconnected", "Reads well.", "Documents moved.", `"recommendation":"approve"`,
		"- Bills must be paid within 30 days.", "+ Bills must be paid within 14 days.", "1 unchanged, version 2",
	} {
		require.Contains(t, string(out), said)
	}
	_, after, found := strings.Cut(string(out), "under the new id")
	require.True(t, found, string(out))
	for _, said := range []string{`"id":"spring-2027"`, "Which year", "Reads well.", "completely disconnected"} {
		require.Contains(t, after, said, "once the document has its new id")
	}
}
