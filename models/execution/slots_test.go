package execution_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/walk"
	"github.com/redline-svc/redline/models/modelstest"
)

func TestAnExecutionThatErrsKeepsNoPlaceFromThoseBehindIt(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 1)
	first := b.Accept("hook", "first")
	b.Ask("hook", "first", first.ExecutionID)
	step := walk.StepID(first.ExecutionID, "a", 1, 1)
	call, _, err := b.Begin(t.Context(), modelstest.Workspace, first.ExecutionID, step)
	require.NoError(t, err)
	broken, second, third := b.Queued("broken"), b.Queued("second"), b.Queued("third")
	b.Exec(`UPDATE executions SET version_ref = 'unreadable' WHERE id = $1`, broken)

	require.NoError(t, b.GrantCallSlots(t.Context()))
	assert.Equal(t, []string{broken, second, third}, b.StillQueued(), "no slot is free")
	_, err = b.Finish(t.Context(), modelstest.Workspace, first.ExecutionID, step, walk.Outcome{Call: call.Number, Kind: walk.Success, HTTPStatus: 200})
	require.NoError(t, err)
	require.Error(t, b.GrantCallSlots(t.Context()), "somebody is to hear of it")
	assert.Equal(t, []string{broken, third}, b.StillQueued(), "one slot, to the longest waiting that can take it")
}
