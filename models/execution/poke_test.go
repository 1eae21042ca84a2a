package execution_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/modelstest"
)

func TestPokesThatWereNotSentCanBeClaimedAgainSoon(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	b.Accept("people", "k")
	claimed, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, claimed, 1)
	none, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, none, "it belongs to the one who claimed it")

	require.NoError(t, b.ReleasePokes(t.Context(), claimed))
	b.Exec(`SELECT pg_sleep_until(max(poke_at)) FROM executions WHERE poke_at < clock_timestamp() + interval '1 s'`)
	again, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Equal(t, claimed, again)
}

func TestPokesOfAnOlderRevisionAreNotGivenBack(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	claimed, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	b.Ask("people", "k", d.ExecutionID)
	require.NoError(t, b.ReleasePokes(t.Context(), claimed))
	none, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, none, "its run has asked meanwhile, so nothing is owed any more")
}

func TestAPokeGivenBackAfterItsRevisionMovedOnIsDueAtOnce(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	b.Ask("people", "k", d.ExecutionID)
	require.NoError(t, b.MarkDue(t.Context(), modelstest.Workspace, d.ExecutionID))
	claimed, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, claimed, 1)
	require.True(t, b.Decides(d.ExecutionID, "ann", "approve", "").Recorded, "which drives nothing")
	none, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, none, "it goes with the poke that was claimed")

	require.NoError(t, b.ReleasePokes(t.Context(), claimed))
	moved, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, moved, 1)
	require.Greater(t, moved[0].Revision, claimed[0].Revision)
}

func TestMarkDueMarksAnExecution(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	b.Ask("people", "k", d.ExecutionID)
	require.NoError(t, b.MarkDue(t.Context(), modelstest.Workspace, "exec_unknown"))
	require.NoError(t, b.MarkDue(t.Context(), "ws_other", d.ExecutionID))
	none, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Empty(t, none)
	require.NoError(t, b.MarkDue(t.Context(), modelstest.Workspace, d.ExecutionID))
	claimed, err := b.ClaimPokes(t.Context(), 10)
	require.NoError(t, err)
	require.Len(t, claimed, 1)
	require.Equal(t, d.ExecutionID, claimed[0].ExecutionID)
	require.True(t, claimed[0].Started)
	require.NoError(t, b.AckPokes(t.Context(), []execution.Poke{claimed[0]}))
}
