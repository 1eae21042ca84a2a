package tests

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/stack"
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

// now is the clock by which buckets fill up again.
func (l *lab) now() time.Time {
	l.t.Helper()
	var now time.Time
	require.NoError(l.t, l.rows().QueryRow(l.t.Context(), `SELECT clock_timestamp()`).Scan(&now))
	return now
}

func TestSecurity_2_AThousandWrongTokensDoNotBlockValidCalls(t *testing.T) {
	const rate = 300
	lab := newLab(t)
	api := lab.start("api", fmt.Sprintf("REDLINE_RATE_IP_PER_MIN=%d", rate))
	s := lab.begin(api)
	wrong := keySession(s.keyed, s.workspace.APIKey, "kat_wrong")
	var refused atomic.Int64
	began := lab.now()
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
	refilled := lab.now().Sub(began).Minutes() * rate
	require.GreaterOrEqual(t, refused.Load(), int64(rate))
	require.LessOrEqual(t, float64(refused.Load()), rate*1.05+refilled+1, "failures have a limit of their own")
	for range 50 {
		require.True(t, opens(t, s.keyed), "valid calls from the address still pass")
	}
}

// flood calls through all sessions until so many calls have passed, then through
// each until it is refused. It counts what passed, and tells between which
// times all was given that there was.
func (l *lab) flood(sessions []*client.Session, most int64) (passed int64, least, longest time.Duration) {
	l.t.Helper()
	var ok atomic.Int64
	call := func(session *client.Session) bool {
		reply, err := session.Send(l.t.Context(), "/v2/workflow/definitions/list", []byte(`{"data":{}}`), nil)
		if err != nil {
			l.t.Error(err)
			return false
		}
		if reply.HTTP == http.StatusOK {
			ok.Add(1)
			return true
		}
		seconds, err := strconv.Atoi(reply.Header.Get("retry-after"))
		assert.True(l.t, reply.HTTP == http.StatusTooManyRequests && err == nil && seconds >= 1, "retry-after is whole seconds: %s", reply.Body)
		return false
	}
	began := l.now()
	together(len(sessions)*4, func(i int) {
		for ok.Load() < most && !l.t.Failed() {
			call(sessions[i%len(sessions)])
		}
	})
	least = l.now().Sub(began)
	for _, session := range sessions {
		for call(session) {
			continue
		}
	}
	return ok.Load(), least, l.now().Sub(began)
}

func TestSecurity_3_ThreeProcessesShareOneBucket(t *testing.T) {
	lab := newLab(t)
	const rate = 1000
	var sessions []*client.Session
	var s *scene
	for i := range 3 {
		api := lab.start("api", fmt.Sprintf("REDLINE_RATE_KEY_PER_MIN=%d", rate))
		if i == 0 {
			s = lab.begin(api)
		}
		sessions = append(sessions, s.keyed.At(api.URL))
	}
	for _, minute := range []string{"the full bucket", "a minute later", "two minutes later"} {
		passed, least, longest := lab.flood(sessions, rate)
		// Fractions of a token stay in the bucket, and in what each process knows of it.
		require.GreaterOrEqual(t, float64(passed), rate+least.Minutes()*rate-5, minute)
		require.LessOrEqual(t, float64(passed), rate*1.05+longest.Minutes()*rate+5, minute)
		_, err := lab.rows().Exec(t.Context(), `UPDATE rate_buckets SET filled_at = filled_at - interval '1 minute'`)
		require.NoError(t, err)
	}
}

