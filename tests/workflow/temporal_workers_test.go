package workflow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func TestTemporal_LongHistoriesContinueAsNew(t *testing.T) {
	env, isolated := kit.NewVariantWorkspace(t, kit.Tight)
	o := kit.TemporalClientFor(t, isolated.Namespace)
	const hooks = 10
	var nodes []redline.NodeInput
	var edges []redline.EdgeInput
	path := func(i int) string { return "/hook-" + string(rune('a'+i)) }
	for i := range hooks {
		nodes = append(nodes, client.Hook(path(i)[1:], env.Receiver().URL(path(i))))
		if i > 0 {
			edges = append(edges, client.Always(path(i - 1)[1:], path(i)[1:]))
		}
	}
	nodes = append(nodes, client.Human("review", "ann"), client.Mock("done"))
	edges = append(edges, client.Always(path(hooks - 1)[1:], "review"))
	r := kit.Dispatch(env, kit.Define(env, nodes, append(edges, client.Both("review", "done")...)...))
	r.WaitsAt("review")
	title := "Test " + r.View().DefinitionID + " v1"
	kit.RequireEventually(t, "the run that goes on has no summary and says what it carries out in its details", func() bool {
		return strings.HasPrefix(o.Details(open(o, r)), title+"\n")
	})
	r.Decide("review", "ann", "approve")
	r.Ends("completed")
	last := o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	kit.RequireEventually(t, "the runs before the last one are listed as continued, and each of them is found like the first", func() bool {
		continued := len(o.Search("WorkflowId = '" + last.GetWorkflowId() + "' AND ExecutionStatus = 'ContinuedAsNew'"))
		return continued >= 2 && len(o.Search("RedlineExecutionId = '"+r.ID+"'")) == continued+1
	})
	described, err := o.DescribeWorkflowExecution(t.Context(), last.GetWorkflowId(), last.GetRunId())
	require.NoError(t, err)
	require.Equal(t, r.ID, kit.Text(t, described.GetWorkflowExecutionInfo().GetMemo().GetFields()["executionId"]))
	require.Equal(t, "Test "+r.View().DefinitionID, kit.Text(t, described.GetWorkflowExecutionInfo().GetMemo().GetFields()["definitionName"]))
	for i := range hooks {
		kit.CalledOnce(env, path(i), 1)
	}
}

// TestTemporal_ASignalOfAnEndedExecutionStartsNothing cancels before Temporal has
// taken the start: the one run that comes of it closes, and no other follows.
func TestTemporal_ASignalOfAnEndedExecutionStartsNothing(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	o := kit.TemporalClientFor(t, isolated.Namespace)
	held := isolated.Temporal.HoldRequest(kit.TemporalStart, nil)
	r := kit.Dispatch(env, kit.SignOff(env))
	kit.RequireReached(t, "the start", held.Reached())
	require.True(t, r.Cancel(), "cancelled before Temporal saw it")
	held.Release()
	o.Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
	require.Len(t, o.Search("RedlineExecutionId = '"+r.ID+"'"), 1)

	next := kit.Dispatch(env, kit.Instant(env))
	next.Ends("completed")
	o.Closes(next, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	require.Len(t, o.Search("RedlineExecutionId = '"+r.ID+"'"), 1)
}

// TestTemporal_AWorkerThatStopsLetsItsCallsEnd stops the process with SIGTERM
// while a call is on the wire: the call ends and is not made again.
func TestTemporal_AWorkerThatStopsLetsItsCallsEnd(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api, worker := isolated.StartProcess("api"), isolated.StartProcess("worker")
	env := isolated.NewWorkspace(api)
	gate := env.Receiver().Hold("/slow")
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{
		client.With(client.Hook("slow", env.Receiver().URL("/slow")), "timeoutMs", 20_000), client.Hook("after", env.Receiver().URL("/after")),
	}, client.Always("slow", "after")))
	kit.RequireReached(t, "the call", gate.Reached())
	stopped := kit.Stopping(t, worker)
	gate.Release()
	require.NoError(t, <-stopped)
	require.Equal(t, redline.StepStatusCompleted, r.Step("slow").Status, "recorded before the process ended")
	isolated.Restart(worker)
	r.Ends("completed")
	kit.CalledOnce(env, "/slow", 1)
	kit.CalledOnce(env, "/after", 1)
}

