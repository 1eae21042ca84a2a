package rpc

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/workspace"
)

// listen serves a bench on a real socket, with the limits of production but
// the one given for bodies.
func listen(t *testing.T, b *bench, body time.Duration) string {
	t.Helper()
	b.bodyTime = body
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := b.Listener(context.Background())
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return l.Addr().String()
}

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	return conn
}

const head = "POST /v2/test/loose HTTP/1.1\r\nHost: x\r\nContent-Length: 21\r\n\r\n"

func TestASlowBodyEndsIn504AndAClosedConnection(t *testing.T) {
	conn := dial(t, listen(t, newBench(t), 50*time.Millisecond))
	_, err := io.WriteString(conn, head+`{"data"`)
	require.NoError(t, err)
	in := bufio.NewReader(conn)
	answer, err := http.ReadResponse(in, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusGatewayTimeout, answer.StatusCode)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Contains(t, string(text), "DEADLINE_EXCEEDED")
	require.True(t, answer.Close)
	_, err = in.ReadByte()
	require.ErrorIs(t, err, io.EOF)
}

// pipe is a listener of the one connection that is sent to it.
type pipe chan net.Conn

func (p pipe) Accept() (net.Conn, error) {
	conn, open := <-p
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipe) Close() error { close(p); return nil }

func (p pipe) Addr() net.Addr { return &net.TCPAddr{} }

// piped serves a bench on a connection that keeps to the time of a bubble of
// synctest.
func piped(t *testing.T, b *bench) net.Conn {
	t.Helper()
	server, listener := b.Listener(t.Context()), make(pipe, 1)
	go func() { _ = server.Serve(listener) }()
	conn, served := net.Pipe()
	listener <- served
	t.Cleanup(func() { _, _ = server.Close(), conn.Close() })
	return conn
}

func TestADrippingBodyEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		conn, begun := piped(t, b), time.Now()
		_, err := io.WriteString(conn, head)
		require.NoError(t, err)
		var drip sync.WaitGroup
		drip.Go(func() {
			for err := error(nil); err == nil; { // each byte is progress, and still it ends
				time.Sleep(b.bodyTime / 10)
				_, err = io.WriteString(conn, " ")
			}
		})
		answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
		require.NoError(t, err)
		require.Equal(t, http.StatusGatewayTimeout, answer.StatusCode)
		require.Equal(t, b.bodyTime, time.Since(begun))
		require.NoError(t, conn.Close())
		drip.Wait()
	})
}

func TestAConnectionServesRequestAfterRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		conn := piped(t, b)
		in := bufio.NewReader(conn)
		for range 3 {
			_, err := io.WriteString(conn, head+`{"data":{"name":"a"}}`)
			require.NoError(t, err)
			answer, err := http.ReadResponse(in, nil)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, answer.StatusCode)
			_, err = io.Copy(io.Discard, answer.Body)
			require.NoError(t, err)
			time.Sleep(b.bodyTime + time.Second) // no deadline of a body may remain
		}
	})
}

func TestStalledConnectionsDoNotDelayOthers(t *testing.T) {
	addr := listen(t, newBench(t), time.Hour) // they stall for longer than anybody waits here
	for i := range 500 {
		text := head + `{"data"`
		if i%2 == 0 {
			text = head[:20]
		}
		_, err := io.WriteString(dial(t, addr), text)
		require.NoError(t, err)
	}
	conn := dial(t, addr)
	_, err := io.WriteString(conn, head+`{"data":{"name":"a"}}`)
	require.NoError(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode)
}

func TestHeadersAreBounded(t *testing.T) {
	b := newBench(t)
	addr := listen(t, b, time.Minute)
	filled := func(size int) string {
		return strings.Replace(head, "Host: x", "Host: x\r\nX-Fill: "+strings.Repeat("a", size), 1) + `{"data":{"name":"a"}}`
	}
	send := func(size int) reply { return answered(t, dial(t, addr), filled(size)) }
	require.Equal(t, http.StatusOK, send(15<<10).Code)
	for _, size := range []int{17 << 10, 200 << 10} {
		got := send(size)
		require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, got.Code)
		require.Equal(t, fault.StatusInvalidArgument, got.Error.Status)
		require.Equal(t, reason("headers-too-large"), got.Error.Details.Reason)
	}
	require.Contains(t, b.log.String(), `"http_status":431`)
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, exchanged(t, dial(t, addr), filled(2*maxHeaderRead)).StatusCode)
}

