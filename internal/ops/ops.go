package ops

import (
	_ "embed"
	"encoding/json"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"

	"github.com/redline-svc/redline/internal/telemetry"
)

//go:embed reference.html
var reference []byte

// Options are what a Server is given.
type Options struct {
	Metrics *telemetry.Metrics
	Probes  []Probe
	// Document is the OpenAPI document; nil in a process without the interface.
	Document []byte
	Pprof    bool
}

// Server answers on the operations listener.
type Server struct {
	metrics  *telemetry.Metrics
	probes   []Probe
	stopping atomic.Bool
	mux      *http.ServeMux
}

// New makes the server.
func New(o Options) *Server {
	s := &Server{metrics: o.Metrics, probes: o.Probes, mux: http.NewServeMux()}
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]string{"status": "alive", "version": telemetry.Version()})
	})
	s.mux.HandleFunc("GET /readyz", s.ready)
	s.mux.Handle("GET /metrics", o.Metrics.Handler())
	if o.Document != nil {
		s.mux.HandleFunc("GET /openapi.json", fixed("application/json", o.Document))
		s.mux.HandleFunc("GET /reference", fixed("text/html; charset=utf-8", reference))
		s.mux.Handle("GET /{$}", http.RedirectHandler("/reference", http.StatusFound))
	}
	if o.Pprof {
		s.mux.HandleFunc("GET /debug/pprof/", pprof.Index)
		s.mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
		s.mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
		s.mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
		s.mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	}
	return s
}

// Stopping makes the process unready from now on.
func (s *Server) Stopping() { s.stopping.Store(true) }

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// headerTime is how long a client may take to send its headers.
const headerTime = 5 * time.Second

// Listener gives the operations listener's server. Profiles take as long as
// they are asked to, so answers have no limit.
func (s *Server) Listener() *http.Server {
	return &http.Server{Handler: s, ReadHeaderTimeout: headerTime}
}

// policy keeps the page to itself: its own inline script and style, its own
// document, nothing from elsewhere.
const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'"

func fixed(kind string, content []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(content) // a client that is gone is no fault of ours
	}
}

func writeJSON(w http.ResponseWriter, code int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(value) //nolint:errchkjson // as above; the values are of this package
}
