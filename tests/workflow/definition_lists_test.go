package workflow

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestDeleteDefinition_1_AgainstDispatch(t *testing.T) {
	env := kit.NewWorkspace(t)
	for round := range 10 {
		id := kit.SignOff(env)
		var deleted, dispatched error
		var started client.Dispatched
		kit.Concurrently(2, func(i int) {
			if i == 0 {
				_, deleted = client.Call[kit.View](env.Ctx, env.Keyed, client.DeleteDefinition, map[string]any{"definitionId": id, "purge": false})
				return
			}
			started, dispatched = env.Workspace.Dispatch(env.Ctx, client.Dispatch{DefinitionID: id})
		})
		if deleted == nil {
			failure := client.Refusal(dispatched)
			require.NotNil(t, failure, "round %d: an execution of a deleted definition", round)
			require.Equal(t, "FAILED_PRECONDITION", failure.Status)
			continue
		}
		failure := client.Refusal(deleted)
		require.NotNil(t, failure, "%v", deleted)
		require.Equal(t, "FAILED_PRECONDITION", failure.Status)
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
	env.RefusedAs("FAILED_PRECONDITION", client.StartExecution, client.Dispatch{DefinitionID: id})
	env.RefusedAs("NOT_FOUND", client.GetDefinition, map[string]any{"definitionId": id})
	env.RefusedAs("NOT_FOUND", client.DeleteDefinition, map[string]any{"definitionId": id})
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": id, "purge": true}, &answer)
	require.Equal(t, true, answer["purged"])
	require.Equal(t, first.ID, kit.Dispatch(env, id, kit.Key("kept")).ID)
	env.RefusedAs("NOT_FOUND", client.StartExecution, client.Dispatch{DefinitionID: id})
	require.Equal(t, "completed", first.View().Status)
}
