package mcp

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
)

const key = "a-key-of-some-length"

func TestOnlyWhoHasTheKeyComesIn(t *testing.T) {
	client, err := redline.New(redline.WithBaseURL("http://redline.invalid"))
	require.NoError(t, err)
	handler, err := Handler(New(Options{Client: client}), Door{Key: key, Hosts: []string{"agents.test"}, Origins: []string{"https://pages.test"}})
	require.NoError(t, err)
	for _, each := range []struct {
		name, host, origin, key string
		want                    int
	}{
		{"the key", "127.0.0.1:8090", "", key, http.StatusOK},
		{"a name of its own", "agents.test", "", key, http.StatusOK},
		{"a page that may", "[::1]:8090", "https://pages.test", key, http.StatusOK},
		{"no key", "localhost:8090", "", "", http.StatusUnauthorized},
		{"another key", "localhost", "", key + "!", http.StatusUnauthorized},
		{"a name of somebody else's", "evil.test:8090", "", key, http.StatusForbidden},
		{"no name", "", "", key, http.StatusForbidden},
		{"a page of somebody else's", "localhost:8090", "https://evil.test", key, http.StatusForbidden},
	} {
		t.Run(each.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`))
			r.Host = each.host
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if each.origin != "" {
				r.Header.Set("Origin", each.origin)
			}
			if each.key != "" {
				r.Header.Set("Authorization", "Bearer "+each.key)
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			require.Equal(t, each.want, w.Code, w.Body)
		})
	}
	for _, none := range []string{"", "short", "a key of some length"} {
		_, err = Handler(New(Options{Client: client}), Door{Key: none})
		require.Error(t, err)
	}
	_, err = Handler(New(Options{Client: client}), Door{Key: key, Origins: []string{"pages.test"}})
	require.Error(t, err)
}
