package workflow

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestDeleteDefinition_1_AgainstDispatch(t *testing.T) {
	env := kit.NewWorkspace(t)
	for round := range 10 {
		id := kit.SignOff(env)
		var deleted, dispatched error
		var started redline.DispatchResult
		kit.Concurrently(2, func(i int) {
			if i == 0 {
				_, deleted = client.Call[kit.View](env.Ctx, env.Keyed, client.DeleteDefinition, map[string]any{"definitionId": id, "purge": false})
				return
			}
			started, dispatched = env.Workspace.Dispatch(env.Ctx, redline.DispatchRequest{DefinitionID: id})
		})
		if deleted == nil {
			failure := redline.AsError(dispatched)
			require.NotNil(t, failure, "round %d: an execution of a deleted definition", round)
			require.Equal(t, redline.ProblemStatusFailedPrecondition, failure.Status)
			continue
		}
		failure := redline.AsError(deleted)
		require.NotNil(t, failure, "%v", deleted)
		require.Equal(t, redline.ProblemStatusFailedPrecondition, failure.Status)
		require.NoError(t, dispatched)
		(&kit.Run{S: env, ID: started.ExecutionID}).WaitsAt("review")
		env.RefusedAs("FAILED_PRECONDITION", client.DeleteDefinition, map[string]any{"definitionId": id, "purge": true})
	}
}

func TestDeleteDefinition_2_KeysOutliveIt(t *testing.T) {
	env := kit.NewWorkspace(t)
	id := kit.Instant(env)
	first := kit.Dispatch(env, id, kit.Key("kept"))
	first.Ends("completed")
	var answer kit.View
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": id}, &answer)
	require.Equal(t, kit.View{"deleted": true, "purged": false, "definitionId": id}, answer)
	require.Equal(t, first.ID, kit.Dispatch(env, id, kit.Key("kept")).ID)
	env.RefusedAs("FAILED_PRECONDITION", client.StartExecution, redline.DispatchRequest{DefinitionID: id})
	env.RefusedAs("NOT_FOUND", client.GetDefinition, map[string]any{"definitionId": id})
	env.RefusedAs("NOT_FOUND", client.DeleteDefinition, map[string]any{"definitionId": id})
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": id, "purge": true}, &answer)
	require.Equal(t, true, answer["purged"])
	require.Equal(t, first.ID, kit.Dispatch(env, id, kit.Key("kept")).ID)
	env.RefusedAs("NOT_FOUND", client.StartExecution, redline.DispatchRequest{DefinitionID: id})
	require.Equal(t, redline.ExecutionStatusCompleted, first.View().Status)
}
