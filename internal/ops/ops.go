package ops

import (
	"encoding/json"
	"net/http"
	"net/http/pprof"
	"sync/atomic"
	"time"

	"github.com/redline-svc/redline/internal/telemetry"
)

// Options are what a Server is given.
type Options struct {
	Metrics *telemetry.Metrics
	Probes  []Probe
	// Document is the OpenAPI document; nil in a process without the interface.
	Document []byte
	// Interface answers the operations that a person tries on the page of the
	// document; nil leaves the page one to read.
	Interface http.Handler
	Pprof     bool
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
		s.mountReference(o.Document, o.Interface)
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

func writeJSON(w http.ResponseWriter, code int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(value) //nolint:errchkjson // a client that is gone is no fault of ours; the values are of this package
}
