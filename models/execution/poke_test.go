package execution_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/modelstest"
)

func TestPokesThatWereNotSentCanBeClaimedAgainSoon(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	b.Accept("people", "k")
	claimed := b.Claims(10)
	require.Len(t, claimed, 1)
	none := b.Claims(10)
	require.Empty(t, none, "it belongs to the one who claimed it")

	require.NoError(t, b.ReleasePokes(t.Context(), claimed))
	b.Exec(`SELECT pg_sleep_until(max(poke_at)) FROM executions WHERE poke_at < clock_timestamp() + interval '1 s'`)
	again := b.Claims(10)
	require.Equal(t, claimed, again)
}

func TestPokesOfAnOlderRevisionAreNotGivenBack(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	claimed := b.Claims(10)
	b.Ask("people", "k", d.ExecutionID)
	require.NoError(t, b.ReleasePokes(t.Context(), claimed))
	none := b.Claims(10)
	require.Empty(t, none, "its run has asked meanwhile, so nothing is owed any more")
}

func TestAPokeGivenBackAfterItsRevisionMovedOnIsDueAtOnce(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	b.Ask("people", "k", d.ExecutionID)
	require.NoError(t, b.MarkDue(t.Context(), modelstest.Workspace, d.ExecutionID))
	claimed := b.Claims(10)
	require.Len(t, claimed, 1)
	require.True(t, b.Decides(d.ExecutionID, "ann", "approve", "").Recorded, "which drives nothing")
	none := b.Claims(10)
	require.Empty(t, none, "it goes with the poke that was claimed")

	require.NoError(t, b.ReleasePokes(t.Context(), claimed))
	moved := b.Claims(10)
	require.Len(t, moved, 1)
	require.Greater(t, moved[0].Revision, claimed[0].Revision)
}

func TestMarkDueMarksAnExecution(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	b.Ask("people", "k", d.ExecutionID)
	require.NoError(t, b.MarkDue(t.Context(), modelstest.Workspace, "exec_unknown"))
	require.NoError(t, b.MarkDue(t.Context(), "ws_other", d.ExecutionID))
	none := b.Claims(10)
	require.Empty(t, none)
	require.NoError(t, b.MarkDue(t.Context(), modelstest.Workspace, d.ExecutionID))
	claimed := b.Claims(10)
	require.Len(t, claimed, 1)
	require.Equal(t, d.ExecutionID, claimed[0].ExecutionID)
	require.True(t, claimed[0].Started)
	require.NoError(t, b.AckPoke(t.Context(), claimed[0]))
}

func TestReadPlanLeavesWhatIsDue(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	read := func() contract.Plan {
		before := b.Rows("SELECT to_jsonb(e)::text FROM executions e WHERE id = $1", d.ExecutionID)
		plan, err := b.ReadPlan(t.Context(), modelstest.Workspace, d.ExecutionID)
		require.NoError(t, err)
		require.Equal(t, before, b.Rows("SELECT to_jsonb(e)::text FROM executions e WHERE id = $1", d.ExecutionID))
		return plan
	}
	read() // its first run has not asked yet
	asked := b.Ask("people", "k", d.ExecutionID)
	require.NoError(t, b.MarkDue(t.Context(), modelstest.Workspace, d.ExecutionID))
	require.Equal(t, asked.Live, read().Live)
	_, err := b.Cancel(t.Context(), modelstest.Workspace, d.ExecutionID, "key", "ops", "")
	require.NoError(t, err)
	require.True(t, read().Ended())
	require.Len(t, b.Claims(10), 1)

	none, err := b.ReadPlan(t.Context(), modelstest.Workspace, "exec_unknown")
	require.NoError(t, err)
	require.Empty(t, none)
}

// owing returns workspaces so many copies of an execution each, all due, the ones of
// "ws_0000" before all others.
func owing(b *modelstest.Bench, each map[string]int) {
	b.Accept("mock", "first")
	for workspace, n := range each {
		b.Exec(`INSERT INTO executions SELECT (jsonb_populate_record(e, jsonb_build_object('workspace_id', $1::text,
			'id', 'exec_' || lpad(n::text, 8, '0') || $1, 'idempotency_key', 'owing ' || n,
			'poke_at', clock_timestamp() - interval '1 hour' + n * interval '1 us'))).*
			FROM executions e CROSS JOIN generate_series(1, $2::int) AS n WHERE e.idempotency_key = 'first'`, workspace, n)
	}
	b.Exec(`DELETE FROM executions WHERE idempotency_key = 'first'`)
}

func byWorkspace(pokes []execution.Poke) map[string]int {
	n := map[string]int{}
	for _, p := range pokes {
		n[p.WorkspaceID]++
	}
	return n
}

