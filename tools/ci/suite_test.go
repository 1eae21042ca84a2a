package ci

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// event is a line of what gotestsum writes of a test of the package "one".
func event(action, test string) string {
	return fmt.Sprintf(`{"Time":"2026-01-02T03:04:05Z","Action":%q,"Package":"example.test/one","Test":%q,"Elapsed":0}`, action, test)
}

// seen is a folder in which gotestsum has seen the events of the package "one" and ends with the status.
func seen(t *testing.T, status int, events ...string) *workbench {
	t.Helper()
	w := newWorkbench(t)
	w.installs("go", "echo example.test/one")
	w.writes("events", strings.Join(events, "\n")+"\n")
	w.installs("gotestsum", fmt.Sprintf(`env >environment
while [ $# -gt 0 ]; do
  case $1 in --jsonfile) cat events >"$2" ;; esac
  shift
done
exit %d`, status))
	return w
}

// suite is the command that runs the suite "units" of packages.
func (w *workbench) suite(packages string) []string {
	return []string{".ci/suite", "units", filepath.Join(w.programs, "gotestsum"), packages}
}

func TestSuites(t *testing.T) {
	t.Parallel()
	passes := event("pass", "TestA")
	var six []string
	for i := range 6 {
		name := fmt.Sprint("Test", i)
		six = append(six, event("fail", name), event("fail", name+"/part"), event("pass", name))
	}
	for name, c := range map[string]struct {
		status int
		events []string
		green  bool
		last   string
	}{
		"all pass":                          {0, []string{passes}, true, `^suite units: passed in \d+ min \d+ s$`},
		"one passes the second time":        {0, []string{event("fail", "TestB"), event("fail", "TestB/part"), event("pass", "TestB")}, true, `^flaky: TestB \(example\.test/one\)$`},
		"six pass the second time":          {0, six, false, `^6 tests are flaky: `},
		"one fails each time":               {1, []string{event("fail", "TestB")}, false, `^suite units: failed with \d+ MB free for temporary files$`},
		"one is skipped":                    {0, []string{passes, event("skip", "TestB")}, false, `^suite units: the tests above were skipped$`},
		"a package with tests has run none": {0, nil, false, `^suite units: no test ran of example\.test/one$`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := seen(t, c.status, c.events...)
			lines, well := w.runs(w.suite("./one")...)
			require.Equal(t, c.green, well, "%q", lines)
			require.Regexp(t, c.last, lines[len(lines)-1])
		})
	}
}

func TestASuiteOfNoPackagesIsRed(t *testing.T) {
	t.Parallel()
	w := seen(t, 0, event("pass", "TestA"))
	w.installs("go", "exit 1")
	_, well := w.runs(w.suite("plain")...)
	require.False(t, well, "the packages could not be listed")
	w.installs("go", "exit 0")
	lines, well := w.runs(w.suite("plain")...)
	require.False(t, well)
	require.Equal(t, []string{"suite units: there are no packages"}, lines)
}

// Whoever runs several suites sees in the last lines which tests were flaky in any of them, and
// what all of them took.
func TestSeveralSuitesEndWithWhatWasFlaky(t *testing.T) {
	t.Parallel()
	w := seen(t, 0, event("fail", "TestB"), event("pass", "TestB"))
	one := strings.Join(w.suite("./one"), " ")
	lines := w.must(".ci/all-suites", "make test", ".ci/all-suites", "inner", "sh", "-c", one+" && "+one)
	flaky := "flaky: TestB (example.test/one)"
	require.Regexp(t, `^make test: passed in \d+ min \d+ s$`, lines[len(lines)-2])
	require.Equal(t, flaky, lines[len(lines)-1], "once, however often")
}

func TestSuitesHaveNoSettingsOfWhoeverRunsThem(t *testing.T) {
	t.Parallel()
	w := seen(t, 0, event("pass", "TestA"))
	w.env = []string{
		"REDLINE_DATABASE_URL=postgres://theirs.test/production", "REDLINE_ENCRYPTION_KEYS_FILE=/keys", "REDLINE_SMTP_ADDR=mails.test:25",
		"REDLINE_POSTGRES_TOOLS=/tools", "REDLINE_TEST_KEEP=1", "REDLINE_SOAK=3",
	}
	w.must(w.suite("./one")...)
	var kept []string
	for _, line := range w.must("cat", "environment") {
		if strings.HasPrefix(line, "REDLINE_") {
			kept = append(kept, line)
		}
	}
	require.ElementsMatch(t, []string{"REDLINE_POSTGRES_TOOLS=/tools", "REDLINE_TEST_KEEP=1", "REDLINE_SOAK=3"}, kept)
}
