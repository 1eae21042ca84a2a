package rpc

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
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
	b := newBench(t, func(o *Options) { o.Origins = fakeOrigins{"ws_1/ak_1/app.example.com": true} })
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
	for _, origin := range []string{"https://evil.example", "null", "https://"} {
		got = b.post(t, "/v2/test/keyed", body, append(key, origin)...)
		require.Equal(t, http.StatusForbidden, got.Code, origin)
		require.Empty(t, got.Header().Get("Access-Control-Allow-Origin"))
	}
	require.Equal(t, http.StatusOK, b.post(t, "/v2/test/keyed", body, key[:4]...).Code, "no page, nothing to check")
	require.Equal(t, http.StatusForbidden, b.post(t, "/v2/test/loose", body, "Origin", "https://app.example.com").Code, "no key, no domains")
}
