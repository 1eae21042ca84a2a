package rpc

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/workspace"
)

type fakeOrigins map[string]bool

func (f fakeOrigins) Allowed(_ context.Context, workspaceID, apiKeyID, host string) (bool, error) {
	return f[workspaceID+"/"+apiKeyID+"/"+host], nil
}

func TestBrowsersWithoutTheSetting(t *testing.T) {
	b := newBench(t)
	got := b.post(t, "/v2/test/loose", `{"data":{"name":"a"}}`, "Origin", "https://evil.example")
	require.Equal(t, http.StatusOK, got.Code, "the origin is not checked")
	require.Empty(t, got.Header().Get("Access-Control-Allow-Origin"))
	require.Equal(t, http.StatusNotFound, b.do(t, http.MethodOptions, "/v2/test/loose", "").Code)
}

func TestBrowsersWithTheSetting(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.Origins = fakeOrigins{
			"ws_1/ak_1/app.example.com": true, "ws_1/ak_1/localhost": true, "ws_1/ak_1/127.0.0.1": true, "ws_1/ak_1/::1": true,
		}
	})
	r := httptest.NewRequest(http.MethodOptions, "/v2/test/keyed", nil)
	r.Header.Set("Origin", "https://anything.example")
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	require.Equal(t, http.StatusNoContent, w.Code)
	require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
	require.Contains(t, w.Header().Get("Access-Control-Allow-Headers"), "x-svc-auth-token")
	require.Equal(t, http.StatusNotFound, b.do(t, http.MethodOptions, "/v2/test/nothing", "").Code)

	body := `{"data":{"name":"a"}}`
	key := []string{"X-Svc-Api-Key", "ak_1", "X-Svc-Auth-Token", "good-ak_1", "Origin"}
	got := b.post(t, "/v2/test/keyed", body, append(key, "https://app.example.com:8443")...)
	require.Equal(t, http.StatusOK, got.Code)
	require.Equal(t, "https://app.example.com:8443", got.Header().Get("Access-Control-Allow-Origin"))
	require.Empty(t, got.Header().Get("Access-Control-Allow-Credentials"))
	for _, origin := range []string{"https://evil.example", "null", "https://", "http://app.example.com", "ftp://app.example.com", "http://"} {
		got = b.post(t, "/v2/test/keyed", body, append(key, origin)...)
		require.Equal(t, http.StatusForbidden, got.Code, origin)
		require.Empty(t, got.Header().Get("Access-Control-Allow-Origin"))
	}
	for _, origin := range []string{"http://localhost:3000", "https://localhost", "http://127.0.0.1:3000", "http://[::1]:3000"} {
		require.Equal(t, http.StatusOK, b.post(t, "/v2/test/keyed", body, append(key, origin)...).Code, origin)
	}
	require.Equal(t, http.StatusOK, b.post(t, "/v2/test/keyed", body, key[:4]...).Code, "no page, nothing to check")
	require.Equal(t, http.StatusForbidden, b.post(t, "/v2/test/loose", body, "Origin", "https://app.example.com").Code, "no key, no domains")
}

// trail is an audit trail in memory.
type trail []workspace.Caller

func (l *trail) Refused(_ context.Context, caller workspace.Caller) error {
	*l = append(*l, caller)
	return nil
}

func TestRefusedOriginsAreInTheTrailOfAuditedOperations(t *testing.T) {
	kept := &trail{}
	audited := []Route{
		Post("/v2/workspace/keyed", hello), Post("/v2/workspace/owned", hello, Workspace()), Post("/v2/workspace/public", hello, Public()),
	}
	b := newFileBench(t, audited, func(o *Options) {
		o.Origins, o.Refusals = fakeOrigins{"ws_1/ak_1/app.example.com": true}, kept
	})
	credentials := []string{"X-Svc-Api-Key", "ak_1", "X-Svc-Auth-Token", "good-ak_1", "X-Svc-Workspace-Id", "ws_9", "X-Svc-Workspace-Auth-Token", "good-ws_9"}
	for _, call := range []struct {
		path, origin string
		code         int
	}{
		{"/v2/workspace/keyed", "https://app.example.com", http.StatusOK},
		{"/v2/workspace/keyed", "https://evil.example", http.StatusForbidden},
		{"/v2/workspace/owned", "https://app.example.com", http.StatusForbidden},
		{"/v2/workspace/public", "https://evil.example", http.StatusForbidden}, // nobody known
		{"/v2/test/keyed", "https://evil.example", http.StatusForbidden},       // not audited
	} {
		got := b.post(t, call.path, `{"data":{"name":"a"}}`, append(credentials, "Origin", call.origin)...)
		require.Equal(t, call.code, got.Code, call)
	}
	require.Len(t, *kept, 2)
	require.Equal(t, "ak_1", (*kept)[0].Actor())
	require.Equal(t, "/v2/workspace/keyed", (*kept)[0].Operation)
	require.Equal(t, "ws_9", (*kept)[1].Actor())
	asked := len(b.limiter.asked)
	b.post(t, "/v2/workspace/keyed", `{"data":{"name":"a"}}`, append(credentials, "Origin", "https://evil.example")...)
	require.Len(t, b.limiter.asked, asked+1, "a refused call counts once")
}
