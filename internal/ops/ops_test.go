package ops_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/ops"
	"github.com/redline-svc/redline/internal/telemetry"
)

func get(s *ops.Server, path string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8081"+path, nil))
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

func written() ([]byte, error) { return []byte(`{"openapi":"3.1.0"}`), nil }

func TestPages(t *testing.T) {
	s := ops.New(ops.Options{Metrics: telemetry.NewMetrics(), Document: written, Pprof: true})
	for path, code := range map[string]int{
		"/healthz": 200, "/metrics": 200, "/openapi.json": 200, "/reference/": 200, "/reference": 307, "/": 302, "/debug/pprof/": 200, "/nothing": 404,
	} {
		require.Equal(t, code, get(s, path).Code, path)
	}
	bare := ops.New(ops.Options{Metrics: telemetry.NewMetrics()})
	for _, path := range []string{"/reference/", "/openapi.json", "/debug/pprof/"} {
		require.Equal(t, http.StatusNotFound, get(bare, path).Code, path)
	}
}

// The page fetches nothing but its own document and what is in the binary.
func TestReferenceNeedsNoNetwork(t *testing.T) {
	s := ops.New(ops.Options{Metrics: telemetry.NewMetrics(), Document: written})
	w := get(s, "/reference/")
	require.Empty(t, regexp.MustCompile(`(?i)(https?:)?//[a-z0-9-]+\.[a-z]`).FindAllString(w.Body.String(), -1))
	require.Contains(t, w.Header().Get("Content-Security-Policy"), "default-src 'none'")
	fetched := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(w.Body.String(), -1)
	require.Len(t, fetched, 5)
	for _, asset := range fetched {
		require.Equal(t, http.StatusOK, get(s, asset[1]).Code, asset[1])
	}
}

func TestOperationsAreTriedThroughThisListener(t *testing.T) {
	var asked []string
	face := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		assert.Empty(t, r.Header.Get("Origin"))
		w.WriteHeader(http.StatusAccepted)
	})
	s := ops.New(ops.Options{Metrics: telemetry.NewMetrics(), Document: written, Interface: face})
	post := func(s *ops.Server, headers ...string) int {
		r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:8081/v2/a/b", nil)
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		return w.Code
	}
	require.Equal(t, http.StatusAccepted, post(s, "Sec-Fetch-Site", "same-origin", "Origin", "http://127.0.0.1:8081"))
	require.Equal(t, http.StatusForbidden, post(s, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"))
	require.Equal(t, http.StatusForbidden, post(s, "Origin", "https://evil.example"))
	require.Equal(t, []string{"/v2/a/b"}, asked)
	require.Contains(t, get(s, "/reference/").Body.String(), `supportedSubmitMethods: ["post"]`)

	read := ops.New(ops.Options{Metrics: telemetry.NewMetrics(), Document: written})
	require.Equal(t, http.StatusNotFound, post(read))
	require.Contains(t, get(read, "/reference/").Body.String(), "supportedSubmitMethods: []")
}

func TestTheListenerAnswersToItsOwnNames(t *testing.T) {
	s := ops.New(ops.Options{Metrics: telemetry.NewMetrics(), Hosts: []string{"redline.ops.test"}})
	for host, code := range map[string]int{
		"127.0.0.1:8081": 200, "127.0.0.1": 200, "10.1.2.3:8081": 200, "[::1]:8081": 200, "[::1]": 200,
		"localhost:8081": 200, "LOCALHOST": 200, "localhost.": 200, "redline.ops.test:8081": 200, "Redline.Ops.Test": 200,
		"evil.test": 421, "evil.test:8081": 421, "localhost.evil.test": 421, "127.0.0.1.evil.test": 421, "redline.ops.test.evil.test": 421,
	} {
		r := httptest.NewRequest(http.MethodGet, "/healthz", nil)
		r.Host = host
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		require.Equal(t, code, w.Code, host)
	}
	listener := s.Listener()
	for name, limit := range map[string]time.Duration{
		"headers": listener.ReadHeaderTimeout, "request": listener.ReadTimeout, "answer": listener.WriteTimeout, "idle": listener.IdleTimeout,
	} {
		require.Positive(t, limit, name)
	}
}
