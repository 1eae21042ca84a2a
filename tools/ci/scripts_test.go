package ci

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNoLargeFileIsCommitted(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	w.must("git", "init", "-q")
	w.writes("internal/embed/minilm/model.onnx", strings.Repeat("x", 1_000_001))
	w.writes("small", strings.Repeat("x", 1_000_000))
	w.must("git", "add", ".")
	w.must("git", "commit", "-q", "-m", "Begin")
	require.Equal(t, []string{""}, w.must(".ci/large-files"))

	w.writes("a program", strings.Repeat("x", 1_000_001))
	w.must("git", "add", ".")
	w.must("git", "commit", "-q", "-m", "Add a program")
	lines, well := w.runs(".ci/large-files")
	require.False(t, well)
	require.Equal(t, []string{"a program has 1000001 bytes; a file may have 1,000,000"}, lines)
}

// The race detector is where there are goroutines, in a folder of any name.
func TestPackagesAreSharedOut(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	for file, text := range map[string]string{
		"api/a.go": "package api", "api/a_test.go": "package api\nfunc TestA(t *testing.T) {\n\tt.Parallel()\n}",
		"worker/w.go": "package worker\nfunc Run() {\n\tgo look()\n}", "worker/w_test.go": "package worker\nfunc TestLong_W(t *testing.T) {}",
		"leaf/l.go": "package leaf", "leaf/l_test.go": "package leaf",
		"tests/area/t_test.go": "package area\nfunc TestSoak_T(t *testing.T) {}",
	} {
		w.writes(file, text)
	}
	var list strings.Builder
	for _, each := range []string{"leaf| l.go| l_test.go", "api| a.go| a_test.go", "tests/area|| t_test.go", "worker| w.go| w_test.go"} {
		name, files, _ := strings.Cut(each, "|")
		list.WriteString("example.test/" + name + "|" + w.root + "/" + name + "|" + files + "\n\n")
	}
	w.writes("list", list.String())
	w.installs("go", "cat list")
	w.must("git", "init", "-q")
	w.must("git", "config", "grep.patternType", "fixed")
	w.must("git", "add", ".")
	for kind, want := range map[string][]string{
		"plain": {"example.test/api", "example.test/leaf"}, "raced": {"example.test/worker"}, "long-race": {"example.test/api"},
		"stack": {"example.test/tests/area"}, "long": {"./worker"}, "long-stack": {"./tests/area"},
	} {
		require.Equal(t, want, w.must(".ci/packages", kind), kind)
	}
}

// The end of its time is no finding of a target; everything else that fails is one.
func TestFuzzing(t *testing.T) {
	t.Parallel()
	w := newWorkbench(t)
	const failed = `echo "fuzz: elapsed: 5s, execs: 37520 (0/sec), new interesting: 15 (total: 62)"
printf -- '--- FAIL: FuzzCron (5.04s)\n    %s\nFAIL\nexit status 1\nFAIL\texample.test/definition\t5.051s\n'
exit 1`
	w.installs("go", strings.ReplaceAll(failed, "%s", "context deadline exceeded"))
	lines := w.must(".ci/fuzz", "5s")
	require.Equal(t, "inbound:FuzzBody: its time is over", lines[len(lines)-1], "it is the last one")

	for _, why := range []string{
		`--- FAIL: FuzzCron (0.00s)\n        cron_test.go:9: context deadline exceeded`, `fuzzing process hung or terminated unexpectedly: exit status 2`,
	} {
		w.installs("go", strings.ReplaceAll(failed, "%s", why))
		lines, well := w.runs(".ci/fuzz", "5s")
		require.False(t, well, why)
		require.NotContains(t, strings.Join(lines, "\n"), "its time is over")
	}
	w.installs("go", "echo PASS")
	w.must(".ci/fuzz", "5s")
}