func TestPokesAreClaimedFromWorkspacesInTurn(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	owing(b, map[string]int{"ws_b": 100, "ws_a": 1, "ws_c": 2})
	first, err := b.ClaimPokes(t.Context(), "", 9)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"ws_a": 1, "ws_b": 3, "ws_c": 2}, byWorkspace(first.Pokes), "each has the same share")
	require.True(t, first.More, "one has used all of its share")
	require.Equal(t, "ws_c", first.Last)

	second, err := b.ClaimPokes(t.Context(), first.Last, 9)
	require.NoError(t, err)
	require.Equal(t, map[string]int{"ws_b": 9}, byWorkspace(second.Pokes), "who is alone has everything")
	require.True(t, second.More)
}

func TestMoreWorkspacesThanAClaimTakesAreServedOneAfterTheOther(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	owing(b, map[string]int{"ws_a": 5, "ws_b": 5, "ws_c": 5, "ws_d": 5, "ws_e": 5})
	after, got := "ws_c", map[string]int{}
	for _, want := range [][]string{{"ws_d", "ws_e"}, {"ws_a", "ws_b"}, {"ws_c", "ws_d"}} {
		batch, err := b.ClaimPokes(t.Context(), after, 2)
		require.NoError(t, err)
		require.Equal(t, map[string]int{want[0]: 1, want[1]: 1}, byWorkspace(batch.Pokes))
		after = batch.Last
		for workspace, n := range byWorkspace(batch.Pokes) {
			got[workspace] += n
		}
	}
	require.Equal(t, map[string]int{"ws_a": 1, "ws_b": 1, "ws_c": 1, "ws_d": 2, "ws_e": 1}, got)
}

func TestTheLastShareThatIsNotUsedUpSaysThatNothingIsLeft(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	owing(b, map[string]int{"ws_a": 2, "ws_b": 1})
	batch, err := b.ClaimPokes(t.Context(), "ws_a", 10)
	require.NoError(t, err)
	require.Len(t, batch.Pokes, 3)
	require.False(t, batch.More)
}

func TestAClaimCostsWhatItTakesAndNotWhatWaits(t *testing.T) {
	blocks := func(each map[string]int) int {
		b := modelstest.NewBench(t, 10)
		owing(b, each)
		b.Exec(`VACUUM ANALYZE executions`)
		return b.Blocks(execution.ClaimPokesStatement, []any{32, "15 s", ""})
	}
	few := blocks(map[string]int{"ws_a": 100})
	require.LessOrEqual(t, blocks(map[string]int{"ws_a": 10_000}), 2*few, "one workspace: only its indexes are deeper")
	many := map[string]int{}
	for n := range 500 {
		many[fmt.Sprintf("ws_%03d", n)] = 1
	}
	spread := map[string]int{}
	for n := range 200 {
		spread[fmt.Sprintf("ws_%03d", n)] = 1
	}
	require.LessOrEqual(t, blocks(many), 2*blocks(spread), "in many workspaces")
}

func TestTheEndOfAnExecutionIsAPokeOfItsRun(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	b.Ask("people", "k", d.ExecutionID)
	_, err := b.Cancel(t.Context(), modelstest.Workspace, d.ExecutionID, "", "someone", "")
	require.NoError(t, err)
	claimed := b.Claims(10)
	require.Len(t, claimed, 1)
	require.True(t, claimed[0].Started)
	require.True(t, claimed[0].Ended)
	require.NoError(t, b.AckPoke(t.Context(), claimed[0]))
	b.Exec(`UPDATE executions SET poke_at = clock_timestamp() WHERE poke_at IS NOT NULL`)
	require.Empty(t, b.Claims(10))
}

// callIn is a call of the first step, asked for by a run.
func callIn(executionID, runID string) contract.CallInput {
	in := modelstest.CallOf(executionID, interpreter.StepID(executionID, "a", 1, 1))
	in.RunID = runID
	return in
}

func TestAnOutcomeIsOwedToTheRunThatDrivesByThen(t *testing.T) {
	for name, c := range map[string]struct {
		asks  string // the run that asks again while the call is under way
		begin string // or the one that asks for the call
		owed  int
	}{
		"its own run drives":            {owed: 0},
		"another one asked":             {asks: "second", owed: 1},
		"another one wanted to call":    {begin: "second", owed: 1},
		"its own asks again meanwhile":  {asks: "first", owed: 0},
		"its own wants to call as well": {begin: "first", owed: 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := modelstest.NewBench(t, 10)
			d := b.Accept("hook", "k")
			b.AskBy("first", "hook", "k", d.ExecutionID)
			call, _, err := b.Begin(t.Context(), callIn(d.ExecutionID, "first"))
			require.NoError(t, err)
			require.NotNil(t, call)
			if c.asks != "" {
				b.AskBy(c.asks, "hook", "k", d.ExecutionID)
			}
			if c.begin != "" {
				none, _, err := b.Begin(t.Context(), callIn(d.ExecutionID, c.begin))
				require.NoError(t, err)
				require.Nil(t, none, "the call is held")
			}
			require.Empty(t, b.Claims(10))
			_, err = b.Finish(t.Context(), callIn(d.ExecutionID, "first"), interpreter.Outcome{Call: call.Number, Kind: interpreter.Success, HTTPStatus: 200})
			require.NoError(t, err)
			require.Len(t, b.Claims(10), c.owed)
		})
	}
}
