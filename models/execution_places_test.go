package models_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/walk"
)

func TestAnExecutionThatErrsKeepsNoPlaceFromThoseBehindIt(t *testing.T) {
	t.Parallel()
	b := newBench(t, 1)
	first := b.dispatch("hook", "first")
	b.ask("hook", "first", first.ExecutionID)
	step := walk.StepID(first.ExecutionID, "a", 1, 1)
	call, _, err := b.Begin(t.Context(), workspace, first.ExecutionID, step)
	require.NoError(t, err)
	broken, second, third := b.queued("broken"), b.queued("second"), b.queued("third")
	b.exec(`UPDATE executions SET version_ref = 'unreadable' WHERE id = $1`, broken)

	require.NoError(t, b.FreePlaces(t.Context()))
	assert.Equal(t, []string{broken, second, third}, b.stillQueued(), "no place is free")
	_, err = b.Finish(t.Context(), workspace, first.ExecutionID, step, walk.Outcome{Call: call.Number, Kind: walk.Success, HTTPStatus: 200})
	require.NoError(t, err)
	require.Error(t, b.FreePlaces(t.Context()), "somebody is to hear of it")
	assert.Equal(t, []string{broken, third}, b.stillQueued(), "one place, to the longest waiting that can take it")
}
