package guard

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"time"
)

// Settings of connections to one key.
const (
	idleConnections = 64               // the largest window of an origin, and some
	idleFor         = 30 * time.Second // a pooled connection unused for so long is closed
	clientFor       = time.Minute      // a pool unused for so long is forgotten
	headerLimit     = 32 << 10         // bytes of response headers
	// smallAnswer is how many bytes of an answer are read whoever else reads; of larger ones largeAtOnce are in memory at once.
	smallAnswer = 64 << 10
	largeAtOnce = 16
)

// clientKey keeps pools apart: no connection is shared between two of them.
type clientKey struct {
	key  string
	kind Kind
}

// Client sends to one destination over a pool of its own.
type Client struct {
	guard     *Guard
	kind      Kind
	transport *http.Transport
	used      time.Time // guarded by Guard.mu
}

// Request is one call. The context's deadline is over all of it: look-up,
// connect, handshake, headers and body.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte // nil for none
	// ReadLimit is how many bytes of the answer's body are read at most.
	ReadLimit int64
	// WorkspaceID is for whom a large answer is read: one that takes more than 64 KiB has to be given back (Response.Done).
	WorkspaceID string
	// OnWritten is called when the request has left; may be nil.
	OnWritten func()
}

// Response is an answer whose headers came whole.
type Response struct {
	Status int
	Header http.Header
	// Body holds the first ReadLimit bytes, as sent: nothing is decompressed.
	Body []byte
	// Truncated: there was more than ReadLimit.
	Truncated bool
	// BodyErr is a *Error when the body broke off or came too late.
	BodyErr error

	done func()
}

// Done says that the answer is needed no more. It is for answers that may be large, and is called once.
func (r *Response) Done() {
	if r != nil && r.done != nil {
		r.done()
	}
}

// Client returns the client of a key: an endpoint's id, or workspace and origin
// of a receiver. Keys unused for a minute are forgotten.
func (g *Guard) Client(key string, kind Kind) *Client {
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	g.forget(now)
	k := clientKey{key, kind}
	c, ok := g.clients[k]
	if !ok {
		c = &Client{guard: g, kind: kind, transport: g.transport()}
		g.clients[k] = c
	}
	c.used = now
	return c
}

// forget drops the pools that nobody used for a while; g.mu is held.
func (g *Guard) forget(now time.Time) {
	if now.Sub(g.swept) < idleFor {
		return
	}
	g.swept = now
	for k, c := range g.clients {
		if now.Sub(c.used) > clientFor {
			c.transport.CloseIdleConnections()
			delete(g.clients, k)
		}
	}
}

// Close closes the pooled connections; calls under way end as they would.
func (g *Guard) Close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for k, c := range g.clients {
		c.transport.CloseIdleConnections()
		delete(g.clients, k)
	}
}

// transport has no proxy, no HTTP/2 (one connection must not carry the fate of
// a whole window) and asks for no compression.
func (g *Guard) transport() *http.Transport {
	return &http.Transport{
		Proxy: nil, DialContext: g.dial, DialTLSContext: g.dialTLS,
		DisableCompression: true, MaxResponseHeaderBytes: headerLimit,
		MaxIdleConnsPerHost: idleConnections, IdleConnTimeout: idleFor,
	}
}

// Send makes one call, and waits first for the turn of one that is not claimed by the pace
// of its origin. An error is a *Error with the class of the outcome; a redirect is an answer like any other.
func (c *Client) Send(ctx context.Context, r Request) (*Response, error) {
	t, refusal := c.guard.check(r.URL, c.kind)
	if refusal != nil {
		return nil, c.guard.refused(ctx, c.kind, refusal)
	}
	if c.kind.waits() && c.guard.pace.Wait(ctx, t.origin()) != nil {
		return nil, &Error{Class: ClassTimeout}
	}
	p := &permit{kind: c.kind, literal: t.literal.IsValid(), host: t.host, port: t.port}
	if p.addrs, refusal = c.guard.resolve(ctx, t, c.kind); refusal != nil {
		return nil, c.guard.refused(ctx, c.kind, refusal)
	}
	p.reach(stageAnswer) // a pooled connection needs no dial, which would set its own stage
	req, err := request(withPermit(ctx, p), t, r)
	if err != nil {
		return nil, refuse(ruleForm)
	}
	answer, err := c.transport.RoundTrip(req)
	if err != nil {
		return nil, c.guard.refused(ctx, c.kind, classify(orLate(ctx, err), p.at()))
	}
	if answer.StatusCode < http.StatusOK {
		_ = answer.Body.Close() // a switch of protocols, which nobody asked for
		return nil, &Error{Class: ClassUnreachable}
	}
	c.guard.pace.Answered(t.origin(), answer.StatusCode)
	return c.guard.read(ctx, answer, r), nil
}

// refused shows a refusal to the operator.
func (g *Guard) refused(ctx context.Context, kind Kind, e *Error) *Error {
	if e.Class == ClassRefused && g.onRefused != nil {
		g.onRefused(ctx, kind, e.Rule)
	}
	return e
}

func request(ctx context.Context, t target, r Request) (*http.Request, error) {
	if r.OnWritten != nil {
		ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
			WroteRequest: func(httptrace.WroteRequestInfo) { r.OnWritten() },
		})
	}
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, t.url.String(), body)
	if err != nil {
		return nil, err
	}
	for name, values := range r.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	return req, nil
}

// read takes the body up to the limit. A connection with more on it is closed,
// so an endless body costs no more than the limit.
func (g *Guard) read(ctx context.Context, answer *http.Response, r Request) *Response {
	defer func() { _ = answer.Body.Close() }()
	out := &Response{Status: answer.StatusCode, Header: answer.Header}
	body, err := io.ReadAll(io.LimitReader(answer.Body, min(r.ReadLimit, smallAnswer)))
	if err == nil && len(body) == smallAnswer && r.ReadLimit > smallAnswer {
		body, err = g.readLarge(ctx, body, answer.Body, r, out)
	}
	out.Body = body
	if err == nil && int64(len(body)) < r.ReadLimit {
		err = ctx.Err() // an end that came because the call's time was over
	}
	switch {
	case err != nil:
		out.BodyErr = classify(orLate(ctx, err), stageAnswer)
	case int64(len(body)) == r.ReadLimit && answer.ContentLength != r.ReadLimit:
		out.Truncated = hasMore(answer.Body)
	}
	return out
}

// readLarge reads the rest of a body of which the beginning was read, once there is a place for a large one. A workspace leaves
// places to others.
func (g *Guard) readLarge(ctx context.Context, begun []byte, body io.Reader, r Request, out *Response) ([]byte, error) {
	if err := g.large.Acquire(ctx, r.WorkspaceID, 1); err != nil {
		return begun, err
	}
	out.done = func() { g.large.Release(r.WorkspaceID, 1) }
	rest, err := io.ReadAll(io.LimitReader(body, r.ReadLimit-int64(len(begun))))
	return append(begun, rest...), err
}

// orLate names the cause of an error that came with the end of the call's time:
// the transport closes the connection then, and its reader may be the first to
// say so.
func orLate(ctx context.Context, err error) error {
	if ended := ctx.Err(); ended != nil {
		return errors.Join(ended, err)
	}
	return err
}

// hasMore looks for one byte beyond the limit; what does not end is more.
func hasMore(body io.Reader) bool {
	n, err := io.ReadFull(body, make([]byte, 1))
	return n > 0 || !errors.Is(err, io.EOF)
}
