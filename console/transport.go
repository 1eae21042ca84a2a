package console

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// inProcess calls a handler without a connection.
type inProcess struct{ handler http.Handler }

// Through returns a transport that calls a handler of this process. The handler sees the address of
// whoever looks at the page, so that limits of addresses count them and not the console.
func Through(handler http.Handler) http.RoundTripper { return inProcess{handler} }

// caller is who looks at a page.
type caller struct{ address, forwarded string }

// callerKey finds a caller in a context.
type callerKey struct{}

// from is the context of a request, with who sent it.
func from(r *http.Request) context.Context {
	return context.WithValue(r.Context(), callerKey{}, caller{r.RemoteAddr, r.Header.Get("X-Forwarded-For")})
}

// RoundTrip answers with what the handler writes.
func (p inProcess) RoundTrip(request *http.Request) (*http.Response, error) {
	r := request.Clone(request.Context())
	if who, is := r.Context().Value(callerKey{}).(caller); is {
		r.RemoteAddr = who.address
		if who.forwarded != "" {
			r.Header.Set("X-Forwarded-For", who.forwarded)
		}
	}
	if r.Body == nil {
		r.Body = http.NoBody
	}
	r.RequestURI, r.Host = r.URL.RequestURI(), r.URL.Host
	w := &recorder{header: http.Header{}, code: http.StatusOK}
	p.handler.ServeHTTP(w, r)
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: w.code, Status: http.StatusText(w.code), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len()), Request: request,
	}, nil
}

// recorder is an answer in memory.
type recorder struct {
	header http.Header
	code   int
	body   bytes.Buffer
	begun  bool
}

// Header returns the answer's headers.
func (w *recorder) Header() http.Header { return w.header }

// WriteHeader takes the first code that is written.
func (w *recorder) WriteHeader(code int) {
	if !w.begun {
		w.code, w.begun = code, true
	}
}

// Write adds to the body.
func (w *recorder) Write(text []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(text)
}
