package tests

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSecurity_1_ATokenBesideAnotherKeysID(t *testing.T) {
	s := begin(t)
	made := s.newKey(nil)
	unknown := declined(t, keySession(s.keyed, "ak_unknown", *made.AuthToken), listExecutions, map[string]any{}, "UNAUTHENTICATED", "")
	mixed := declined(t, keySession(s.keyed, s.workspace.APIKey, *made.AuthToken), listExecutions, map[string]any{}, "UNAUTHENTICATED", "")
	require.Equal(t, unknown.HTTP, mixed.HTTP)
	require.Equal(t, unknown.Message, mixed.Message)
	require.Equal(t, unknown.Reason, mixed.Reason)
}

func TestSecurity_6_AMegabyteOfBracketsIsRefusedAtTheLimitOfDepth(t *testing.T) {
	s := begin(t)
	const tooDeep = "the body nests deeper than 64 levels"
	failure := send(t, s.keyed, getPath, strings.Repeat("[", bodySize), nil)
	require.Equal(t, http.StatusBadRequest, failure.HTTP)
	require.Equal(t, "INVALID_ARGUMENT", failure.Status)
	require.Contains(t, failure.Message, tooDeep)
	// The refusal comes at the first bracket too many: what follows is not read.
	failure = send(t, s.keyed, getPath, strings.Repeat("[", 65)+"}{ no JSON", nil)
	require.Contains(t, failure.Message, tooDeep)
}

// now is the clock by which buckets fill up again.
func (s *scene) now() time.Time {
	s.t.Helper()
	var now time.Time
	require.NoError(s.t, s.rows().QueryRow(s.ctx, `SELECT clock_timestamp()`).Scan(&now))
	return now
}

func TestSecurity_2_AThousandWrongTokensDoNotBlockValidCalls(t *testing.T) {
	const rate = 300
	s := beginWith(t, fmt.Sprintf("REDLINE_RATE_IP_PER_MIN=%d", rate))
	wrong := keySession(s.keyed, s.workspace.APIKey, "kat_wrong")
	var refused atomic.Int64
	began := s.now()
	together(10, func(int) {
		for range 100 {
			reply, err := wrong.Send(t.Context(), "/v2/workflow/definitions/list", []byte(`{"data":{}}`), nil)
			if err != nil {
				t.Error(err)
				return
			}
			switch reply.HTTP {
			case http.StatusUnauthorized:
				refused.Add(1)
			case http.StatusTooManyRequests:
				assert.NotEmpty(t, reply.Header.Get("retry-after"))
			default:
				assert.Fail(t, "neither", "%s", reply.Body)
			}
		}
	})
	refilled := s.now().Sub(began).Minutes() * rate
	require.GreaterOrEqual(t, refused.Load(), int64(rate))
	require.LessOrEqual(t, float64(refused.Load()), rate*1.05+refilled+1, "failures have a limit of their own")
	for range 50 {
		require.True(t, opens(t, s.keyed), "valid calls from the address still pass")
	}
}

// dial opens a bare connection to the process.
func (s *scene) dial() net.Conn {
	s.t.Helper()
	conn, err := (&net.Dialer{}).DialContext(s.ctx, "tcp", strings.TrimPrefix(s.owner.BaseURL, "http://"))
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestSecurity_7_ABodySentOneByteASecondEndsInTime(t *testing.T) {
	s := begin(t)
	conn := s.dial()
	_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nx-svc-api-key: %s\r\nx-svc-auth-token: %s\r\n\r\n",
		getPath, s.workspace.APIKey, s.workspace.AuthToken)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var sender sync.WaitGroup
	sender.Go(func() {
		for ctx.Err() == nil {
			if _, err := conn.Write([]byte("{")); err != nil {
				return // the connection was closed, as it should be
			}
			pause(ctx, time.Second)
		}
	})
	require.NoError(t, conn.SetReadDeadline(time.Now().Add(2*time.Minute)))
	reader := bufio.NewReader(conn)
	answer, err := http.ReadResponse(reader, nil)
	require.NoError(t, err)
	assert.Equal(t, http.StatusGatewayTimeout, answer.StatusCode)
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	assert.Contains(t, string(text), "DEADLINE_EXCEEDED")
	_, err = reader.ReadByte()
	require.Error(t, err, "and the connection is closed")
	stop()
	sender.Wait()
}

func TestRequests_StalledConnectionsDoNotDelayOthers(t *testing.T) {
	s := begin(t)
	const stalled = 500
	conns := make([]net.Conn, stalled)
	for i := range conns {
		conns[i] = s.dial()
		begin := "POST " + getPath + " HTTP/1.1\r\nHost: x\r\n"
		if i%2 == 0 { // half of them stall in the body
			begin += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: 1000\r\nx-svc-api-key: %s\r\nx-svc-auth-token: %s\r\n\r\n{", s.workspace.APIKey, s.workspace.AuthToken)
		}
		_, err := io.WriteString(conns[i], begin)
		require.NoError(t, err)
	}
	for range 5 {
		require.True(t, opens(t, s.keyed))
	}
	for i := 0; i < stalled; i += 2 {
		require.NoError(t, conns[i].SetReadDeadline(time.Now().Add(time.Millisecond)))
		_, err := conns[i].Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded, "the others were answered while this one still stalled")
	}
	require.NoError(t, conns[1].SetReadDeadline(time.Now().Add(patience)))
	_, err := io.ReadAll(conns[1])
	require.NoError(t, err, "headers that do not come end the connection after 5 s")
}
