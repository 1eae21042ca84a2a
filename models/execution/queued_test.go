package execution_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/queue"
)

func TestSignalsThatWereNotSentCanBeClaimedAgain(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	b.Accept("people", "k")
	claimed := b.Claim(queue.Executions)
	require.Len(t, claimed, 1)
	require.Empty(t, b.Claim(queue.Executions), "it belongs to the one who claimed it")

	require.NoError(t, b.Queue.Retry(t.Context(), queue.Executions, claimed[0], 0))
	again := b.Claim(queue.Executions)
	require.Len(t, again, 1)
	require.Equal(t, claimed[0].Key, again[0].Key)
	require.Equal(t, claimed[0].Revision, again[0].Revision)
}

func TestASignalThatNobodyNeedsAnyMoreIsNotPutOff(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	claimed := b.Claim(queue.Executions)
	b.Ask("people", "k", d.ExecutionID)
	require.NoError(t, b.Queue.Retry(t.Context(), queue.Executions, claimed[0], 0))
	require.Empty(t, b.Claim(queue.Executions), "its run has asked meanwhile, so nothing is queued any more")
}

func TestASignalOfWhatChangedUnderTheClaimIsDueAtOnce(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	b.Ask("people", "k", d.ExecutionID)
	require.NoError(t, b.Signal(t.Context(), modelstest.Workspace, d.ExecutionID))
	claimed := b.Claim(queue.Executions)
	require.Len(t, claimed, 1)
	require.True(t, b.Decides(d.ExecutionID, "ann", "approve", "").Recorded, "which drives nothing")
	require.Empty(t, b.Claim(queue.Executions), "it goes with the signal that was claimed")

	require.NoError(t, b.Queue.Retry(t.Context(), queue.Executions, claimed[0], time.Hour))
	moved := b.Claim(queue.Executions)
	require.Len(t, moved, 1)
	require.Greater(t, moved[0].Revision, claimed[0].Revision)
}

func TestSignalQueuesAnExecution(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	b.Ask("people", "k", d.ExecutionID)
	require.NoError(t, b.Signal(t.Context(), modelstest.Workspace, "exec_unknown"))
	require.NoError(t, b.Signal(t.Context(), "ws_other", d.ExecutionID))
	require.Empty(t, b.Claim(queue.Executions))
	require.NoError(t, b.Signal(t.Context(), modelstest.Workspace, d.ExecutionID))
	claimed := b.Claim(queue.Executions)
	require.Len(t, claimed, 1)
	require.Equal(t, d.ExecutionID, claimed[0].Key)
	run, err := b.RunOf(t.Context(), claimed[0].WorkspaceID, claimed[0].Key)
	require.NoError(t, err)
	require.True(t, run.Started)
	require.NoError(t, b.Queue.Done(t.Context(), queue.Executions, claimed[0]))
	gone, err := b.RunOf(t.Context(), "ws_other", d.ExecutionID)
	require.NoError(t, err)
	require.Nil(t, gone)
}

func TestReadPlanLeavesWhatIsDue(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	read := func() contract.Plan {
		const rows = "SELECT to_jsonb(e)::text FROM executions e WHERE id = $1 UNION ALL SELECT to_jsonb(w)::text FROM work w WHERE key = $1"
		before := b.Rows(rows, d.ExecutionID)
		plan, err := b.ReadPlan(t.Context(), modelstest.Workspace, d.ExecutionID)
		require.NoError(t, err)
		require.Equal(t, before, b.Rows(rows, d.ExecutionID))
		return plan
	}
	read() // its first run has not asked yet
	asked := b.Ask("people", "k", d.ExecutionID)
	require.NoError(t, b.Signal(t.Context(), modelstest.Workspace, d.ExecutionID))
	require.Equal(t, asked.Live, read().Live)
	_, err := b.Cancel(t.Context(), modelstest.Workspace, d.ExecutionID, "key", "ops", "")
	require.NoError(t, err)
	require.True(t, read().Ended())
	require.Len(t, b.Signals(), 1)

	none, err := b.ReadPlan(t.Context(), modelstest.Workspace, "exec_unknown")
	require.NoError(t, err)
	require.Empty(t, none)
}

