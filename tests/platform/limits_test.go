package platform

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestLimits_OfOneWorkspaceSetByAnOperator(t *testing.T) {
	env, _ := kit.Beside(kit.NewWorkspace(t), "REDLINE_RATE_KEY_PER_MIN=1000", "REDLINE_RATE_WORKSPACE_PER_MIN=6")
	other := kit.Elsewhere(env)
	kit.Operate(t, "limits", "set", env.Workspace.ID, "key", "2")
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
	kit.Operate(t, "limits", "set", env.Workspace.ID, "knowledge-status", "1")
	kit.RequireEventually(t, "the new limit of one operation counts", func() bool {
		failure := env.Refused(client.IngestStatus, map[string]any{"sourceId": "src_none"})
		return failure.Status == "RESOURCE_EXHAUSTED"
	})
	kit.Operate(t, "limits", "set", env.Workspace.ID, "workspace", "0")
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
	require.Equal(t, redline.ErrorDetailsReasonHeadersTooLarge, reply.Failure().Reason)
	require.NotEmpty(t, reply.Header.Get("x-request-id"))
	require.Equal(t, "no-store", reply.Header.Get("cache-control"))
}

func TestOperationsNeedOnlyPostgres(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api := isolated.StartProcess("api", "REDLINE_WEAVIATE_ADDR=127.0.0.1:1", "REDLINE_WEAVIATE_GRPC_ADDR=127.0.0.1:1")
	isolated.Temporal.Down()
	defer func() { require.NoError(t, isolated.Temporal.Up()) }()
	env := isolated.NewWorkspace(api)
	kit.Reset(env, kit.NewKey(env, nil).APIKey)
	isolated.Rows.Cut()
	failure := kit.Declined(t, env.Owner, client.GetWorkspace, map[string]any{}, "UNAVAILABLE", "")
	require.Equal(t, time.Second, failure.RetryAfter)
	kit.Declined(t, client.Public(api.URL), client.WorkspaceCreate, map[string]any{"ownerEmail": kit.OwnerEmail(kit.Unique("o"))}, "UNAVAILABLE", "")
	require.NoError(t, isolated.Rows.Mend())
	kit.RequireEventually(t, "it is back without a restart", func() bool {
		reply, err := env.Owner.Send(t.Context(), "/v2/"+client.GetWorkspace, []byte(`{"data":{}}`), nil)
		return err == nil && reply.HTTP == http.StatusOK
	})
}
