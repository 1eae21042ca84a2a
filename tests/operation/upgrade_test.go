package operation

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/stack"
)

const (
	// root is the root of the project, from here.
	root = "../.."
	// inEachMix is how many answers customers get with each mix of processes.
	inEachMix = 150
	// longest is how many executions wait for their reviewer from the beginning to the end.
	longest = 6
)

// upgrade is customers at work while the processes of two versions take turns.
type upgrade struct {
	*kit.IsolatedStack
	*customers
	balancer *balancer
	// workers and faces are the processes that run.
	workers, faces []*stack.Service
	waiting        []*kit.Run
}

// TestLong_TwoVersionsRunSideBySide builds the version that deploy/previous names, and lets it
// and the present one share one database and one namespace of Temporal under load: forward,
// and one release back, beginning with either. No request fails, nothing is lost, and each
// version replays what both have written.
func TestLong_TwoVersionsRunSideBySide(t *testing.T) {
	previous, source := builtPrevious(t)
	present := kit.Shared.Binary
	for name, order := range map[string][2]string{"forward and back": {previous, present}, "back and forward": {present, previous}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kit.TakeSlot(t, kit.IsolatedSlots)
			first, second := kit.Shared.Of(order[0]), kit.Shared.Of(order[1])
			u := &upgrade{IsolatedStack: kit.NewIsolatedStackOn(t, first), balancer: newBalancer(t)}
			u.open()
			u.begin()
			u.mixed("the first version alone")
			u.change(second)
			u.change(first)
			u.rest()
			u.decideAll()
			u.check()
			require.Empty(t, u.balancer.failed(), "requests failed")
			u.AtRest(kit.WhileAway...) // work that is cut off by the end of a process begins again
			t.Logf("%s: %s", name, u.counts())
			u.replay(root, source)
		})
	}
}

// builtPrevious returns the program of the version that deploy/previous names, and its source. A shallow
// clone has not its commit: there the latest one is built a second time, and stands for it.
func builtPrevious(t *testing.T) (binary, source string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "deploy", "previous"))
	require.NoError(t, err)
	commit := strings.TrimSpace(string(text))
	if exec.CommandContext(t.Context(), "git", "-C", root, "cat-file", "-e", commit).Run() != nil {
		commit = "HEAD"
	}
	source = t.TempDir()
	archive := filepath.Join(t.TempDir(), "source.tar")
	command(t, root, "git", "archive", "--output="+archive, commit)
	command(t, source, "tar", "-xf", archive)
	binary = filepath.Join(t.TempDir(), "redline")
	command(t, source, "go", "build", "-ldflags", "-s -w", "-o", binary, "./cmd/redline")
	require.NoError(t, os.Symlink(stack.Dev(kit.Shared.Binary), stack.Dev(binary)))
	return binary, source
}

// command runs a program in a folder.
func command(t *testing.T, folder, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	output, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s %v: %s", name, args, output)
}

// open starts the first version, makes customers and lets executions wait.
func (u *upgrade) open() {
	u.T.Helper()
	u.start()
	u.balancer.use(u.faces...)
	env := kit.NewWorkspaceAt(u.T, u.balancer.url)
	env.Database, env.Trusted = u.DatabaseURL, u.Trusted
	// Answers of the other version are held against its own document where it is tested.
	plain := &http.Client{}
	env.Owner.HTTP, env.Keyed.HTTP = plain, plain
	u.customers = newCustomers(env, func() *kit.Env { return env }, false)
	for range longest {
		u.waiting = append(u.waiting, u.book.Add(kit.Dispatch(env, u.definition, kit.WithReceiver(env, "/events"))))
	}
	for _, r := range u.waiting {
		r.WaitsAt("review")
	}
}

// start starts a process of the interface and a worker of the current version.
func (u *upgrade) start() {
	u.T.Helper()
	// For so long a process serves after it was asked to end: a request may be on its way to it.
	u.faces = append(u.faces, u.StartProcess("api", "REDLINE_SHUTDOWN_DELAY=2s"))
	u.workers = append(u.workers, u.StartProcess("worker"))
}

