package platform

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

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
