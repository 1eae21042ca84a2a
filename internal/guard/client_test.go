package guard

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// site is a TLS server on loopback under the name example.com, whose
// certificate httptest makes.
type site struct {
	*httptest.Server
	url      string
	requests atomic.Int32
	conns    atomic.Int32
}

func serve(t *testing.T, handler http.HandlerFunc) *site {
	t.Helper()
	s := &site{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		body, _ := io.ReadAll(r.Body) // unread, it would keep the server from seeing a client that left
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler(w, r)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			s.conns.Add(1)
		}
	}
	s.Config.ErrorLog = nil
	s.StartTLS()
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	s.url = "https://example.com:" + port(t, s.Listener) + "/hook"
	return s
}

func port(t *testing.T, l net.Listener) string {
	t.Helper()
	_, p, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	return p
}

// local is a guard that reaches a site on loopback by its name.
func local(t *testing.T, s *site) *Guard {
	t.Helper()
	return open(t, Options{
		WorkflowAllowCIDRs: []string{"127.0.0.0/8:1024-65535"}, AllowCIDRs: []string{"127.0.0.0/8"},
		Resolve: []string{"example.com=127.0.0.1", "other.test=127.0.0.1"}, CAFile: caFile(t, s),
	})
}

func caFile(t *testing.T, s *site) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	require.NoError(t, os.WriteFile(file, block, 0o600))
	return file
}

func send(t *testing.T, g *Guard, key, url string, limit time.Duration) (*Response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	return g.Client(key, Receiver).Send(ctx, Request{Method: http.MethodPost, URL: url, Body: []byte(`{}`), ReadLimit: 16 << 10})
}

const plenty = time.Minute

// answers is a resolver that a test changes.
type answers struct {
	mu    sync.Mutex
	addrs []netip.Addr
	asked int
}

func (a *answers) lookup(context.Context, string) ([]netip.Addr, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked++
	return a.addrs, nil
}

func (a *answers) set(texts ...string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.addrs = nil
	for _, text := range texts {
		a.addrs = append(a.addrs, netip.MustParseAddr(text))
	}
}

func TestSendDelivers(t *testing.T) {
	t.Parallel()
	var got http.Header
	var host, body string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		got, host = r.Header, r.Host
		raw, _ := io.ReadAll(r.Body)
		body = string(raw)
		w.Header().Set("x-seen", "yes")
		w.WriteHeader(http.StatusAccepted)
		_, _ = io.WriteString(w, "thanks")
	})
	g := local(t, s)
	var wrote atomic.Bool
	answer, err := g.Client("k", Receiver).Send(t.Context(), Request{
		Method: http.MethodPost, URL: strings.Replace(s.url, "example.com", "EXAMPLE.com.", 1) + "?q=1#frag", Body: []byte("abc"),
		Header: http.Header{"x-svc-attempt": {"0"}}, ReadLimit: 100, OnWritten: func() { wrote.Store(true) },
	})
	require.NoError(t, err)
	assert.Equal(t, http.StatusAccepted, answer.Status)
	assert.Equal(t, "thanks", string(answer.Body))
	assert.Equal(t, "yes", answer.Header.Get("x-seen"))
	assert.False(t, answer.Truncated)
	require.NoError(t, answer.BodyErr)
	assert.Equal(t, "0", got.Get("x-svc-attempt"))
	assert.Empty(t, got.Get("accept-encoding"))
	assert.Equal(t, "example.com:"+port(t, s.Listener), host)
	assert.Equal(t, "abc", body)
	assert.True(t, wrote.Load())
}

func TestGuard_1_OnePrivateAnswerAmongPublicOnesRefuses(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	g := local(t, s)
	names := &answers{}
	names.set("127.0.0.1", "fd00::1")
	g.resolver = names
	var rules []string
	g.onRefused = func(_ context.Context, _ Kind, rule string) { rules = append(rules, rule) }
	_, err := send(t, g, "k", s.url, plenty)
	assert.True(t, Refused(err))
	assert.Zero(t, s.conns.Load())
	assert.Equal(t, []string{ruleForbidden}, rules)
	names.set("127.0.0.1")
	_, err = send(t, g, "k", s.url, plenty)
	assert.NoError(t, err)
}