// TestTemporal_CallsBeyondTheLimitWaitForASlot lets two calls of a workspace be
// under way and shows that the others follow one after the other.
func TestTemporal_CallsBeyondTheLimitWaitForASlot(t *testing.T) {
	env, isolated := kit.NewVariantWorkspace(t, kit.Tight)
	gate := env.Receiver().Hold("/held")
	definition := kit.Define(env, []redline.NodeInput{client.With(client.Hook("call", env.Receiver().URL("/held")), "timeoutMs", 60_000)})
	var runs []*kit.Run
	for range 2 {
		runs = append(runs, kit.Dispatch(env, definition))
	}
	env.Arrived("/held", receiver.Count(2))
	for range 4 {
		runs = append(runs, kit.Dispatch(env, definition))
	}
	o := kit.TemporalClientFor(t, isolated.Namespace)
	for _, r := range runs[2:] {
		of := open(o, r)
		kit.RequireEventually(t, "the call waits for a slot", func() bool {
			plan, known := plan(o, of.GetWorkflowId(), of.GetRunId())
			return known && len(plan.Live) == 1 && plan.Live[0].StartIn == nil && len(plan.UnderWay) == 0
		})
	}
	require.Len(t, env.Receiver().Requests("/held"), 2)
	gate.Release()
	for _, r := range runs {
		r.Ends("completed")
	}
	require.Len(t, env.Receiver().Requests("/held"), len(runs), "each call once")
}

// TestTemporal_TwoWorkersShareTheWork drives the same executions from two
// processes, one of which is killed in between.
func TestTemporal_TwoWorkersShareTheWork(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api, first := isolated.StartProcess("api"), isolated.StartProcess("worker")
	isolated.StartProcess("worker")
	env := isolated.NewWorkspace(api)
	definition := kit.Pipeline(env)
	book := &kit.Ledger{S: env, Path: "/events"}
	reported := kit.WithReceiver(env, "/events")
	runs := make([]*kit.Run, 12)
	kit.Concurrently(len(runs), func(i int) { runs[i] = book.Add(kit.Dispatch(env, definition, reported)) })
	for _, r := range runs {
		r.WaitsAt("review")
	}
	first.Kill()
	for _, r := range runs {
		r.Decide("review", "ann", "approve")
	}
	book.Check()
	require.Len(t, env.Receiver().Requests("/before"), len(runs))
	isolated.AtRest()
}

func TestGet_3_ADecisionIsVisibleThroughAnyProcess(t *testing.T) {
	here, _ := kit.NewVariantWorkspace(t, kit.TwoProcesses)
	there := here.Through(kit.TwoProcesses.Processes[1].URL)
	definition := kit.Define(here, []redline.NodeInput{client.Human("review", "ann", "bob"), client.Mock("end")}, client.Both("review", "end")...)
	for range 10 {
		r := kit.Dispatch(here, definition)
		elsewhere := r.Through(there)
		require.Equal(t, r.ID, elsewhere.View().ExecutionID, "right after the dispatch")
		step := elsewhere.WaitsAt("review")
		require.Equal(t, redline.DecideResultAggregatorStatusPending, r.Decide("review", "ann", "approve").AggregatorStatus)
		require.EqualValues(t, 1, output(t, elsewhere.Step("review"))["approveCount"])
		require.True(t, elsewhere.Decide("review", "bob", "approve").ResumeScheduled)
		require.Equal(t, redline.ExecutionStatusCompleted, r.View().Status)
		require.Equal(t, redline.DecideResultAggregatorStatusIdempotent, r.Decide("review", "ann", "reject").AggregatorStatus)
		require.Equal(t, step.StepID, r.View().Steps[0].StepID)
	}
}

