package workflow

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// suspended closes the interface for the workspace, and opens it again as the function is called.
func suspended(env *kit.Env) (resume func()) {
	env.T.Helper()
	set := func(to string) {
		env.T.Helper()
		_, err := env.DB().Exec(env.Ctx, `UPDATE workspaces SET suspended_at = `+to+` WHERE id = $1`, env.Workspace.ID)
		require.NoError(env.T, err)
	}
	set("now()")
	env.RefusedAs("PERMISSION_DENIED", client.ListExecutions, map[string]any{})
	return func() { set("NULL") }
}

// What a suspended workspace has set in motion goes on, and what it waits for still comes in.
func TestCallback_OfASuspendedWorkspaceIsTaken(t *testing.T) {
	env := kit.NewWorkspace(t)
	after := client.Hook("after", env.Receiver().URL("/after"))
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("author", env.Receiver().URL("/cms")), after}, client.Always("author", "after")))
	r.WaitsAt("author")
	cms := kit.CalledAt(env, "/cms")
	resume := suspended(env)
	cms.Accepted(done(nil))
	env.Arrived("/after", receiver.Count(1))
	resume()
	r.Ends("completed")
}

func TestRecordAgentResolution_OfASuspendedWorkspaceIsTaken(t *testing.T) {
	env := kit.NewWorkspace(t)
	anAgentAt(env, "/agent")
	gate := env.Receiver().Hold("/agent")
	defer gate.Release()
	r := kit.AsksAgent(env, client.Agent("check", "checker"))
	call := kit.CalledAgent(env, "/agent")
	early := r.Resolves("check", "r1", "resolved")
	resume := suspended(env)
	answer, err := client.Call[redline.DecideResult](env.Ctx, byToken(env, call.Callback.Token), client.RecordResolution, early)
	require.NoError(t, err)
	require.True(t, answer.Recorded)
	gate.Release()
	resume()
	r.Ends("completed")
}
