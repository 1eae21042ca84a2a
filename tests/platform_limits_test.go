package tests

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

	"github.com/redline-svc/redline/tests/client"
)

// now is the clock by which buckets fill up again.
func (l *lab) now() time.Time {
	l.t.Helper()
	var now time.Time
	require.NoError(l.t, l.rows().QueryRow(l.t.Context(), `SELECT clock_timestamp()`).Scan(&now))
	return now
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
