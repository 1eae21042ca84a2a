package receiver

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	// mostBody is how much of a request's body is kept; what the service sends is far below.
	mostBody = 16 << 20
	// slowest bounds what a path may ask for.
	slowest = 10 * time.Minute
	// timeFormat is ISO-8601 in UTC with milliseconds.
	timeFormat = "2006-01-02T15:04:05.000Z"
)

// Request is a request as it came: header names in lower case, body as text.
type Request struct {
	N       int               `json:"n"`
	At      string            `json:"at"`
	Method  string            `json:"method"`
	Path    string            `json:"path"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

// Receiver keeps what it gets and answers as the path says:
//
//	/ok/…                        200
//	/status/<code>/…             that code
//	/slow/<ms>/…                 200 after that many milliseconds
//	/fail/<n>/…                  503 for the first n requests of the path, then 200
//	/json/<base64url of a body>/…  200 with that body
type Receiver struct {
	inbox *store[Request]
	mu    sync.Mutex
	seen  map[string]int
}

// New makes an empty receiver.
func New() *Receiver {
	return &Receiver{inbox: newStore[Request](), seen: map[string]int{}}
}

// Serve answers on the listener with the certificate until the context ends.
func (r *Receiver) Serve(ctx context.Context, listener net.Listener, certificate tls.Certificate) error {
	return serve(ctx, tls.NewListener(listener, &tls.Config{
		Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12,
		NextProtos: []string{"h2", "http/1.1"},
	}), r)
}

// serve runs a server until the context ends. What is under way is cut off:
// to a sender that is a failure like any other.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(io.Discard, "", 0)}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(listener); ctx.Err() == nil {
		return err
	}
	return nil
}

// ServeHTTP keeps the request, then answers.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, mostBody))
	if err != nil {
		// The sender broke off: it was never wholly here.
		return
	}
	headers := map[string]string{"host": request.Host}
	for name, values := range request.Header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	path := request.URL.RequestURI()
	at := time.Now().UTC().Format(timeFormat)
	r.inbox.add(func(n int) Request {
		return Request{N: n, At: at, Method: request.Method, Path: path, Headers: headers, Body: string(body)}
	})
	r.answer(w, request)
}

// answer does what the first two words of the path say.
func (r *Receiver) answer(w http.ResponseWriter, request *http.Request) {
	word, rest, _ := strings.Cut(strings.TrimPrefix(request.URL.Path, "/"), "/")
	argument, _, _ := strings.Cut(rest, "/")
	number, err := strconv.Atoi(argument)
	if err != nil && word != "ok" && word != "json" {
		word = ""
	}
	switch word {
	case "ok":
		w.WriteHeader(http.StatusOK)
	case "status":
		answerStatus(w, number)
	case "slow":
		wait(request.Context(), time.Duration(number)*time.Millisecond)
		w.WriteHeader(http.StatusOK)
	case "fail":
		w.WriteHeader(r.failing(request.URL.Path, number))
	case "json":
		answerBody(w, argument)
	default:
		http.Error(w, "the path says nothing: /ok/, /status/<code>/, /slow/<ms>/, /fail/<n>/ or /json/<base64url>/", http.StatusNotFound)
	}
}

// answerStatus answers with a code; a redirect needs a target to be one.
func answerStatus(w http.ResponseWriter, code int) {
	if code < http.StatusOK || code > 599 {
		code = http.StatusNotFound
	}
	if code >= http.StatusMultipleChoices && code < http.StatusBadRequest {
		w.Header().Set("Location", "/ok/redirected")
	}
	w.WriteHeader(code)
}

// failing counts the requests of a path: 503 up to the limit, then 200.
func (r *Receiver) failing(path string, limit int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen[path]++
	if r.seen[path] <= limit {
		return http.StatusServiceUnavailable
	}
	return http.StatusOK
}

// answerBody answers with the body that the path carries, padded or not.
func answerBody(w http.ResponseWriter, encoded string) {
	body, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil {
		http.Error(w, "not base64url: "+err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}

// wait takes its time unless the sender gives up before.
func wait(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(min(length, slowest)):
	}
}
