package api_test

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

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestSecurity_1_ATokenBesideAnotherKeysID(t *testing.T) {
	env := newWorkspace(t)
	made := kit.NewKey(env, nil)
	unknown := kit.Declined(t, kit.KeySession(env.Keyed, "ak_unknown", *made.AuthToken), client.ListExecutions, map[string]any{}, "UNAUTHENTICATED", "")
	mixed := kit.Declined(t, kit.KeySession(env.Keyed, env.Workspace.APIKey, *made.AuthToken), client.ListExecutions, map[string]any{}, "UNAUTHENTICATED", "")
	require.Equal(t, unknown.HTTPStatus, mixed.HTTPStatus)
	require.Equal(t, unknown.Message, mixed.Message)
	require.Equal(t, unknown.Reason, mixed.Reason)
}

func TestSecurity_6_AMegabyteOfBracketsIsRefusedAtTheLimitOfDepth(t *testing.T) {
	env := newWorkspace(t)
	const tooDeep = "the body nests deeper than 64 levels"
	failure := kit.Send(t, env.Keyed, kit.GetPath, strings.Repeat("[", kit.BodySize), nil)
	require.Equal(t, http.StatusBadRequest, failure.HTTPStatus)
	require.Equal(t, redline.ProblemStatusInvalidArgument, failure.Status)
	require.Contains(t, failure.Message, tooDeep)
	// The refusal comes at the first bracket too many: what follows is not read.
	failure = kit.Send(t, env.Keyed, kit.GetPath, strings.Repeat("[", 65)+"}{ no JSON", nil)
	require.Contains(t, failure.Message, tooDeep)
}

// now is the clock by which buckets fill up again.
func now(env *kit.Env) time.Time {
	env.T.Helper()
	var now time.Time
	require.NoError(env.T, env.DB().QueryRow(env.Ctx, `SELECT clock_timestamp()`).Scan(&now))
	return now
}

