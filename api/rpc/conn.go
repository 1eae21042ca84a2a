package rpc

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/redline-svc/redline/internal/fault"
)

// Wrap makes the connections of the public listener answer in the envelope also
// where no request comes of what was sent: headers that are too large, or no HTTP.
// net/http answers those by itself, in plain text, and asks no handler.
func (s *Server) Wrap(l net.Listener) net.Listener { return &listener{l, s} }

type listener struct {
	net.Listener
	server *Server
}

func (l *listener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: accepted, server: l.server}, nil
}

// conn is a connection that knows whether a request of it has reached the server.
// The goroutine that serves it is the only one that writes.
type conn struct {
	net.Conn
	server *Server
	// reached means that the answer is the server's own, refused that the one of
	// net/http has been replaced.
	reached, refused bool
}

type connKey struct{}

// withConn lets the server find the connection of a request.
func withConn(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, c)
}

// reach says that a request has reached the server, until its connection is idle.
func reach(ctx context.Context) {
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		c.reached = true
	}
}

// follow takes note of the end of a request.
func follow(served net.Conn, state http.ConnState) {
	if c, ok := served.(*conn); ok && state == http.StateIdle {
		c.reached = false
	}
}

// Write replaces what net/http writes by itself.
func (c *conn) Write(text []byte) (int, error) {
	if c.reached {
		return c.Conn.Write(text)
	}
	if c.refused {
		return len(text), nil
	}
	c.refused = true
	if _, err := c.Conn.Write(c.refusal(statusOf(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// CloseWrite lets net/http end its side first, so that the caller can read the
// answer before the connection is gone.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// statusOf is the HTTP code of an answer's text; 400 where it cannot be read.
func statusOf(text []byte) int {
	words := strings.Fields(string(text[:min(len(text), len("HTTP/1.1 000"))]))
	if len(words) > 1 {
		if code, err := strconv.Atoi(words[1]); err == nil {
			return code
		}
	}
	return http.StatusBadRequest
}

// refusal is the text of the answer, which is logged and counted like others.
func (c *conn) refusal(code int) []byte {
	x := &exchange{route: &nowhere, started: time.Now()}
	x.caller.RequestID = requestID("")
	x.caller.IP = clientIP(&http.Request{RemoteAddr: c.RemoteAddr().String()}, nil)
	f, header, body := unreadable(code), http.Header{}, &bytes.Buffer{}
	setFixedHeaders(header, x.caller.RequestID)
	header.Set("Content-Type", "application/json")
	writeFault(body, header, f)
	out := outcome{label: label(f), code: code, bytes: body.Len(), err: f}
	c.server.telemetry.Operation(nowhere.name()).Begin()(out.label)
	c.server.record(context.Background(), x, out)
	answer := http.Response{
		StatusCode: code, ProtoMajor: 1, ProtoMinor: 1, Header: header,
		ContentLength: int64(body.Len()), Body: io.NopCloser(body), Close: true,
	}
	text := &bytes.Buffer{}
	_ = answer.Write(text) // into memory
	return text.Bytes()
}

// unreadable is the fault of a request of which no handler heard.
func unreadable(code int) *fault.Error {
	f := fault.InvalidReason("malformed-request", "the request cannot be read as HTTP")
	if code == http.StatusRequestHeaderFieldsTooLarge {
		f = fault.InvalidReason("headers-too-large", "the headers are larger than "+strconv.Itoa(maxHeader+headerSlack)+" bytes")
	}
	f.HTTPCode = code
	return f
}