// A worker dies when it has recorded the last outcome and not reported it: Temporal
// asks another one about the call, whose execution has ended and has no graph.
func TestTemporal_ACallThatIsAskedAboutAfterTheEndClosesItsRun(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api, worker := isolated.StartProcess("api"), isolated.StartProcess("worker")
	env := isolated.NewWorkspace(api)
	held := isolated.Temporal.HoldRequest(kit.TemporalReport, nil)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("last", env.Receiver().URL("/last"))}))
	kit.RequireReached(t, "the report", held.Reached())
	require.Equal(t, redline.ExecutionStatusCompleted, r.View().Status, "committed")
	worker.Kill()
	held.Drop()
	isolated.Restart(worker)
	isolated.AtRest()
	kit.TemporalClientFor(t, isolated.Namespace).Closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	kit.CalledOnce(env, "/last", 1)
}

// An activity whose tries keep failing, here because the rows refuse every begin of a
// call, is counted and listed until it succeeds.
func TestTemporal_ActivitiesThatKeepFailingAreCountedAndListed(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(process)
	kit.Dispatch(env, kit.Instant(env)).Ends("completed") // so Temporal knows the new namespace
	require.Empty(t, isolated.Failing())
	rows := isolated.DB()
	_, err := rows.Exec(t.Context(), `
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a test'; END $$;
		CREATE TRIGGER refuse BEFORE UPDATE ON steps FOR EACH ROW WHEN (NEW.calls > OLD.calls) EXECUTE FUNCTION refuse()`)
	require.NoError(t, err)
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{client.Hook("call", env.Receiver().URL("/call"))}))
	const series = `redline_activities_failing{activity="execution.call"}`
	kit.RequireEventually(t, "it is counted", func() bool { return kit.Scrape(t, process.Ops)[series] == 1 })
	of := open(kit.TemporalClientFor(t, isolated.Namespace), r)
	found := isolated.Failing()
	require.Len(t, found, 1)
	require.Equal(t, []any{of.GetWorkflowId(), "execution.call", "INTERNAL"}, []any{found[0].WorkflowID, found[0].Activity, found[0].LastFailure})
	require.Greater(t, found[0].Attempt, kit.MostAttempts)

	_, err = rows.Exec(t.Context(), `DROP TRIGGER refuse ON steps`)
	require.NoError(t, err)
	r.Ends("completed")
	kit.RequireEventually(t, "it is counted no more", func() bool { return kit.Scrape(t, process.Ops)[series] == 0 })
	isolated.AtRest(kit.TriedCall)
	require.Empty(t, isolated.Failing())
}

// TestTemporal_AFloodOfOneWorkspaceLeavesTheOthersTheirTurn lets 2,000 executions of
// one workspace wait for Temporal before one of another is accepted: starts are
// asked for from workspaces in turn, so that one is through with most of the others
// still waiting. One start at a time is asked for, so that they wait long enough to be counted.
func TestTemporal_AFloodOfOneWorkspaceLeavesTheOthersTheirTurn(t *testing.T) {
	floodOfOneWorkspace(t, 2_000, "REDLINE_STARTS_IN_FLIGHT=1")
}

// TestLong_AFloodOfOneWorkspaceLeavesTheOthersTheirTurn does so with 5,000 and as many starts
// at once as usual.
func TestLong_AFloodOfOneWorkspaceLeavesTheOthersTheirTurn(t *testing.T) {
	floodOfOneWorkspace(t, 5_000)
}

func floodOfOneWorkspace(t *testing.T, flood int, settings ...string) {
	t.Helper()
	isolated := kit.NewIsolatedStack(t)
	api := isolated.StartProcess("api")
	flooding, other := isolated.NewWorkspace(api), isolated.NewWorkspace(api)
	const callers = 16
	definition := kit.Instant(flooding)
	kit.Concurrently(callers, func(int) {
		for range flood / callers {
			_, err := flooding.Workspace.Dispatch(t.Context(), redline.DispatchRequest{DefinitionID: definition})
			assert.NoError(t, err)
		}
	})
	late := kit.Dispatch(other, kit.Instant(other))
	isolated.StartProcess("worker", settings...)
	late.Ends("completed")
	var waiting int
	require.NoError(t, isolated.DB().QueryRow(t.Context(),
		`SELECT count(*) FROM executions WHERE definition_id = $1 AND status = 'pending'`, definition).Scan(&waiting))
	require.Greater(t, waiting, flood/2)
}
