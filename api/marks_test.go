package api

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/telemetry"
)

// mark stands in every text that a caller sends: in bodies, in credentials and
// in the query of the address.
const mark = "mark7f3a"

// marked puts the mark into every text of a JSON value.
func marked(value any) any {
	switch v := value.(type) {
	case string:
		return mark + v
	case []any:
		for i := range v {
			v[i] = marked(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = marked(v[name])
		}
	}
	return value
}

// Nothing that a caller sends is found in logs or metrics, whichever operation
// it calls and whether it succeeds.
func TestNothingOfARequestIsLogged(t *testing.T) {
	var log bytes.Buffer
	metrics := telemetry.NewMetrics()
	routes := Routes(Handlers{})
	server, err := newServer(Options{
		Credentials: fakeCredentials{}, Limiter: &fakeLimiter{}, Telemetry: metrics,
		Log: telemetry.NewLogger(&log, slog.LevelDebug, "test"), PublicURL: "http://127.0.0.1:8080",
	}, routes, playedResult)
	require.NoError(t, err)
	for i := range routes {
		var data any
		require.NoError(t, json.Unmarshal(routes[i].examples[0].data, &data))
		plain, err := json.Marshal(map[string]any{"data": data})
		require.NoError(t, err)
		spoilt, err := json.Marshal(map[string]any{"data": marked(data), mark: 1})
		require.NoError(t, err)
		for _, body := range [][]byte{plain, spoilt, []byte(mark)} {
			for _, token := range []string{"good-x", mark} {
				r := httptest.NewRequest(http.MethodPost, routes[i].Path+"?"+mark, bytes.NewReader(body))
				for _, name := range []string{headerAPIKey, headerWorkspaceID} {
					r.Header.Set(name, "x")
				}
				for _, name := range []string{headerAuthToken, headerWorkspaceToken} {
					r.Header.Set(name, token)
				}
				server.ServeHTTP(httptest.NewRecorder(), r)
			}
		}
	}
	require.Equal(t, len(routes)*6, strings.Count(log.String(), `"msg":"request"`))
	require.NotContains(t, log.String(), mark)
	w := httptest.NewRecorder()
	metrics.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	require.Contains(t, w.Body.String(), routes[0].Path)
	require.NotContains(t, w.Body.String(), mark)
}
