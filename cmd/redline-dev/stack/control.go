package stack

import (
	"encoding/json"
	"net/http"
	"syscall"
)

// controlHeader must be sent with a command: a page of another origin cannot send it unasked.
const controlHeader = "X-Redline-Dev"

// control adds to the inbox's addresses those that stop and start parts.
func (s *stack) control(mux *http.ServeMux) {
	mux.HandleFunc("GET /dev/parts", func(w http.ResponseWriter, _ *http.Request) {
		states := []state{}
		for _, p := range s.allParts() {
			states = append(states, p.state())
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string][]state{"items": states})
	})
	mux.HandleFunc("POST /dev/parts/{name}/{command}", s.command)
}

// command carries out one command and answers when it is done.
func (s *stack) command(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get(controlHeader) == "" {
		http.Error(w, "send the header "+controlHeader, http.StatusForbidden)
		return
	}
	for _, p := range s.allParts() {
		if p.name != r.PathValue("name") {
			continue
		}
		if err := s.carryOut(r, p); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
		return
	}
	http.Error(w, "no such part", http.StatusNotFound)
}

func (s *stack) carryOut(r *http.Request, p *part) error {
	switch command := r.PathValue("command"); {
	case command == "stop":
		return p.stop(p.signal)
	case command == "kill":
		return p.stop(syscall.SIGKILL)
	case command == "start":
		return p.start(r.Context())
	case command == "restart":
		if err := p.stop(p.signal); err != nil {
			return err
		}
		return p.start(r.Context())
	case command == "empty" && p.name == "temporal":
		return s.emptyTemporal(r.Context(), p)
	default:
		return errUnknownCommand
	}
}

// allParts is a copy of the list, safe beside a start.
func (s *stack) allParts() []*part {
	s.partsMu.Lock()
	defer s.partsMu.Unlock()
	return append([]*part(nil), s.parts...)
}
