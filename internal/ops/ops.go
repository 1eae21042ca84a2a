package ops

import (
	"encoding/json"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/redline-svc/redline/internal/telemetry"
)

// Options are what a Server is given.
type Options struct {
	Metrics *telemetry.Metrics
	Probes  []Probe
	// Document is the OpenAPI document; nil in a process without the interface.
	Document func() ([]byte, error)
	// Interface answers the operations that a person tries on the page of the
	// document; nil leaves the page one to read.
	Interface http.Handler
	Pprof     bool
	// Hosts are the names that the listener answers to, beside addresses and localhost.
	Hosts []string
}

// Server answers on the operations listener.
type Server struct {
	metrics  *telemetry.Metrics
	probes   []Probe
	hosts    []string
	stopping atomic.Bool
	mux      *http.ServeMux
}

// New makes the server.
func New(o Options) *Server {
	s := &Server{metrics: o.Metrics, probes: o.Probes, hosts: o.Hosts, mux: http.NewServeMux()}
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

// ServeHTTP answers one request. One for a name that is not this listener's is refused: it
// comes from a page in a browser whose name was made to lead here (DNS rebinding).
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.answersTo(r.Host) {
		http.Error(w, "this listener answers to addresses, to localhost and to the names in REDLINE_OPS_HOSTS", http.StatusMisdirectedRequest)
		return
	}
	s.mux.ServeHTTP(w, r)
}

// answersTo reports whether a Host header names this listener.
func (s *Server) answersTo(host string) bool {
	name := strings.TrimSuffix((&url.URL{Host: host}).Hostname(), ".")
	_, err := netip.ParseAddr(name)
	named := func(known string) bool { return strings.EqualFold(known, name) }
	return err == nil || named("localhost") || slices.ContainsFunc(s.hosts, named)
}

// Limits of the listener: for a client to send its headers, and the rest of a request, for
// an answer to be taken (a profile's are counted from its end, net/http/pprof sees to
// that), and for a connection without a request.
const (
	headerTime = 5 * time.Second
	readTime   = 30 * time.Second
	writeTime  = time.Minute
	idleTime   = time.Minute
)

// Listener returns the operations listener's server.
func (s *Server) Listener() *http.Server {
	return &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
	}
}

func writeJSON(w http.ResponseWriter, code int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(value) //nolint:errchkjson // a client that is gone is no fault of ours; the values are of this package
}
