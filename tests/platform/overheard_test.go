package platform

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// sink keeps bytes of many senders.
type sink struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *sink) add(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(text)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// collector plays an OTLP collector and keeps what it is sent.
func collector(t *testing.T) (*httptest.Server, *sink) {
	t.Helper()
	kept := &sink{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			kept.add(body)
		}
	}))
	t.Cleanup(server.Close)
	return server, kept
}

// temporalMethods are the calls whose contents end in histories and in the
// Temporal's visibility store.
var temporalMethods = []string{
	"StartWorkflowExecution", "SignalWithStartWorkflowExecution", "SignalWorkflowExecution", "UpdateWorkflowExecution",
	"RespondWorkflowTaskCompleted", "RespondWorkflowTaskFailed", "RespondActivityTaskCompleted", "RespondActivityTaskFailed",
	"RecordActivityTaskHeartbeat", "ExecuteMultiOperation",
}

// overheard is a service of which is kept whatever leaves it: its log, its metrics, its traces, and what Temporal is asked.
type overheard struct {
	*kit.IsolatedStack

	all           *stack.Service
	traced, heard *sink
}

// overhear starts one that says as much as it can.
func overhear(isolated *kit.IsolatedStack, settings ...string) *overheard {
	isolated.T.Helper()
	spans, traced := collector(isolated.T)
	o := &overheard{IsolatedStack: isolated, traced: traced, heard: &sink{}}
	for _, method := range temporalMethods {
		isolated.Temporal.HoldRequest(method, func(request []byte) bool {
			o.heard.add(request)
			return false
		})
	}
	settings = append(settings, kit.WithModel, "REDLINE_LOG_LEVEL=debug", "REDLINE_OTLP_ENDPOINT="+spans.URL, "REDLINE_TRACE_RATIO=1")
	o.all = isolated.StartProcess("serve", settings...)
	return o
}

// The places where something may be told.
const (
	theLog       = "the log"
	theMetrics   = "the metrics"
	theTraces    = "the traces"
	theHistories = "the histories"
)

// stop ends the service and returns what has been told, by where.
func (o *overheard) stop() map[string]string {
	t := o.T
	t.Helper()
	metrics, err := client.Public(o.all.Ops).Do(t.Context(), http.MethodGet, "/metrics", nil, nil)
	require.NoError(t, err)
	require.NoError(t, o.all.Stop())
	log, err := os.ReadFile(o.all.Log)
	require.NoError(t, err)
	told := map[string]string{theLog: string(log), theMetrics: string(metrics.Body), theTraces: o.traced.String(), theHistories: o.heard.String()}
	for where, something := range map[string]string{
		theLog: "/v2/" + client.StartExecution, theMetrics: "redline_http_requests_total", theTraces: "/v2/" + client.StartExecution,
	} {
		require.Contains(t, told[where], something, "nothing is looked through")
	}
	return told
}

// tellsNone proves that what was told, by where, has none of the values.
func tellsNone(t *testing.T, told map[string]string, values []string) {
	t.Helper()
	for where, text := range told {
		for _, value := range values {
			if at := strings.Index(text, value); at >= 0 {
				assert.Fail(t, "a value was told", "%s has it: %q", where, text[max(0, at-200):min(len(text), at+100)])
			}
		}
	}
}