func TestSecurity_2_AThousandWrongTokensDoNotBlockValidCalls(t *testing.T) {
	const rate = 300
	env := newWorkspaceWith(t, fmt.Sprintf("REDLINE_RATE_IP_PER_MIN=%d", rate))
	wrong := kit.KeySession(env.Keyed, env.Workspace.APIKey, "kat_wrong")
	var refused atomic.Int64
	began := now(env)
	kit.Concurrently(10, func(int) {
		for range 100 {
			reply, err := wrong.Send(t.Context(), "/v2/"+client.ListDefinitions, []byte(`{"data":{}}`), nil)
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
	refilled := now(env).Sub(began).Minutes() * rate
	require.GreaterOrEqual(t, refused.Load(), int64(rate))
	require.LessOrEqual(t, float64(refused.Load()), rate*1.05+refilled+1, "failures have a limit of their own")
	for range 50 {
		require.True(t, kit.Opens(t, env.Keyed), "valid calls from the address still pass")
	}
}

// dial opens a bare connection to the process.
func dial(env *kit.Env) net.Conn {
	env.T.Helper()
	conn, err := (&net.Dialer{}).DialContext(env.Ctx, "tcp", strings.TrimPrefix(env.Owner.BaseURL, "http://"))
	require.NoError(env.T, err)
	env.T.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestSecurity_7_ABodySentOneByteASecondEndsInTime(t *testing.T) {
	env := newWorkspace(t)
	conn := dial(env)
	_, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nx-svc-api-key: %s\r\nx-svc-auth-token: %s\r\n\r\n",
		kit.GetPath, env.Workspace.APIKey, env.Workspace.AuthToken)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	var sender sync.WaitGroup
	sender.Go(func() {
		for ctx.Err() == nil {
			if _, err := conn.Write([]byte("{")); err != nil {
				return // the connection was closed, as it should be
			}
			kit.Pause(ctx, time.Second)
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
	env := newWorkspace(t)
	const stalled = 500
	conns := make([]net.Conn, stalled)
	for i := range conns {
		conns[i] = dial(env)
		begin := "POST " + kit.GetPath + " HTTP/1.1\r\nHost: x\r\n"
		if i%2 == 0 { // half of them stall in the body
			begin += fmt.Sprintf("Content-Type: application/json\r\nContent-Length: 1000\r\nx-svc-api-key: %s\r\nx-svc-auth-token: %s\r\n\r\n{", env.Workspace.APIKey, env.Workspace.AuthToken)
		}
		_, err := io.WriteString(conns[i], begin)
		require.NoError(t, err)
	}
	for range 5 {
		require.True(t, kit.Opens(t, env.Keyed))
	}
	for i := 0; i < stalled; i += 2 {
		require.NoError(t, conns[i].SetReadDeadline(time.Now().Add(time.Millisecond)))
		_, err := conns[i].Read(make([]byte, 1))
		require.ErrorIs(t, err, os.ErrDeadlineExceeded, "the others were answered while this one still stalled")
	}
	require.NoError(t, conns[1].SetReadDeadline(time.Now().Add(kit.Patience)))
	_, err := io.ReadAll(conns[1])
	require.NoError(t, err, "headers that do not come end the connection after 5 s")
}

// flood calls through all sessions until so many calls have passed, then through
// each until it is refused. It counts what passed, and returns between which
// times all passed that could.
func flood(env *kit.Env, sessions []*client.Session, most int64) (passed int64, least, longest time.Duration) {
	env.T.Helper()
	var ok atomic.Int64
	call := func(session *client.Session) bool {
		reply, err := session.Send(env.T.Context(), "/v2/"+client.ListDefinitions, []byte(`{"data":{}}`), nil)
		if err != nil {
			env.T.Error(err)
			return false
		}
		if reply.HTTP == http.StatusOK {
			ok.Add(1)
			return true
		}
		seconds, err := strconv.Atoi(reply.Header.Get("retry-after"))
		assert.True(env.T, reply.HTTP == http.StatusTooManyRequests && err == nil && seconds >= 1, "retry-after is whole seconds: %s", reply.Body)
		return false
	}
	began := now(env)
	kit.Concurrently(len(sessions)*4, func(i int) {
		for ok.Load() < most && !env.T.Failed() {
			call(sessions[i%len(sessions)])
		}
	})
	least = now(env).Sub(began)
	for _, session := range sessions {
		for call(session) {
			continue
		}
	}
	return ok.Load(), least, now(env).Sub(began)
}

func TestSecurity_3_ThreeProcessesShareOneBucket(t *testing.T) {
	const rate = 1000
	limit := fmt.Sprintf("REDLINE_RATE_KEY_PER_MIN=%d", rate)
	env := newWorkspaceWith(t, limit)
	sessions := []*client.Session{env.Keyed, beside(env, limit).Keyed, beside(env, limit).Keyed}
	for _, minute := range []string{"the full bucket", "a minute later", "two minutes later"} {
		passed, least, longest := flood(env, sessions, rate)
		// Fractions of a token stay in the bucket, and in what each process knows of it.
		require.GreaterOrEqual(t, float64(passed), rate+least.Minutes()*rate-5, minute)
		require.LessOrEqual(t, float64(passed), rate*1.05+longest.Minutes()*rate+5, minute)
		_, err := env.DB().Exec(t.Context(), `UPDATE rate_buckets SET filled_at = filled_at - interval '1 minute'`)
		require.NoError(t, err)
	}
}

func TestLimits_OfOneWorkspaceSetByAnOperator(t *testing.T) {
	env := newWorkspaceWith(t, "REDLINE_RATE_KEY_PER_MIN=1000", "REDLINE_RATE_WORKSPACE_PER_MIN=6")
	other := kit.Elsewhere(env)
	operate(env).SetLimit(env.Workspace.ID, "key", 2)
	// limited calls until it is refused, and returns the seconds to wait.
	limited := func(session *client.Session, path string) (seconds int) {
		kit.RequireEventually(t, "the limit is reached", func() bool {
			reply, err := session.Send(t.Context(), path, []byte(`{"data":{}}`), nil)
			require.NoError(t, err)
			if reply.HTTP == http.StatusOK {
				return false
			}
			require.Equal(t, redline.ProblemStatusResourceExhausted, reply.Failure().Status)
			seconds, err = strconv.Atoi(reply.Header.Get("retry-after"))
			require.NoError(t, err)
			return true
		})
		return seconds
	}
	require.LessOrEqual(t, limited(env.Keyed, "/v2/"+client.ListDefinitions), 30, "two a minute are one in 30 seconds")
	require.True(t, kit.Opens(t, other.Keyed), "others keep theirs")
	require.LessOrEqual(t, limited(env.Owner, "/v2/"+client.ListKeys), 10, "the usual limit of a workspace")
	operate(env).SetLimit(env.Workspace.ID, "knowledge-status", 1)
	kit.RequireEventually(t, "the new limit of one operation counts", func() bool {
		failure := env.Refused(client.IngestStatus, map[string]any{"sourceId": "src_none"})
		return failure.Status == "RESOURCE_EXHAUSTED"
	})
	operate(env).SetLimit(env.Workspace.ID, "workspace", 0)
	kit.RequireEventually(t, "the limit is off", func() bool {
		for range 30 {
			reply, err := env.Owner.Send(t.Context(), "/v2/"+client.ListKeys, []byte(`{"data":{}}`), nil)
			require.NoError(t, err)
			if reply.HTTP != http.StatusOK {
				return false
			}
		}
		return true
	})
}

func TestRequests_HeadersBeyond16KiB(t *testing.T) {
	env := newWorkspace(t)
	reply, err := env.Keyed.Send(t.Context(), "/v2/"+client.ListDefinitions, []byte(`{"data":{}}`), map[string]string{"x-long": strings.Repeat("x", 12<<10)})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP)
	reply, err = env.Keyed.Send(t.Context(), "/v2/"+client.ListDefinitions, []byte(`{"data":{}}`), map[string]string{"x-long": strings.Repeat("x", 20<<10)})
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, reply.HTTP)
	require.Equal(t, redline.ErrorDetailsReasonHeadersTooLarge, reply.Failure().Reason)
	require.NotEmpty(t, reply.Header.Get("x-request-id"))
	require.Equal(t, "no-store", reply.Header.Get("cache-control"))
}
