package rpc

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/workspace"
)

// byToken is the body of somebody who proves to know the token of a step.
const byToken = "by token"

// afterAll is the body of somebody who is counted, and then finds the workspace busy.
const afterAll = "busy after all"

// rawBench answers raw requests as their body says: with an error of that name, or
// with what it was. The limiter refuses the subjects.
func rawBench(t *testing.T, refuse ...string) *bench {
	t.Helper()
	b := newFileBench(t, []Route{Raw("/v2/test/outside", func(ctx context.Context, r *RawRequest) (*RawAnswer, error) {
		if err := failures[string(r.Body)]; err != nil {
			return nil, err
		}
		caller := workspace.Caller{WorkspaceID: "ws_1", APIKeyID: "ak_1"}
		if string(r.Body) == byToken {
			caller = workspace.Caller{WorkspaceID: "ws_1", StepID: "step_1"}
		}
		if err := r.Admit(ctx, caller); err != nil {
			return nil, err
		}
		if string(r.Body) == afterAll {
			return nil, fault.Busy()
		}
		return &RawAnswer{Code: http.StatusOK, Body: map[string]any{"ok": true, "bytes": len(r.Body), "who": CallerFrom(ctx).APIKeyID}}, nil
	}, BodyLimit(64))})
	for _, subject := range refuse {
		b.limiter.refuse[subject] = true
	}
	return b
}

func outside(handler http.Handler, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v2/test/outside?x=1", strings.NewReader(body)))
	return w
}

func TestRawRequestsAreAnsweredWithoutAnEnvelope(t *testing.T) {
	handler := rawBench(t)
	answer := outside(handler, `no JSON`)
	require.Equal(t, http.StatusOK, answer.Code)
	require.JSONEq(t, `{"ok":true,"bytes":7,"who":"ak_1"}`, answer.Body.String())
	require.Equal(t, "application/json", answer.Header().Get("Content-Type"))
	require.NotEmpty(t, answer.Header().Get("X-Request-Id"))
}

func TestARawRequestThatIsBusyAfterAllIsNotCounted(t *testing.T) {
	b := rawBench(t)
	require.Equal(t, http.StatusTooManyRequests, outside(b, afterAll).Code)
	require.Equal(t, []string{"key/ak_1/ws_1", "back key/ak_1"}, b.limiter.asked)
}

// Until a process may serve, every kind of request is refused before anything is counted or run.
func TestNobodyIsAnsweredBeforeTheProcessServes(t *testing.T) {
	shut := fault.Unavailable(errors.New("run redline migrate"))
	serving := func(context.Context) error { return shut }
	b, file := serveFile(t, holding("0123456789"), func(o *Options) { o.Serving = serving })
	raw := rawBench(t)
	raw.serving = serving
	ask := func() (answers []*httptest.ResponseRecorder) {
		return append(answers, b.post(t, "/v2/test/strict", `{"data":{"name":"ann"}}`).ResponseRecorder, fetch(b, file), outside(raw, "x"))
	}
	for _, answer := range ask() {
		require.Equal(t, http.StatusServiceUnavailable, answer.Code)
		require.Equal(t, "1", answer.Header().Get("Retry-After"))
	}
	require.Empty(t, append(b.limiter.asked, raw.limiter.asked...))
	serving = func(context.Context) error { return nil }
	b.serving, raw.serving = serving, serving
	for _, answer := range ask() {
		require.Equal(t, http.StatusOK, answer.Code)
	}
}

func TestRefusalsOfRawRequests(t *testing.T) {
	handler := rawBench(t)
	for name, want := range map[string]struct {
		code int
		word string
		wait string
	}{
		"INVALID_ARGUMENT": {400, "invalid-body", ""}, "UNAUTHENTICATED": {401, "unauthenticated", ""}, "NOT_FOUND": {401, "unauthenticated", ""},
		"PERMISSION_DENIED": {401, "unauthenticated", ""}, "FAILED_PRECONDITION": {401, "unauthenticated", ""},
		"RESOURCE_EXHAUSTED": {429, "rate-limited", "60"}, "UNAVAILABLE": {503, "unavailable", "1"}, "DEADLINE_EXCEEDED": {503, "unavailable", "1"},
		"INTERNAL": {500, "internal", ""}, strings.Repeat("x", 65): {413, "body-too-large", ""},
	} {
		answer := outside(handler, name)
		require.Equal(t, want.code, answer.Code, name)
		require.Equal(t, `{"ok":false,"code":"`+want.word+`"}`, answer.Body.String(), name)
		require.Equal(t, want.wait, answer.Header().Get("Retry-After"), name)
	}
}

func TestRawRequestsAreCountedUnderTheKeyAndStrangersUnderTheirAddress(t *testing.T) {
	handler := rawBench(t, "ak_1")
	require.Equal(t, http.StatusTooManyRequests, outside(handler, "x").Code)
	require.Equal(t, http.StatusUnauthorized, outside(handler, "UNAUTHENTICATED").Code)
	handler = rawBench(t, "192.0.2.1")
	require.Equal(t, http.StatusOK, outside(handler, "x").Code)
	require.Equal(t, http.StatusTooManyRequests, outside(handler, "UNAUTHENTICATED").Code)
}

// Callers with a token have no key: one bucket for all of them would let those of one
// workspace use up that of all others.
func TestRawRequestsWithATokenAreCountedUnderItsStep(t *testing.T) {
	require.Equal(t, http.StatusTooManyRequests, outside(rawBench(t, "step_1"), byToken).Code)
	require.Equal(t, http.StatusOK, outside(rawBench(t, "", "ak_1", "step_2"), byToken).Code)
}

// A cause is for the log alone.
func TestARawRefusalHidesItsCause(t *testing.T) {
	require.NotContains(t, outside(rawBench(t), "INTERNAL").Body.String(), "hunter2")
	require.True(t, unproved(fault.NotFound("thing")))
	require.False(t, unproved(errors.New("password=hunter2")))
}
