package platform

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	otlp "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// traces is a collector of traces: the names of the spans of each, and of those that are linked to it.
type traces struct {
	mu    sync.Mutex
	spans map[string]map[string]bool
}

// ServeHTTP takes spans as OTLP sends them over HTTP.
func (c *traces) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var sent otlp.ExportTraceServiceRequest
	body, err := io.ReadAll(r.Body)
	if err != nil || proto.Unmarshal(body, &sent) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, resource := range sent.GetResourceSpans() {
		for _, scope := range resource.GetScopeSpans() {
			for _, span := range scope.GetSpans() {
				c.add(string(span.GetTraceId()), span.GetName())
				for _, link := range span.GetLinks() {
					c.add(string(link.GetTraceId()), span.GetName())
				}
			}
		}
	}
}

func (c *traces) add(traceID, name string) {
	if c.spans[traceID] == nil {
		c.spans[traceID] = map[string]bool{}
	}
	c.spans[traceID][name] = true
}

// together reports whether one trace has spans of both names.
func (c *traces) together(call, work string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, names := range c.spans {
		if names[call] && names[work] {
			return true
		}
	}
	return false
}

// What a call leaves to a worker is part of its trace, whatever the worker does.
func TestTraces_OfACallHoldTheWorkThatFollows(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	collected := &traces{spans: map[string]map[string]bool{}}
	server := httptest.NewServer(collected)
	t.Cleanup(server.Close)
	settings := []string{"REDLINE_OTLP_ENDPOINT=" + server.URL, "REDLINE_TRACE_RATIO=1"}
	env := kit.Hooked(isolated.NewWorkspace(isolated.StartProcess("api", settings...)))
	isolated.StartProcess("worker", settings...)
	kit.MailBy(env, map[string]any{})
	kit.EndpointAt(env, "/endpoint")

	r := kit.Dispatch(env, kit.Instant(env), kit.WithReceiver(env, "/receiver"))
	kit.Mention(env, "bob", kit.Mailbox())
	kit.Fill(env, "draft", 1)
	kit.Migrated(env, kit.Migrates(env, "draft", "final"))
	kit.Record(env, kit.Verdict("ann", "approve"))
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	r.Ends("completed")

	for _, follows := range []struct{ call, work string }{
		{client.StartExecution, "RunWorkflow:Execution"},
		{client.StartExecution, "attempt receiver"},
		{client.StartExecution, "attempt endpoint"},
		{client.AddAnnotations, "attempt endpoint"},
		{client.AddAnnotations, "attempt mail"},
		{client.Migrate, "RunActivity:job.work"},
		{client.Ingest, "RunActivity:ingestion.stage"},
		{client.RecordJudgments, "batch judgment"},
	} {
		kit.RequireEventually(t, follows.work+" is part of the trace of "+follows.call, func() bool {
			return collected.together("/v2/"+follows.call, follows.work)
		})
	}
	require.False(t, collected.together("/v2/"+client.Ingest, "RunActivity:job.work"), "each call has a trace of its own")
}