func TestTheEndOfAnExecutionIsASignalOfItsRun(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	b.Ask("people", "k", d.ExecutionID)
	_, err := b.Cancel(t.Context(), modelstest.Workspace, d.ExecutionID, "", "someone", "")
	require.NoError(t, err)
	claimed := b.Claim(queue.Executions)
	require.Len(t, claimed, 1)
	run, err := b.RunOf(t.Context(), modelstest.Workspace, claimed[0].Key)
	require.NoError(t, err)
	require.True(t, run.Started)
	require.True(t, run.Ended)
	require.NoError(t, b.Queue.Done(t.Context(), queue.Executions, claimed[0]))
	require.Empty(t, b.Rows(`SELECT kind FROM work`))
}

func TestTheEndBeforeARunHasAskedIsNoSignal(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	claimed := b.Claim(queue.Executions)
	_, err := b.Cancel(t.Context(), modelstest.Workspace, d.ExecutionID, "", "someone", "")
	require.NoError(t, err)
	require.Empty(t, b.Rows(`SELECT kind FROM work`), "a run that is there asks first")
	require.NoError(t, b.Queue.Retry(t.Context(), queue.Executions, claimed[0], 0))
	require.Empty(t, b.Rows(`SELECT kind FROM work`), "and one that is not there is not started")
}

// dueAfter does something that makes a row of the only execution due a while later.
func dueAfter(b *modelstest.Bench, kind queue.Kind, after time.Duration, do func()) {
	b.T.Helper()
	before := modelstest.ClockOf(b.T, b.DB).Truncate(time.Millisecond)
	do()
	at := modelstest.TimeIn(b.T, b.DB, `SELECT run_at FROM work WHERE kind = '`+string(kind)+`'`)
	require.False(b.T, at.Before(before.Add(after)))
	require.False(b.T, at.After(modelstest.ClockOf(b.T, b.DB).Add(after)))
}

func TestTheTimerOfAnExecutionMovesWithWhatItsStepsWant(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	var d execution.Dispatched
	dueAfter(b, queue.Overdue, time.Minute, func() { d = b.Accept("hook", "k") })
	dueAfter(b, queue.Overdue, time.Minute, func() { b.Ask("hook", "k", d.ExecutionID) })
	call, _, err := b.Begin(t.Context(), callIn(d.ExecutionID, modelstest.RunID))
	require.NoError(t, err)
	require.NotNil(t, call)
	const timer = `SELECT run_at::text FROM work WHERE kind = 'overdue'`
	locked := b.Rows(timer)
	require.Equal(t, b.Rows(`SELECT (locked_until + interval '1 minute')::text FROM steps`), locked)
	_, err = b.Pause(t.Context(), modelstest.Workspace, execution.Act{ExecutionID: d.ExecutionID})
	require.NoError(t, err)
	require.Empty(t, b.Rows(timer), "nothing is driven while it is paused")
	require.NoError(t, b.Resume(t.Context(), modelstest.Workspace, execution.Act{ExecutionID: d.ExecutionID}))
	require.Equal(t, locked, b.Rows(timer))
	_, err = b.Finish(t.Context(), callIn(d.ExecutionID, modelstest.RunID), interpreter.Outcome{Call: call.Number, Kind: interpreter.Success, HTTPStatus: 200})
	require.NoError(t, err)
	require.Empty(t, b.Rows(timer), "nor after the end")
}

func TestNobodyNeedsToDriveAStepThatWaitsForPeople(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	b.Ask("people", "k", d.ExecutionID)
	require.Empty(t, b.Rows(`SELECT kind FROM work`))
}

// late makes an hour pass for the call of an execution.
func late(b *modelstest.Bench, executionID string) {
	b.T.Helper()
	b.Exec(`UPDATE steps SET created_at = created_at - interval '1 hour', next_try_at = coalesce(next_try_at, started_at) - interval '1 hour' WHERE execution_id = $1`, executionID)
	b.Exec(`UPDATE work SET run_at = run_at - interval '1 hour' WHERE kind = 'overdue' AND key = $1`, executionID)
}

