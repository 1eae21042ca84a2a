package receiver

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"
)

// Name is the host under which the development profile resolves to loopback.
const Name = "receiver.test"

// Request is one request as it came.
type Request struct {
	At     time.Time
	Method string
	Path   string
	Header http.Header
	Body   []byte
}

// Answer is how a path answers; the zero value is 200 without a body.
type Answer struct {
	Status int
	Header map[string]string
	Body   string
}

// Status returns an answer of the code and nothing else.
func Status(code int) Answer { return Answer{Status: code} }

// JSON returns an answer of 200 with the body.
func JSON(body string) Answer {
	return Answer{Status: http.StatusOK, Body: body, Header: map[string]string{"content-type": "application/json"}}
}

// Receiver is a running server with all it was sent.
type Receiver struct {
	server *httptest.Server
	// root begins every path of this receiver and of no other: what is still on its way to
	// one that was closed may come to the next that gets its port. Requests have their
	// paths without it.
	root, base string

	mu       sync.Mutex
	changed  chan struct{}
	requests []Request
	answered map[string]int
	answers  map[string]func(n int, request Request) Answer
	gates    map[string]*Gate
}

// Gate holds the requests of a path until it is released.
type Gate struct {
	reached, released chan struct{}
	arrive, leave     sync.Once
	// first lets all requests through but the first one.
	first bool
}

// Reached returns a channel that is closed when the first request is held.
func (g *Gate) Reached() <-chan struct{} { return g.reached }

// stops reports whether a request is held, and closes reached for the first one.
func (g *Gate) stops() bool {
	held := !g.first
	g.arrive.Do(func() {
		held = true
		close(g.reached)
	})
	return held
}

// Release answers what is held and lets later requests through.
func (g *Gate) Release() { g.leave.Do(func() { close(g.released) }) }

// Start runs a receiver on a free port of loopback; authority issues its certificate.
func Start(authority *Authority) (*Receiver, error) {
	certificate, err := authority.Issue(Name)
	if err != nil {
		return nil, err
	}
	r := &Receiver{
		root:     "/" + strings.ToLower(rand.Text()),
		changed:  make(chan struct{}),
		answered: map[string]int{},
		answers:  map[string]func(int, Request) Answer{},
		gates:    map[string]*Gate{},
	}
	r.server = httptest.NewUnstartedServer(r)
	r.server.TLS = certificate
	r.server.Config.ErrorLog = log.New(io.Discard, "", 0) // clients that die are what the tests are about
	r.server.StartTLS()
	_, port, err := net.SplitHostPort(r.server.Listener.Addr().String())
	r.base = "https://" + net.JoinHostPort(Name, port) + r.root
	return r, err
}

// Close ends the server; requests that are held are let go first.
func (r *Receiver) Close() {
	r.mu.Lock()
	for _, gate := range r.gates {
		gate.Release()
	}
	r.mu.Unlock()
	r.server.CloseClientConnections()
	r.server.Close()
}

// URL returns the address of a path (which begins with a slash).
func (r *Receiver) URL(path string) string { return r.base + path }

// Answer sets how a path answers from now on.
func (r *Receiver) Answer(path string, answer Answer) {
	r.AnswerBy(path, func(int, Request) Answer { return answer })
}

// AnswerBy makes a function choose the answers of a path by the number of the request (from 1) and its content.
func (r *Receiver) AnswerBy(path string, choose func(n int, request Request) Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answers[path] = choose
}

// Hold stops the requests of a path from now on before they are answered, until the gate is
// released.
func (r *Receiver) Hold(path string) *Gate { return r.hold(path, false) }

// HoldFirst is Hold for the next request alone, however long it takes.
func (r *Receiver) HoldFirst(path string) *Gate { return r.hold(path, true) }

func (r *Receiver) hold(path string, first bool) *Gate {
	gate := &Gate{reached: make(chan struct{}), released: make(chan struct{}), first: first}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gates[path] = gate
	return gate
}

// Requests returns the requests of one path so far, in the order of their arrival; of all
// paths for the empty string.
func (r *Receiver) Requests(path string) []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	var found []Request
	for _, request := range r.requests {
		if path == "" || request.Path == path {
			found = append(found, request)
		}
	}
	return found
}

// Wait returns the requests of the path as soon as enough accepts them.
func (r *Receiver) Wait(ctx context.Context, path string, enough func([]Request) bool) ([]Request, error) {
	for {
		r.mu.Lock()
		changed := r.changed
		r.mu.Unlock()
		found := r.Requests(path)
		if enough(found) {
			return found, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return found, fmt.Errorf("%s has %d requests: %w", path, len(found), ctx.Err())
		}
	}
}

// Count accepts n requests or more.
func Count(n int) func([]Request) bool {
	return func(found []Request) bool { return len(found) >= n }
}

// ServeHTTP records, waits at the gate and answers. What is meant for another receiver it
// does not know.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	path, mine := strings.CutPrefix(request.URL.Path, r.root)
	if !mine {
		http.NotFound(w, request)
		return
	}
	kept := Request{At: time.Now(), Method: request.Method, Path: path, Header: request.Header.Clone(), Body: body}
	answer, gate := r.take(kept)
	if gate != nil && gate.stops() {
		select {
		case <-gate.released:
		case <-request.Context().Done():
			return
		}
	}
	for name, value := range answer.Header {
		w.Header().Set(name, value)
	}
	if answer.Status != 0 {
		w.WriteHeader(answer.Status)
	}
	_, _ = io.Copy(w, strings.NewReader(answer.Body))
	_ = http.NewResponseController(w).Flush()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answered[kept.Path]++
	r.notify()
}

// WaitAnswered returns when n answers of the path are on the wire.
func (r *Receiver) WaitAnswered(ctx context.Context, path string, n int) error {
	for {
		r.mu.Lock()
		changed, answered := r.changed, r.answered[path]
		r.mu.Unlock()
		if answered >= n {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%s has answered %d requests: %w", path, answered, ctx.Err())
		}
	}
}

// notify notifies everybody who waits; the lock is held.
func (r *Receiver) notify() {
	close(r.changed)
	r.changed = make(chan struct{})
}

func (r *Receiver) take(request Request) (Answer, *Gate) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, request)
	r.notify()
	var answer Answer
	if choose := r.answers[request.Path]; choose != nil {
		n := 0
		for _, earlier := range r.requests {
			if earlier.Path == request.Path {
				n++
			}
		}
		answer = choose(n, request)
	}
	return answer, r.gates[request.Path]
}
