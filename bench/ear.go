package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/redline-svc/redline/tests/receiver"
)

// ear is a fast https receiver that keeps nothing but times.
type ear struct {
	server *httptest.Server
	base   string

	mu      sync.Mutex
	arrived map[string]time.Time
	waiting map[string]chan time.Time
	last    time.Time
	first   time.Time
	total   int
}

// listen starts one. Requests are distinguished by the event or message id of
// their header, or by the executionId of their body where wanted.
func listen(authority *receiver.Authority) (*ear, error) {
	e := &ear{arrived: map[string]time.Time{}, waiting: map[string]chan time.Time{}}
	config, err := authority.Issue(receiver.Name)
	if err != nil {
		return nil, err
	}
	e.server = httptest.NewUnstartedServer(e)
	e.server.TLS = config
	e.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	e.server.StartTLS()
	_, port, err := net.SplitHostPort(e.server.Listener.Addr().String())
	e.base = "https://" + net.JoinHostPort(receiver.Name, port)
	return e, err
}

func (e *ear) close() { e.server.Close() }

// ServeHTTP notes the time and answers 200.
func (e *ear) ServeHTTP(_ http.ResponseWriter, request *http.Request) {
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

func (e *ear) note(id string, at time.Time) {
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

// expect gives a channel for the time of the first request of an id.
func (e *ear) expect(id string) <-chan time.Time {
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

// distinct is the number of different ids so far, with the first and last arrival.
func (e *ear) distinct() (n int, first, last time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.arrived), e.first, e.last
}

// times are the arrivals by id.
func (e *ear) times() map[string]time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.arrived)
}

// trusting is a client that accepts the development authority and finds
// receivers on loopback, as the service does.
func trusting(authority *receiver.Authority) *http.Client {
	dialer := &net.Dialer{}
	return &http.Client{Timeout: bareLimit, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: authority.Pool(), MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			return dialer.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
		},
		MaxIdleConnsPerHost: 64,
	}}
}