func TestWhatNobodyDrivesIsSignalled(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	d := b.Accept("hook", "k")
	overdue := func() bool {
		found, err := b.Overdue(t.Context(), modelstest.Workspace, d.ExecutionID)
		require.NoError(t, err)
		return found
	}
	dueAfter(b, queue.Overdue, time.Minute, func() { b.Ask("hook", "k", d.ExecutionID) })
	require.Empty(t, b.Claim(queue.Overdue))
	before := b.Rows(`SELECT run_at::text FROM work`)
	require.False(t, overdue(), "it is not late yet")
	require.Equal(t, before, b.Rows(`SELECT run_at::text FROM work`))
	late(b, d.ExecutionID)
	claimed := b.Claim(queue.Overdue)
	require.Len(t, claimed, 1)
	dueAfter(b, queue.Overdue, time.Minute, func() { require.True(t, overdue()) })
	require.NoError(t, b.Queue.Done(t.Context(), queue.Overdue, claimed[0]))
	require.Len(t, b.Rows(`SELECT key FROM work WHERE kind = 'overdue' AND NOT ready`), 1, "it is looked at again")
	require.False(t, overdue(), "a signal is queued")
	runs := b.Signals()
	require.Len(t, runs, 1)
	require.True(t, runs[0].Started)
	n, err := b.Resync(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	gone, err := b.Overdue(t.Context(), "ws_other", d.ExecutionID)
	require.NoError(t, err)
	require.False(t, gone)
}

func TestResyncQueuesWhatIsOpen(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	open, ended, pending := b.Waiting("open", execution.Dispatch{}), b.Waiting("ended", execution.Dispatch{}), b.Accept("people", "pending").ExecutionID
	_, err := b.Cancel(t.Context(), modelstest.Workspace, ended, "", "someone", "")
	require.NoError(t, err)
	b.Exec(`DELETE FROM work`)
	n, err := b.Resync(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, n)
	var found []string
	for _, run := range b.Signals() {
		found = append(found, run.ExecutionID)
	}
	require.ElementsMatch(t, []string{open, pending}, found)
}

// Whoever gives slots away looks at calls that wait for one.
func TestACallThatWaitsForASlotIsNotOverdue(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 1)
	begin := func(key string) (execution, step string, call *execution.StepCall) {
		d := b.Accept("hook", key)
		b.Ask("hook", key, d.ExecutionID)
		step = b.Read(d.ExecutionID).Steps[0].StepID
		call, _, err := b.Begin(t.Context(), modelstest.CallOf(d.ExecutionID, step))
		require.NoError(t, err)
		return d.ExecutionID, step, call
	}
	first, step, call := begin("first")
	require.NotNil(t, call)
	waiting, _, none := begin("waiting")
	require.Nil(t, none)
	timers := func() []string { return b.Rows(`SELECT key FROM work WHERE kind = 'overdue' AND key = $1`, waiting) }
	require.Empty(t, timers())

	_, err := b.Finish(t.Context(), modelstest.CallOf(first, step), interpreter.Outcome{Call: call.Number, Kind: interpreter.Success, HTTPStatus: 200})
	require.NoError(t, err)
	require.NoError(t, b.GrantCallSlots(t.Context()))
	require.Len(t, timers(), 1)
	b.Exec(`DELETE FROM work WHERE kind = 'execution'`)
	late(b, waiting)
	found, err := b.Overdue(t.Context(), modelstest.Workspace, waiting)
	require.NoError(t, err)
	require.True(t, found, "one that has its slot and lost its signal is")
}

// callIn is a call of the first step, asked for by a run.
func callIn(executionID, runID string) contract.CallInput {
	in := modelstest.CallOf(executionID, interpreter.StepID(executionID, "a", 1, 1))
	in.RunID = runID
	return in
}

func TestAnOutcomeIsSignalledToTheRunThatDrivesByThen(t *testing.T) {
	for name, c := range map[string]struct {
		asks  string // the run that asks again while the call is under way
		begin string // or the one that asks for the call
		sent  int
	}{
		"its own run drives":            {sent: 0},
		"another one asked":             {asks: "second", sent: 1},
		"another one wanted to call":    {begin: "second", sent: 1},
		"its own asks again meanwhile":  {asks: "first", sent: 0},
		"its own wants to call as well": {begin: "first", sent: 0},
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
			require.Empty(t, b.Signals())
			_, err = b.Finish(t.Context(), callIn(d.ExecutionID, "first"), interpreter.Outcome{Call: call.Number, Kind: interpreter.Success, HTTPStatus: 200})
			require.NoError(t, err)
			require.Len(t, b.Signals(), c.sent)
		})
	}
}