// An address that is refused when it is written is shown to the operator as one that is refused
// when it is called.
func TestTheRuleOfEachRefusalIsShown(t *testing.T) {
	t.Parallel()
	g := strict(t)
	var shown []string
	g.onRefused = func(_ context.Context, kind Kind, rule string) { shown = append(shown, kind.String()+" "+rule) }
	for _, kind := range []Kind{Endpoint, Provider, Receiver, Step} {
		require.Error(t, g.CheckURL(t.Context(), "https://10.0.0.1/", kind))
		require.NoError(t, g.CheckURL(t.Context(), "https://example.com/", kind))
	}
	require.Error(t, g.CheckHost(t.Context(), "127.1", 587))
	wrongPort := g.CheckHost(t.Context(), "mail.example.com", 25)
	require.True(t, RefusedPort(wrongPort))
	require.False(t, RefusedPort(g.CheckURL(t.Context(), "http://example.com/", Receiver)))
	_, err := send(t, g, "k", "https://localhost/", plenty)
	require.True(t, Refused(err))
	require.Equal(t, []string{
		"endpoint private", "provider private", "receiver private", "step private", "smtp numeric-host", "smtp port", "receiver scheme", "receiver name",
	}, shown)
}

func TestGuard_2_AnAddressThatChangesBeforeTheConnectIsNotConnected(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	number, err := strconv.ParseUint(port(t, s.Listener), 10, 16)
	require.NoError(t, err)
	for name, p := range map[string]*permit{
		"permitted once, refused now": {kind: Receiver, host: "example.com", port: uint16(number), addrs: []netip.Addr{netip.MustParseAddr("127.0.0.1")}},
		"nothing was permitted":       {kind: Receiver, host: "example.com", port: uint16(number)},
	} {
		_, err = strict(t).dial(withPermit(t.Context(), p), "tcp", s.Listener.Addr().String())
		require.Error(t, err, name)
	}
	_, err = strict(t).dial(t.Context(), "tcp", s.Listener.Addr().String())
	require.ErrorIs(t, err, errNoPermit)
	other := &permit{kind: Receiver, port: uint16(number), addrs: []netip.Addr{netip.MustParseAddr("127.0.0.2")}}
	assert.Equal(t, rulePeer, ruleOf(t, local(t, s).control(other, s.Listener.Addr().String())))
	assert.Zero(t, s.conns.Load())
}

func TestGuard_3_ARedirectIsAnAnswer(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://169.254.169.254/latest", http.StatusFound)
	})
	answer, err := send(t, local(t, s), "k", s.url, plenty)
	require.NoError(t, err)
	assert.Equal(t, http.StatusFound, answer.Status)
	assert.EqualValues(t, 1, s.requests.Load())
}

func TestGuard_6_ProxyVariablesAreIgnored(t *testing.T) {
	proxy := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "https_proxy", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, err := send(t, local(t, s), "k", s.url, plenty)
	require.NoError(t, err)
	assert.EqualValues(t, 1, s.requests.Load())
	assert.Zero(t, proxy.conns.Load())
}

func TestGuard_7_ADrippingAnswerIsCut(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, ".")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	})
	g := local(t, s)
	limit := 300 * time.Millisecond
	answer, err := send(t, g, "k", s.url, limit)
	for err != nil && limit < plenty { // it takes longer until headers come
		limit *= 2
		answer, err = send(t, g, "k", s.url, limit)
	}
	require.NoError(t, err)
	assert.Equal(t, ClassTimeout, ClassOf(answer.BodyErr))
}

func TestGuard_7_AnEndlessBodyCostsItsLimit(t *testing.T) {
	t.Parallel()
	sent := make(chan int64, 1)
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		n, _ := io.CopyN(w, zeros{}, 1<<30)
		sent <- n
	})
	answer, err := send(t, local(t, s), "k", s.url, plenty)
	require.NoError(t, err)
	require.NoError(t, answer.BodyErr)
	assert.True(t, answer.Truncated)
	assert.Len(t, answer.Body, 16<<10)
	assert.Less(t, <-sent, int64(64<<20), "the connection was not closed")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

func TestGuard_7_ACompressedBodyStaysCompressed(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("content-encoding", "gzip")
		zip := gzip.NewWriter(w)
		_, _ = io.CopyN(zip, zeros{}, 1<<20)
		_ = zip.Close()
	})
	answer, err := send(t, local(t, s), "k", s.url, plenty)
	require.NoError(t, err)
	assert.Less(t, len(answer.Body), 16<<10)
	assert.Equal(t, "gzip", answer.Header.Get("content-encoding"))
}

