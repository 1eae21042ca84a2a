package tests

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestDeleteDefinition_1_AgainstDispatch(t *testing.T) {
	s := begin(t)
	for round := range 10 {
		id := s.signOff()
		var deleted, dispatched error
		var started client.Dispatched
		together(2, func(i int) {
			if i == 0 {
				_, deleted = client.Call[view](s.ctx, s.keyed, deleteDefinition, map[string]any{"definitionId": id, "purge": false})
				return
			}
			started, dispatched = s.workspace.Dispatch(s.ctx, client.Dispatch{DefinitionID: id})
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
		(&run{s: s, id: started.ExecutionID}).waitsAt("review")
		s.refusedAs("FAILED_PRECONDITION", deleteDefinition, map[string]any{"definitionId": id, "purge": true})
	}
}

func TestDeleteDefinition_2_KeysOutliveIt(t *testing.T) {
	s := begin(t)
	id := s.instant()
	first := s.dispatch(id, key("kept"))
	first.ends("completed")
	var answer view
	s.call(deleteDefinition, map[string]any{"definitionId": id}, &answer)
	require.Equal(t, view{"deleted": true, "purged": false, "definitionId": id}, answer)
	require.Equal(t, first.id, s.dispatch(id, key("kept")).id)
	s.refusedAs("FAILED_PRECONDITION", "workflow/executions/dispatch", client.Dispatch{DefinitionID: id})
	s.refusedAs("NOT_FOUND", getDefinition, map[string]any{"definitionId": id})
	s.refusedAs("NOT_FOUND", deleteDefinition, map[string]any{"definitionId": id})
	s.call(deleteDefinition, map[string]any{"definitionId": id, "purge": true}, &answer)
	require.Equal(t, true, answer["purged"])
	require.Equal(t, first.id, s.dispatch(id, key("kept")).id)
	s.refusedAs("NOT_FOUND", "workflow/executions/dispatch", client.Dispatch{DefinitionID: id})
	require.Equal(t, "completed", first.view().Status)
}

// manyPaths has 100 nodes, 500 edges and a number of paths that nobody counts.
func manyPaths(id string) map[string]any {
	var nodes []client.Node
	var edges []client.Edge
	for i := range 100 {
		nodes = append(nodes, client.Mock(fmt.Sprint("n", i)))
		for step := 1; step <= 6 && i+step < 100 && len(edges) < 500; step++ {
			edges = append(edges, client.When(fmt.Sprint("n", i), fmt.Sprint("n", i+step), `{"op":"eq","args":[{"var":"output.x"},1]}`))
		}
	}
	return map[string]any{"definitionId": id, "name": "Wide", "nodes": nodes, "edges": edges}
}