// mixed waits until customers have been answered often enough by the processes that run.
func (u *upgrade) mixed(with string) {
	u.T.Helper()
	target := u.answers.Load() + inEachMix
	kit.RequireWithin(u.T, kit.Recovery, "customers work with "+with, func() bool { return u.T.Failed() || u.answers.Load() >= target })
	require.False(u.T, u.T.Failed(), with)
}

// change migrates to a version and replaces all processes by those of it, one after the other.
func (u *upgrade) change(to *stack.Stack) {
	u.T.Helper()
	u.Stack = to
	_, err := u.Run(u.T.Context(), "migrate")
	require.NoError(u.T, err)
	face, worker := u.faces[0], u.workers[0]
	u.start()
	u.faces, u.workers = u.faces[1:], u.workers[1:]
	u.balancer.use(face, u.faces[0])
	u.mixed("both versions")
	u.balancer.use(u.faces[0])
	require.NoError(u.T, face.Stop())
	u.mixed("the interface of one and both workers")
	require.NoError(u.T, worker.Stop())
	u.waiting[0].Decide("review", "ann", "approve")
	u.waiting = u.waiting[1:]
	u.mixed("the other version alone")
}

// decideAll lets those end that have waited since the beginning.
func (u *upgrade) decideAll() {
	u.T.Helper()
	for _, r := range u.waiting {
		require.True(u.T, r.Decide("review", "ann", "approve").ResumeScheduled)
	}
}

// replay runs the code of both versions over the histories of all runs.
func (u *upgrade) replay(sources ...string) {
	u.T.Helper()
	o, folder := kit.TemporalClientAt(u.T, u.Stack, u.Namespace), u.T.TempDir()
	runs := o.Search("")
	require.Greater(u.T, len(runs), longest)
	for n, info := range runs {
		of := info.GetExecution()
		events, whole := o.GetWorkflowHistory(u.T.Context(), of.GetWorkflowId(), of.GetRunId(), false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT), &historypb.History{}
		for events.HasNext() {
			event, err := events.Next()
			require.NoError(u.T, err)
			whole.Events = append(whole.Events, event)
		}
		text, err := protojson.Marshal(whole)
		require.NoError(u.T, err)
		require.NoError(u.T, os.WriteFile(filepath.Join(folder, fmt.Sprint("together-", n, ".json")), text, 0o600))
	}
	for _, source := range sources {
		replayed := exec.CommandContext(u.T.Context(), "go", "test", "./workflows", "-count=1", "-v", "-run", "^TestRecordedHistoriesReplay$")
		replayed.Dir, replayed.Env = source, append(os.Environ(), "REDLINE_TEST_HISTORIES="+folder)
		output, err := replayed.CombinedOutput()
		require.NoError(u.T, err, "%s", output)
		require.Equal(u.T, len(runs), strings.Count(string(output), "--- PASS: TestRecordedHistoriesReplay/together-"))
	}
	u.T.Logf("%d histories replayed by both", len(runs))
}

// balancer sends each request to one of the processes in turn, as what stands before a service
// does, and keeps those that fail.
type balancer struct {
	url string

	mu       sync.Mutex
	turn     int
	bases    []*url.URL
	failures []string
}

func newBalancer(t *testing.T) *balancer {
	t.Helper()
	b := &balancer{}
	server := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(b.next()) },
		ModifyResponse: func(answer *http.Response) error {
			if answer.StatusCode >= http.StatusInternalServerError {
				b.note(answer.Request, strconv.Itoa(answer.StatusCode))
			}
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			b.note(r, err.Error())
			w.WriteHeader(http.StatusBadGateway)
		},
	})
	t.Cleanup(server.Close)
	b.url = server.URL
	return b
}

// use sends requests to these processes from now on.
func (b *balancer) use(services ...*stack.Service) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.bases = nil
	for _, service := range services {
		base, err := url.Parse(service.URL)
		if err != nil {
			b.failures = append(b.failures, err.Error())
		}
		b.bases = append(b.bases, base)
	}
}

func (b *balancer) next() *url.URL {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn++
	return b.bases[b.turn%len(b.bases)]
}

func (b *balancer) note(r *http.Request, what string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = append(b.failures, r.URL.Path+": "+what)
}

// failed are the requests that failed.
func (b *balancer) failed() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.failures)
}
