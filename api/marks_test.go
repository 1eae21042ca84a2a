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
	routes := operations()
	server := replay(t, routes, metrics, telemetry.NewLogger(&log, slog.LevelDebug, "test"))
	for i := range routes {
		var data any
		require.NoError(t, json.Unmarshal(routes[i].Examples[0].Data, &data))
		plain, err := json.Marshal(map[string]any{"data": data})
		require.NoError(t, err)
		spoilt, err := json.Marshal(map[string]any{"data": marked(data), mark: 1})
		require.NoError(t, err)
		for _, body := range [][]byte{plain, spoilt, []byte(mark)} {
			for _, token := range []string{goodToken, mark} {
				r := httptest.NewRequest(http.MethodPost, routes[i].Path+"?"+mark, bytes.NewReader(body))
				setCredentials(r, token)
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
