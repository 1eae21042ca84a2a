package platform

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// now is the clock by which buckets fill up again.
func now(isolated *kit.IsolatedStack) time.Time {
	isolated.T.Helper()
	var now time.Time
	require.NoError(isolated.T, isolated.DB().QueryRow(isolated.T.Context(), `SELECT clock_timestamp()`).Scan(&now))
	return now
}

// flood calls through all sessions until so many calls have passed, then through
// each until it is refused. It counts what passed, and tells between which
// times all was given that there was.
func flood(isolated *kit.IsolatedStack, sessions []*client.Session, most int64) (passed int64, least, longest time.Duration) {
	isolated.T.Helper()
	var ok atomic.Int64
	call := func(session *client.Session) bool {
		reply, err := session.Send(isolated.T.Context(), "/v2/"+client.ListDefinitions, []byte(`{"data":{}}`), nil)
		if err != nil {
			isolated.T.Error(err)
			return false
		}
		if reply.HTTP == http.StatusOK {
			ok.Add(1)
			return true
		}
		seconds, err := strconv.Atoi(reply.Header.Get("retry-after"))
		assert.True(isolated.T, reply.HTTP == http.StatusTooManyRequests && err == nil && seconds >= 1, "retry-after is whole seconds: %s", reply.Body)
		return false
	}
	began := now(isolated)
	kit.Concurrently(len(sessions)*4, func(i int) {
		for ok.Load() < most && !isolated.T.Failed() {
			call(sessions[i%len(sessions)])
		}
	})
	least = now(isolated).Sub(began)
	for _, session := range sessions {
		for call(session) {
			continue
		}
	}
	return ok.Load(), least, now(isolated).Sub(began)
}

func TestSecurity_3_ThreeProcessesShareOneBucket(t *testing.T) {
	lab := kit.NewIsolatedStack(t)
	const rate = 1000
	var sessions []*client.Session
	var env *kit.Env
	for i := range 3 {
		api := lab.StartProcess("api", fmt.Sprintf("REDLINE_RATE_KEY_PER_MIN=%d", rate))
		if i == 0 {
			env = lab.NewWorkspace(api)
		}
		sessions = append(sessions, env.Keyed.At(api.URL))
	}
	for _, minute := range []string{"the full bucket", "a minute later", "two minutes later"} {
		passed, least, longest := flood(lab, sessions, rate)
		// Fractions of a token stay in the bucket, and in what each process knows of it.
		require.GreaterOrEqual(t, float64(passed), rate+least.Minutes()*rate-5, minute)
		require.LessOrEqual(t, float64(passed), rate*1.05+longest.Minutes()*rate+5, minute)
		_, err := lab.DB().Exec(t.Context(), `UPDATE rate_buckets SET filled_at = filled_at - interval '1 minute'`)
		require.NoError(t, err)
	}
}

func TestLimits_OfOneWorkspaceSetByAnOperator(t *testing.T) {
	lab := kit.NewIsolatedStack(t)
	api := lab.StartProcess("api", "REDLINE_RATE_KEY_PER_MIN=1000", "REDLINE_RATE_WORKSPACE_PER_MIN=6")
	env, other := lab.NewWorkspace(api), lab.NewWorkspace(api)
	lab.Operate("limits", "set", env.Workspace.ID, "key", "2")
	// limited calls until it is refused, and returns the seconds to wait.
	limited := func(session *client.Session, path string) (seconds int) {
		kit.RequireEventually(t, "the limit is reached", func() bool {
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
	require.LessOrEqual(t, limited(env.Keyed, "/v2/"+client.ListDefinitions), 30, "two a minute are one in 30 seconds")
	require.True(t, kit.Opens(t, other.Keyed), "others keep theirs")
	require.LessOrEqual(t, limited(env.Owner, "/v2/"+client.ListKeys), 10, "the usual limit of a workspace")
	lab.Operate("limits", "set", env.Workspace.ID, "knowledge-status", "1")
	kit.RequireEventually(t, "the new limit of one operation counts", func() bool {
		failure := env.Refused(client.IngestStatus, map[string]any{"sourceId": "src_none"})
		return failure.Status == "RESOURCE_EXHAUSTED"
	})
	lab.Operate("limits", "set", env.Workspace.ID, "workspace", "0")
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
	env := kit.NewWorkspace(t)
	reply, err := env.Keyed.Send(t.Context(), "/v2/"+client.ListDefinitions, []byte(`{"data":{}}`), map[string]string{"x-long": strings.Repeat("x", 12<<10)})
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP)
	reply, err = env.Keyed.Send(t.Context(), "/v2/"+client.ListDefinitions, []byte(`{"data":{}}`), map[string]string{"x-long": strings.Repeat("x", 20<<10)})
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, reply.HTTP)
	require.Equal(t, "headers-too-large", reply.Failure().Reason)
	require.NotEmpty(t, reply.Header.Get("x-request-id"))
	require.Equal(t, "no-store", reply.Header.Get("cache-control"))
}

func TestOperationsNeedOnlyPostgres(t *testing.T) {
	lab := kit.NewIsolatedStack(t)
	api := lab.StartProcess("api", "REDLINE_WEAVIATE_ADDR=127.0.0.1:1", "REDLINE_WEAVIATE_GRPC_ADDR=127.0.0.1:1")
	lab.Temporal.Down()
	defer func() { require.NoError(t, lab.Temporal.Up()) }()
	env := lab.NewWorkspace(api)
	kit.Reset(env, kit.NewKey(env, nil).APIKey)
	lab.Rows.Cut()
	failure := kit.Declined(t, env.Owner, client.GetWorkspace, map[string]any{}, "UNAVAILABLE", "")
	require.Equal(t, "1", failure.Header.Get("retry-after"))
	kit.Declined(t, client.Public(api.URL), client.WorkspaceCreate, map[string]any{"ownerEmail": kit.OwnerEmail(kit.Unique("o"))}, "UNAVAILABLE", "")
	require.NoError(t, lab.Rows.Mend())
	kit.RequireEventually(t, "it is back without a restart", func() bool {
		reply, err := env.Owner.Send(t.Context(), "/v2/"+client.GetWorkspace, []byte(`{"data":{}}`), nil)
		return err == nil && reply.HTTP == http.StatusOK
	})
}
