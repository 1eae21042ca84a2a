package platform

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Executions, a schedule, comments, judgments, a source and webhooks of a workspace that is deleted are
// all removed, in Temporal and the index too: the job ends when nothing is left there.
func TestDeleteWorkspace_2_NothingIsLeftAnywhere(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Asks(env, kit.Reviewers(2))
	kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("author", env.Receiver().URL("/cms"))}), kit.WithReceiver(env, "/events"))
	kit.CalledAt(env, "/cms")
	id := env.Workspace.ID
	kit.Operate(t, "workspace", "delete", id, id)
	kit.Declined(t, env.Owner, client.GetWorkspace, map[string]any{}, "UNAUTHENTICATED", "")
	kit.Declined(t, env.Keyed, client.ListExecutions, map[string]any{}, "UNAUTHENTICATED", "")
	kit.RequireWithin(t, 3*time.Minute, "nothing is left", func() bool {
		left := map[string]int64{}
		require.NoError(t, json.Unmarshal([]byte(kit.Operate(t, "workspace", "delete", "--status", id, "--json")), &left))
		return len(left) == 0
	})
	require.NotEmpty(t, kit.Audited(t, kit.Operate(t, "audit", "--json", "--workspace", id)))
}

// tablesHolding returns what counts the tables that hold rows of a workspace, as the operator's
// tool does, without a process for each look.
func tablesHolding(isolated *kit.IsolatedStack, workspaceID string) func() int {
	t := isolated.T
	t.Helper()
	rows := isolated.DB()
	var counts string
	require.NoError(t, rows.QueryRow(t.Context(), `SELECT string_agg(format('EXISTS (SELECT FROM %I WHERE %I = $1)::integer', table_name, column_name), ' + ')
FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT IN ('audit_rows', 'storage_changes')
AND (column_name = 'workspace_id' OR (table_name, column_name) = ('workspaces', 'id'))`).Scan(&counts))
	return func() (tables int) {
		require.NoError(t, rows.QueryRow(t.Context(), "SELECT "+counts, workspaceID).Scan(&tables))
		return tables
	}
}

func TestDeleteWorkspace_1_KilledAtSeveralStagesItGoesOn(t *testing.T) { killDeleting(t, 5) }

func TestLong_DeleteWorkspace_1_KilledAtEveryStageItGoesOn(t *testing.T) { killDeleting(t, 1) }

// killDeleting kills the process each time that so many tables more are empty, and the next one goes on.
func killDeleting(t *testing.T, some int) {
	t.Helper()
	isolated := kit.NewIsolatedStack(t)
	serve := isolated.StartProcess("serve", "REDLINE_WORK_LOCK=2s")
	env := isolated.NewWorkspace(serve)
	kit.Asks(env, kit.Reviewers(2))
	kit.BroughtIn(env, kit.Ingest(env, "Paper must be signed."), "completed")
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "Whose is this?"))))
	stays := isolated.NewWorkspace(serve)
	kit.Annotate(stays, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "Mine."))))
	id := env.Workspace.ID
	isolated.Operate("workspace", "delete", id, id)
	left := func() (tables int) {
		found := map[string]int64{}
		require.NoError(t, json.Unmarshal([]byte(isolated.Operate("workspace", "delete", "--status", id, "--json")), &found))
		return len(found)
	}
	holding := tablesHolding(isolated, id)
	killed := 0
	for before := left(); before > 0; {
		kit.RequireWithin(t, 3*time.Minute, "less is left", func() bool { return holding() <= max(0, before-some) })
		serve.Kill()
		killed++
		before = left()
		require.Equal(t, before, holding(), "the tool counts the same")
		isolated.Restart(serve)
	}
	require.Positive(t, killed)
	require.Len(t, kit.Older[[]redline.Annotation](stays, kit.GetAnnotations, kit.Doc("d")).Data, 1)
	isolated.AtRest()
}

func TestStop_NoCallBeginsUntilItIsResumed(t *testing.T) {
	env := kit.NewWorkspace(t)
	gate := env.Receiver().Hold("/first")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("first", env.Receiver().URL("/first")), client.Hook("second", env.Receiver().URL("/second"))},
		client.Always("first", "second")))
	kit.RequireReached(t, "the call", gate.Reached())
	kit.Operate(t, "workspace", "stop", env.Workspace.ID)
	kit.Declined(t, env.Keyed, client.ListExecutions, map[string]any{}, "PERMISSION_DENIED", "")
	gate.Release() // what is under way ends
	other := kit.Elsewhere(env)
	kit.Dispatch(other, kit.Define(other, []redline.NodeInput{client.Hook("later", env.Receiver().URL("/later"))})).Ends("completed")
	require.Empty(t, env.Receiver().Requests("/second"))
	kit.Operate(t, "workspace", "resume", env.Workspace.ID)
	r.Ends("completed")
	require.Len(t, env.Receiver().Requests("/second"), 1)
}
