package ops

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// probeTime is how long one look at a part may take.
const probeTime = 2 * time.Second

// Probe looks at one part that the process uses.
type Probe struct {
	// Name is shown, such as postgres.
	Name string
	// Required says that without it the process is unready, not only degraded.
	Required bool
	// Look returns nil while the part answers.
	Look func(ctx context.Context) error
}

// The words of /readyz, for the process and for each part.
const (
	stateReady    = "ready"
	stateDegraded = "degraded"
	stateUnready  = "unready"
	stateUp       = "up"
	stateDown     = "down"
)

// readiness is the answer of /readyz.
type readiness struct {
	Status   string          `json:"status"`
	Stopping bool            `json:"stopping"`
	Parts    map[string]part `json:"dependencies"`
}

type part struct {
	Status   string `json:"status"`
	Required bool   `json:"required"`
	Error    string `json:"error,omitempty"`
}

// look asks all parts at once.
func (s *Server) look(ctx context.Context) readiness {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	errs := make([]error, len(s.probes))
	var wg sync.WaitGroup
	for i, probe := range s.probes {
		wg.Go(func() { errs[i] = probe.Look(ctx) })
	}
	wg.Wait()
	r := readiness{Status: stateReady, Stopping: s.stopping.Load(), Parts: map[string]part{}}
	for i, probe := range s.probes {
		r.add(probe, errs[i])
		s.metrics.Dependency(probe.Name, errs[i] == nil)
	}
	if r.Stopping {
		r.Status = stateUnready
	}
	return r
}

func (r *readiness) add(probe Probe, err error) {
	seen := part{Status: stateUp, Required: probe.Required}
	if err != nil {
		seen.Status, seen.Error = stateDown, err.Error()
		switch {
		case probe.Required:
			r.Status = stateUnready
		case r.Status == stateReady:
			r.Status = stateDegraded
		}
	}
	r.Parts[probe.Name] = seen
}

func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	state := s.look(r.Context())
	code := http.StatusOK
	if state.Status == stateUnready {
		code = http.StatusServiceUnavailable
	}
	writeJSON(w, code, state)
}

// Watch looks at the parts again and again, so that the metric of what is up
// does not depend on anybody asking for readiness. It ends with ctx.
func (s *Server) Watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		s.look(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

const watchEvery = 15 * time.Second