func TestLimits_OfOneWorkspaceSetByAnOperator(t *testing.T) {
	lab := newLab(t)
	api := lab.start("api", "REDLINE_RATE_KEY_PER_MIN=1000", "REDLINE_RATE_WORKSPACE_PER_MIN=6")
	s, other := lab.begin(api), lab.begin(api)
	lab.operate("limits", "set", s.workspace.ID, "key", "2")
	// limited calls until it is refused, and gives the seconds to wait.
	limited := func(session *client.Session, path string) (seconds int) {
		eventually(t, "the limit is reached", func() bool {
			reply, err := session.Send(t.Context(), path, []byte(`{"data":{}}`), nil)
			require.NoError(t, err)
			if reply.HTTP == http.StatusOK {
				return false
			}
			require.Equal(t, "RESOURCE_EXHAUSTED", reply.Failure().Status)
			seconds, err = strconv.Atoi(reply.Header.Get("retry-after"))
			require.NoError(t, err)
			return true
		})
		return seconds
	}
	require.LessOrEqual(t, limited(s.keyed, "/v2/workflow/definitions/list"), 30, "two a minute are one in 30 seconds")
	require.True(t, opens(t, other.keyed), "others keep theirs")
	require.LessOrEqual(t, limited(s.owner, "/v2/workspace/apikeys/get"), 10, "the usual limit of a workspace")
	lab.operate("limits", "set", s.workspace.ID, "knowledge-status", "1")
	eventually(t, "the new limit of one operation counts", func() bool {
		failure := s.refused("memory/knowledge/ingest-status", map[string]any{"sourceId": "src_none"})
		return failure.Status == "RESOURCE_EXHAUSTED"
	})
	lab.operate("limits", "set", s.workspace.ID, "workspace", "0")
	eventually(t, "the limit is off", func() bool {
		for range 30 {
			reply, err := s.owner.Send(t.Context(), "/v2/workspace/apikeys/get", []byte(`{"data":{}}`), nil)
			require.NoError(t, err)
			if reply.HTTP != http.StatusOK {
				return false
			}
		}
		return true
	})
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

// dial opens a bare connection to a process.
func dial(t *testing.T, api *stack.Service) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", strings.TrimPrefix(api.URL, "http://"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestSecurity_7_ABodySentOneByteASecondEndsInTime(t *testing.T) {
	lab := newLab(t)
	api := lab.start("api")
	s := lab.begin(api)
	conn := dial(t, api)
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
	lab := newLab(t)
	api := lab.start("api")
	s := lab.begin(api)
	const stalled = 500
	conns := make([]net.Conn, stalled)
	for i := range conns {
		conns[i] = dial(t, api)
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

func TestRequests_HeadersBeyond16KiB(t *testing.T) {
	s := begin(t)
	reply, err := s.keyed.Send(t.Context(), "/v2/workflow/definitions/list", []byte(`{"data":{}}`), map[string]string{"x-long": strings.Repeat("x", 12<<10)})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP)
	reply, err = s.keyed.Send(t.Context(), "/v2/workflow/definitions/list", []byte(`{"data":{}}`), map[string]string{"x-long": strings.Repeat("x", 20<<10)})
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, reply.HTTP)
	require.Equal(t, "headers-too-large", reply.Failure().Reason)
	require.NotEmpty(t, reply.Header.Get("x-request-id"))
	require.Equal(t, "no-store", reply.Header.Get("cache-control"))
}

func TestOperationsNeedOnlyPostgres(t *testing.T) {
	lab := newLab(t)
	api := lab.start("api", "REDLINE_WEAVIATE_ADDR=127.0.0.1:1", "REDLINE_WEAVIATE_GRPC_ADDR=127.0.0.1:1")
	lab.Engine.Down()
	defer func() { require.NoError(t, lab.Engine.Up()) }()
	s := lab.begin(api)
	s.reset(s.newKey(nil).APIKey)
	lab.Rows.Cut()
	failure := declined(t, s.owner, getWorkspace, map[string]any{}, "UNAVAILABLE", "")
	require.Equal(t, "1", failure.Header.Get("retry-after"))
	declined(t, client.Public(api.URL), createWorkspace, map[string]any{"ownerEmail": stories(unique("o"))}, "UNAVAILABLE", "")
	require.NoError(t, lab.Rows.Mend())
	eventually(t, "it is back without a restart", func() bool {
		reply, err := s.owner.Send(t.Context(), "/v2/workspace/get", []byte(`{"data":{}}`), nil)
		return err == nil && reply.HTTP == http.StatusOK
	})
}
