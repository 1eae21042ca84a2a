package receiving

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// Receiver is a fast https receiver that keeps nothing but times.
type Receiver struct {
	// Base is the address without a path: https, the name that receivers have, the port.
	Base   string
	server *httptest.Server

	mu      sync.Mutex
	arrived map[string]time.Time
	waiting map[string]chan time.Time
	last    time.Time
	first   time.Time
	total   int
}

// Listen starts one with a certificate of the authority.
func Listen(authority *receiver.Authority) (*Receiver, error) {
	e := &Receiver{arrived: map[string]time.Time{}, waiting: map[string]chan time.Time{}}
	config, err := authority.Issue(receiver.Name)
	if err != nil {
		return nil, err
	}
	e.server = httptest.NewUnstartedServer(e)
	e.server.TLS = config
	e.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	e.server.StartTLS()
	_, port, err := net.SplitHostPort(e.server.Listener.Addr().String())
	e.Base = "https://" + net.JoinHostPort(receiver.Name, port)
	return e, err
}

// Close ends it.
func (e *Receiver) Close() { e.server.Close() }

// ServeHTTP notes the time and answers 200.
func (e *Receiver) ServeHTTP(_ http.ResponseWriter, request *http.Request) {
	at := time.Now()
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	id := cmp.Or(request.Header.Get("x-svc-event-id"), request.Header.Get("webhook-id"))
	if request.URL.Path == "/call" {
		var named struct {
			ExecutionID string `json:"executionId"`
		}
		if json.Unmarshal(body, &named) == nil {
			id = named.ExecutionID
		}
	}
	e.note(id, at)
}

func (e *Receiver) note(id string, at time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.total++; e.total == 1 {
		e.first = at
	}
	e.last = at
	if _, again := e.arrived[id]; !again {
		e.arrived[id] = at
	}
	if waiting := e.waiting[id]; waiting != nil {
		delete(e.waiting, id)
		waiting <- at
	}
}

// expect returns a channel for the time of the first request of an id.
func (e *Receiver) expect(id string) <-chan time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	arrived := make(chan time.Time, 1)
	if at, already := e.arrived[id]; already {
		arrived <- at
		return arrived
	}
	e.waiting[id] = arrived
	return arrived
}

// After waits for the first request of an id and returns how long after began it came;
// an error if it does not come within the limit of a block.
func (e *Receiver) After(ctx context.Context, id string, began time.Time) (time.Duration, error) {
	select {
	case at := <-e.expect(id):
		return at.Sub(began), nil
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(measure.Limit):
		return 0, fmt.Errorf("the request of %s never came", id)
	}
}

// Distinct is the number of different ids so far, with the first and last arrival.
func (e *Receiver) Distinct() (n int, first, last time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.arrived), e.first, e.last
}

// Times are the arrivals by id.
func (e *Receiver) Times() map[string]time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.arrived)
}