func TestGuard_8_ANameThatTurnsPrivateIsRefusedDespiteAPooledConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	g := local(t, s)
	names := &answers{}
	names.set("127.0.0.1")
	g.resolver = names
	for range 2 {
		_, err := send(t, g, "k", s.url, plenty)
		require.NoError(t, err)
	}
	assert.EqualValues(t, 1, s.conns.Load(), "the second call takes the pooled connection")
	names.set("10.0.0.1")
	_, err := send(t, g, "k", s.url, plenty)
	assert.True(t, Refused(err))
	assert.EqualValues(t, 2, s.requests.Load())
	assert.Equal(t, 3, names.asked, "each call looks the name up")
}

func TestKeysShareNoConnection(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	g := local(t, s)
	for _, key := range []string{"a", "b", "a", "b"} {
		_, err := send(t, g, key, s.url, plenty)
		require.NoError(t, err)
	}
	assert.EqualValues(t, 2, s.conns.Load())
}

func TestUnusedPoolsAreForgotten(t *testing.T) {
	t.Parallel()
	g := strict(t)
	old := g.Client("old", Receiver)
	g.mu.Lock()
	old.used, g.swept = old.used.Add(-2*clientFor), g.swept.Add(-2*clientFor)
	g.mu.Unlock()
	g.Client("new", Receiver)
	assert.Len(t, g.clients, 1)
	assert.NotSame(t, old, g.Client("old", Receiver))
}

func TestOldTLSIsRefused(t *testing.T) {
	t.Parallel()
	s := &site{Server: httptest.NewUnstartedServer(http.NotFoundHandler())}
	s.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	s.StartTLS()
	t.Cleanup(s.Close)
	s.url = "https://example.com:" + port(t, s.Listener)
	_, err := send(t, local(t, s), "k", s.url, plenty)
	assert.Equal(t, ClassTLS, ClassOf(err))
}

func TestAnUnknownAuthorityIsRefused(t *testing.T) {
	t.Parallel()
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	g := open(t, Options{WorkflowAllowCIDRs: []string{"127.0.0.0/8"}, Resolve: []string{"example.com=127.0.0.1"}})
	_, err := send(t, g, "k", s.url, plenty)
	assert.Equal(t, ClassTLS, ClassOf(err))
}

func TestEndpointsMayBePlain(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) }))
	t.Cleanup(plain.Close)
	g := open(t, Options{AllowCIDRs: []string{"127.0.0.0/8"}})
	answer, err := g.Client("ep", Endpoint).Send(t.Context(), Request{Method: http.MethodGet, URL: plain.URL, ReadLimit: 1})
	require.NoError(t, err)
	assert.Equal(t, http.StatusTeapot, answer.Status)
}

func TestAnAnswerOfExactlyTheLimitIsNotTruncated(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/chunked" {
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.WriteString(w, strings.Repeat("a", 16<<10))
	})
	for _, path := range []string{"/length", "/chunked"} {
		answer, err := send(t, local(t, s), "k", strings.Replace(s.url, "/hook", path, 1), plenty)
		require.NoError(t, err)
		assert.False(t, answer.Truncated, path)
		assert.Len(t, answer.Body, 16<<10)
	}
}

// A workspace whose addresses answer much, and slowly, keeps places for the answers that others wait for.
func TestLargeAnswersAreReadAFewAtOnce(t *testing.T) {
	t.Parallel()
	const large = smallAnswer + 10
	served := make(chan struct{}, 1)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write(bytes.Repeat([]byte("x"), large))
		served <- struct{}{}
	})
	g := local(t, s)
	ask := func(workspaceID string, limit int64) *Response {
		answer, err := g.Client("k", Receiver).Send(t.Context(), Request{Method: http.MethodGet, URL: s.url, ReadLimit: limit, WorkspaceID: workspaceID})
		assert.NoError(t, err)
		assert.NoError(t, answer.BodyErr)
		return answer
	}
	held := g.large.Take("ws_a", largeAtOnce)
	require.Less(t, held, largeAtOnce)
	late := make(chan *Response)
	go func() { late <- ask("ws_a", 1<<20) }()
	<-served
	other := ask("ws_b", 1<<20)
	<-served
	require.Len(t, other.Body, large)
	small := ask("ws_a", smallAnswer)
	<-served
	require.Len(t, small.Body, smallAnswer)
	select {
	case <-late:
		require.Fail(t, "it was read beside as many as the workspace may have")
	default:
	}
	g.large.Release("ws_a", 1)
	waited := <-late
	require.Len(t, waited.Body, large)
	waited.Done()
	other.Done()
	small.Done()
	g.large.Release("ws_a", int64(held-1))
	require.EqualValues(t, largeAtOnce, g.large.Free())
}
