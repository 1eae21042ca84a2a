package guard

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// late is the context of a call whose time is over when somebody has heard of it.
type late struct {
	context.Context

	heard chan struct{}
}

func (l *late) Done() <-chan struct{} { return l.heard }

func (l *late) Err() error {
	select {
	case <-l.heard:
		return context.DeadlineExceeded
	default:
		return l.Context.Err()
	}
}

func TestClassesOfFailures(t *testing.T) {
	t.Parallel()
	var hanging *late
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/headers":
			w.Header().Set("x-long", strings.Repeat("a", 40<<10))
		case "/close":
			panic(http.ErrAbortHandler)
		case "/switch":
			conn, _, _ := w.(http.Hijacker).Hijack()
			_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n")
			_ = conn.Close()
		default:
			close(hanging.heard)
			<-r.Context().Done()
			panic(http.ErrAbortHandler) // a caller that is leaving must not get an answer yet
		}
	})
	g := local(t, s)
	g.resolver.(*systemResolver).dns.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }
	base := strings.TrimSuffix(s.url, "/hook")
	for _, c := range []struct {
		url   string
		class Class
	}{
		{base + "/headers", ClassUnreachable},
		{base + "/close", ClassUnreachable},
		{base + "/switch", ClassUnreachable},
		{strings.Replace(base, "example.com", "other.test", 1), ClassTLS},
		{"https://example.com:" + closedPort(t), ClassUnreachable},
		{"https://no-such-name.invalid/", ClassDNS},
		{"https://127.0.0.1:" + port(t, s.Listener), ClassRefused},
		{"http://example.com/", ClassRefused},
	} {
		_, err := send(t, g, "k", c.url, plenty)
		assert.Equal(t, c.class, ClassOf(err), c.url)
	}
	hanging = &late{t.Context(), make(chan struct{})}
	silent := &late{t.Context(), make(chan struct{})}
	for url, ctx := range map[string]*late{base + "/hang": hanging, "https://example.com:" + silentPort(t, silent): silent} {
		_, err := g.Client("k", Receiver).Send(ctx, Request{Method: http.MethodPost, URL: url})
		assert.Equal(t, ClassTimeout, ClassOf(err), url)
	}
}

// closedPort is a port of loopback on which nobody listens: until the test ends
// it is that of a client.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	conn, err := net.Dial("tcp", l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, p, err := net.SplitHostPort(conn.LocalAddr().String())
	require.NoError(t, err)
	return p
}

// silentPort takes a connection, hears the first byte and never says a word.
func silentPort(t *testing.T, caller *late) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = io.ReadFull(conn, make([]byte, 1))
		close(caller.heard)
		_, _ = io.Copy(io.Discard, conn)
	}()
	return port(t, l)
}