// bare is an answer as it came.
type bare struct {
	*http.Response

	text []byte
}

// exchanged sends the bytes as they are and reads an answer.
func exchanged(t *testing.T, conn net.Conn, text string) bare {
	t.Helper()
	go func() { _, _ = io.WriteString(conn, text) }() // the server need not read it to its end
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, answer.Body.Close()) }()
	got, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return bare{answer, got}
}

// answered sends the bytes as they are and reads an answer of ours, which has the
// headers that all of them have.
func answered(t *testing.T, conn net.Conn, text string) reply {
	t.Helper()
	answer := exchanged(t, conn, text)
	got := reply{ResponseRecorder: &httptest.ResponseRecorder{Code: answer.StatusCode}}
	require.NoError(t, json.Unmarshal(answer.text, &got))
	require.NotEmpty(t, answer.Header.Get("X-Request-Id"))
	require.Equal(t, "no-store", answer.Header.Get("Cache-Control"))
	require.Equal(t, "application/json", answer.Header.Get("Content-Type"))
	return got
}

// What is no request is answered by net/http, and ends its connection.
func TestWhatIsNoRequestIsRefused(t *testing.T) {
	addr := listen(t, newBench(t), time.Minute)
	for text, code := range map[string]int{
		"nonsense\r\n\r\n":                     http.StatusBadRequest,
		"POST /v2/test/loose HTTP/1.1\r\n\r\n": http.StatusBadRequest,
		"POST /v2/test/loose HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: odd\r\n\r\n": http.StatusNotImplemented,
		"POST /v2/test/loose HTTP/3.1\r\nHost: x\r\n\r\n":                           http.StatusHTTPVersionNotSupported,
		"POST /v2/test/loose HTTP/1.1\r\nHost: x\r\nExpect: more\r\n\r\n":           http.StatusExpectationFailed,
	} {
		got := exchanged(t, dial(t, addr), text)
		require.Equal(t, code, got.StatusCode, text)
		require.True(t, got.Close, text)
	}
	require.Equal(t, http.StatusOK, answered(t, dial(t, addr), head+`{"data":{"name":"a"}}`+"nonsense\r\n\r\n").Code)
	require.Equal(t, http.StatusNotFound, answered(t, dial(t, addr), "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").Code)
}

func TestAConnectionThatGoesBadAfterARequest(t *testing.T) {
	conn := dial(t, listen(t, newBench(t), time.Minute))
	in := bufio.NewReader(conn)
	for _, sent := range []struct {
		text string
		code int
	}{{head + `{"data":{"name":"a"}}`, http.StatusOK}, {"nonsense\r\n\r\n", http.StatusBadRequest}} {
		_, err := io.WriteString(conn, sent.text)
		require.NoError(t, err)
		answer, err := http.ReadResponse(in, nil)
		require.NoError(t, err)
		require.Equal(t, sent.code, answer.StatusCode)
		_, err = io.Copy(io.Discard, answer.Body)
		require.NoError(t, err)
	}
}

func TestAnAnswerThatTakesTooLongIsDeadlineExceeded(t *testing.T) {
	b := newBench(t)
	b.answerTime = 20 * time.Millisecond
	got := b.post(t, "/v2/test/fail", `{"data":{"with":"slow"}}`)
	require.Equal(t, http.StatusGatewayTimeout, got.Code)
	require.Contains(t, got.Error.Message, "repeating the call is safe")
}

// silent is a store of credentials that takes a question and never answers.
type silent struct{ fakeCredentials }

func (silent) Key(ctx context.Context, _, _ string) (workspace.Caller, error) {
	<-ctx.Done()
	return workspace.Caller{}, ctx.Err()
}

func TestCredentialsThatNobodyChecksInTimeAreDeadlineExceeded(t *testing.T) {
	b := newBench(t, func(o *Options) { o.Credentials = silent{} })
	b.answerTime = 20 * time.Millisecond
	require.Equal(t, http.StatusGatewayTimeout, b.post(t, "/v2/test/keyed", `{"data":{"name":"a"}}`).Code)
}

func TestAConnectionThatEndsInTheBody(t *testing.T) {
	b := newBench(t)
	r := httptest.NewRequest(http.MethodPost, "/v2/test/loose", io.MultiReader(strings.NewReader(`{"da`), broken{}))
	w := httptest.NewRecorder()
	b.ServeHTTP(w, r)
	require.Equal(t, http.StatusBadRequest, w.Code)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
