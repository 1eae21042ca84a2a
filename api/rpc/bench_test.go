package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/workspace"
)

// The operations of these tests.

type greet struct {
	Name string       `json:"name" minLength:"1" maxLength:"10"`
	From int          `json:"from,omitempty"`
	To   int          `json:"to,omitempty"`
	Free shape.Object `json:"free,omitempty"`
}

func (g *greet) Validate() []fault.Issue {
	if g.Name == "twofold" || g.From > g.To {
		return []fault.Issue{{Code: shape.Conflict, Path: []string{"from"}, Message: "must not be above to"}, {Code: shape.Conflict, Path: []string{"name"}, Message: "conflicts"}}
	}
	return nil
}

type greeting struct {
	Text  string           `json:"text"`
	Free  shape.Object     `json:"free,omitempty"`
	Other *greeting        `json:"other"`
	Who   workspace.Caller `json:"who"`
}

func hello(ctx context.Context, g *greet) (*greeting, error) {
	SetHeader(ctx, "X-Svc-Unknown-Event-Types", g.Name)
	return &greeting{Text: "<" + g.Name + ">", Free: g.Free, Who: CallerFrom(ctx)}, nil
}

type rawGreet struct{ RawData }

type nothing struct{}

type failing struct {
	With string `json:"with"`
}

// fail answers with the error that its caller names.
func fail(ctx context.Context, f *failing) (*nothing, error) {
	if f.With == "panic" {
		panic("secret detail")
	}
	if f.With == "slow" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, failures[f.With]
}

var failures = map[string]error{
	"INVALID_ARGUMENT":    fault.InvalidReason("odd", "odd"),
	"FAILED_PRECONDITION": fault.FailedPrecondition("wrong-state", "no"),
	"UNAUTHENTICATED":     fault.Unauthenticated(),
	"PERMISSION_DENIED":   fault.PermissionDenied("plan-required", "no"),
	"NOT_FOUND":           fault.NotFound("thing"),
	"ALREADY_EXISTS":      fault.AlreadyExists("thing-exists", "there"),
	"ABORTED":             fault.Aborted("in-progress", "busy"),
	"RESOURCE_EXHAUSTED":  fault.ResourceExhausted("quota", "full", 0),
	"INTERNAL":            errors.New("password=hunter2"),
	"UNAVAILABLE":         fault.Unavailable(errors.New("host db.internal")),
	"DEADLINE_EXCEEDED":   fault.DeadlineExceeded(errors.New("commit")),
}

func testRoutes() []Route {
	example := Example(`{"name":"ann"}`, `{"text":"<ann>","other":null,"who":{"WorkspaceID":"","APIKeyID":"","IP":"","RequestID":"","Operation":""}}`)
	return []Route{
		Post("/v2/test/strict", hello, Strict(), Public(), Summary("Say hello"), example),
		Post("/v2/test/loose", hello, Public(), example),
		Post("/v2/test/keyed", hello, example),
		Post("/v2/test/owned", hello, Workspace(), example),
		Post("/v2/test/small", hello, Public(), BodyLimit(64), example),
		Post("/v2/test/fail", fail, Public(), Example(`{"with":"x"}`, `{}`)),
		Post("/v2/test/raw", func(_ context.Context, r *rawGreet) (*json.RawMessage, error) {
			return &r.Data, nil
		}, Public(), Documents[greet](), Example(`{"name":"ann"}`, `{}`)),
	}
}

// fakes of what a server needs.

type fakeCredentials struct{}

func (fakeCredentials) Key(_ context.Context, key, token string) (workspace.Caller, error) {
	return known(key, token, workspace.Caller{WorkspaceID: "ws_1", APIKeyID: key})
}

func (fakeCredentials) Workspace(_ context.Context, id, token string) (workspace.Caller, error) {
	return known(id, token, workspace.Caller{WorkspaceID: id})
}

func known(id, token string, caller workspace.Caller) (workspace.Caller, error) {
	switch {
	case id == "ak_suspended":
		return caller, fault.PermissionDenied("suspended", "suspended")
	case id == "ak_away":
		return workspace.Caller{}, fault.Unavailable(errors.New("down"))
	case token != "good-"+id:
		return workspace.Caller{}, fault.Unauthenticated()
	}
	return caller, nil
}

// fakeLimiter refuses the subjects in refuse and remembers what it was asked.
type fakeLimiter struct {
	refuse map[string]bool
	mu     sync.Mutex
	asked  []string
}

func (f *fakeLimiter) Take(_ context.Context, class limit.Class, subject, workspaceID string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, string(class)+"/"+subject+"/"+workspaceID)
	if f.refuse[subject] {
		return fault.ResourceExhausted("rate-limit", "slow down", 1200*time.Millisecond)
	}
	return nil
}

func (f *fakeLimiter) Weigh(_ context.Context, class limit.Class, subject, _ string, more int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, fmt.Sprint("more ", class, "/", subject, " ", more))
	return nil
}

func (f *fakeLimiter) GiveBack(class limit.Class, subject, _ string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked = append(f.asked, "back "+string(class)+"/"+subject)
}

// bench is a server under test.
type bench struct {
	*Server
	limiter *fakeLimiter
	log     *bytes.Buffer
}

func newBench(t testing.TB, change ...func(*Options)) *bench {
	t.Helper()
	return newFileBench(t, nil, change...)
}

// newFileBench makes a bench that serves files too.
func newFileBench(t testing.TB, files []Route, change ...func(*Options)) *bench {
	t.Helper()
	b := &bench{limiter: &fakeLimiter{refuse: map[string]bool{}}, log: &bytes.Buffer{}}
	o := Options{
		Credentials: fakeCredentials{}, Limiter: b.limiter, Telemetry: telemetry.NewMetrics(),
		Log: telemetry.NewLogger(b.log, slog.LevelInfo, "test"), PublicURL: "http://127.0.0.1:8080",
	}
	for _, fn := range change {
		fn(&o)
	}
	server, err := NewServer(o, append(testRoutes(), files...))
	require.NoError(t, err)
	b.Server = server
	return b
}

// reply is an answer taken apart.
type reply struct {
	*httptest.ResponseRecorder
	Result json.RawMessage `json:"result"`
	Error  *problem        `json:"error"`
}

func (b *bench) do(t testing.TB, method, path, body string, headers ...string) reply {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.RemoteAddr = "192.0.2.7:1234"
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	got := reply{ResponseRecorder: httptest.NewRecorder()}
	b.ServeHTTP(got, r)
	if got.Body.Len() > 0 {
		require.NoError(t, json.Unmarshal(got.Body.Bytes(), &got), got.Body.String())
	}
	require.Equal(t, "no-store", got.Header().Get("Cache-Control"))
	require.Equal(t, "nosniff", got.Header().Get("X-Content-Type-Options"))
	require.NotEmpty(t, got.Header().Get("X-Request-Id"))
	return got
}

func (b *bench) post(t testing.TB, path, body string, headers ...string) reply {
	t.Helper()
	return b.do(t, http.MethodPost, path, body, headers...)
}
