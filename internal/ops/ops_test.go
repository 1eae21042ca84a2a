package ops_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/ops"
	"github.com/redline-svc/redline/internal/telemetry"
)

func get(s *ops.Server, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func probe(name string, required bool, err error) ops.Probe {
	return ops.Probe{Name: name, Required: required, Look: func(context.Context) error { return err }}
}

func TestReadiness(t *testing.T) {
	down := errors.New("no answer")
	cases := []struct {
		name   string
		probes []ops.Probe
		stop   bool
		code   int
		status string
	}{
		{"all up", []ops.Probe{probe("postgres", true, nil), probe("weaviate", false, nil)}, false, 200, "ready"},
		{"an optional part away", []ops.Probe{probe("weaviate", false, down), probe("postgres", true, nil)}, false, 200, "degraded"},
		{"a required part away", []ops.Probe{probe("postgres", true, down), probe("weaviate", false, down)}, false, 503, "unready"},
		{"stopping", []ops.Probe{probe("postgres", true, nil)}, true, 503, "unready"},
		{"nothing used", nil, false, 200, "ready"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := ops.New(ops.Options{Metrics: telemetry.NewMetrics(), Probes: c.probes})
			if c.stop {
				s.Stopping()
			}
			w := get(s, "/readyz")
			require.Equal(t, c.code, w.Code)
			var answer struct {
				Status       string
				Dependencies map[string]struct{ Status, Error string }
			}
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
			require.Equal(t, c.status, answer.Status)
			require.Len(t, answer.Dependencies, len(c.probes))
			if c.status == "degraded" {
				require.Equal(t, "down", answer.Dependencies["weaviate"].Status)
				require.Equal(t, "no answer", answer.Dependencies["weaviate"].Error)
				require.Contains(t, get(s, "/metrics").Body.String(), `redline_dependency_up{name="weaviate"} 0`)
			}
		})
	}
}

func TestPages(t *testing.T) {
	s := ops.New(ops.Options{Metrics: telemetry.NewMetrics(), Document: []byte(`{"openapi":"3.1.0"}`), Pprof: true})
	for path, code := range map[string]int{
		"/healthz": 200, "/metrics": 200, "/openapi.json": 200, "/reference": 200, "/": 302, "/debug/pprof/": 200, "/nothing": 404,
	} {
		require.Equal(t, code, get(s, path).Code, path)
	}
	bare := ops.New(ops.Options{Metrics: telemetry.NewMetrics()})
	for _, path := range []string{"/reference", "/openapi.json", "/debug/pprof/"} {
		require.Equal(t, http.StatusNotFound, get(bare, path).Code, path)
	}
}

// The page fetches nothing but its own document.
func TestReferenceNeedsNoNetwork(t *testing.T) {
	s := ops.New(ops.Options{Metrics: telemetry.NewMetrics(), Document: []byte(`{}`)})
	w := get(s, "/reference")
	require.Empty(t, regexp.MustCompile(`(?i)(https?:)?//[a-z0-9-]+\.[a-z]|src=|<link`).FindAllString(w.Body.String(), -1))
	require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
}
