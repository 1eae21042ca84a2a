package tests

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	enumspb "go.temporal.io/api/enums/v1"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

func TestEngine_LongHistoriesContinueAsNew(t *testing.T) {
	s, l := beginAt(t, tight)
	o := atTheEngine(t, l.Namespace)
	const hooks = 10
	var nodes []client.Node
	var edges []client.Edge
	path := func(i int) string { return "/hook-" + string(rune('a'+i)) }
	for i := range hooks {
		nodes = append(nodes, client.Hook(path(i)[1:], s.receiver().URL(path(i))))
		if i > 0 {
			edges = append(edges, client.Always(path(i - 1)[1:], path(i)[1:]))
		}
	}
	nodes = append(nodes, client.Human("review", "ann"), client.Mock("done"))
	edges = append(edges, client.Always(path(hooks - 1)[1:], "review"))
	r := s.dispatch(s.define(nodes, append(edges, client.Both("review", "done")...)...))
	r.waitsAt("review")
	title := "Story " + r.view().DefinitionID + " v1"
	eventually(t, "the run that goes on has no summary and says what it carries out in its details", func() bool {
		return strings.HasPrefix(o.details(o.open(r)), title+"\n")
	})
	r.decide("review", "ann", "approve")
	r.ends("completed")
	last := o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	eventually(t, "the runs before the last one are listed as continued, and each of them is found like the first", func() bool {
		continued := len(o.search("WorkflowId = '" + last.GetWorkflowId() + "' AND ExecutionStatus = 'ContinuedAsNew'"))
		return continued >= 2 && len(o.search("RedlineExecutionId = '"+r.id+"'")) == continued+1
	})
	described, err := o.DescribeWorkflowExecution(t.Context(), last.GetWorkflowId(), last.GetRunId())
	require.NoError(t, err)
	require.Equal(t, r.id, text(t, described.GetWorkflowExecutionInfo().GetMemo().GetFields()["executionId"]))
	require.Equal(t, "Story "+r.view().DefinitionID, text(t, described.GetWorkflowExecutionInfo().GetMemo().GetFields()["definitionName"]))
	for i := range hooks {
		s.once(path(i), 1)
	}
}

// TestEngine_APokeOfAnEndedExecutionStartsNothing cancels before the engine has
// taken the start: the one run that comes of it closes, and no other follows.
func TestEngine_APokeOfAnEndedExecutionStartsNothing(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve"))
	o := atTheEngine(t, l.Namespace)
	held := l.Engine.HoldRequest(engineStart, nil)
	r := s.dispatch(s.signOff())
	reached(t, "the start", held.Reached())
	require.True(t, r.cancel(), "cancelled before the engine saw it")
	held.Release()
	o.closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
	require.Len(t, o.search("RedlineExecutionId = '"+r.id+"'"), 1)

	next := s.dispatch(s.instant())
	next.ends("completed")
	o.closes(next, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	require.Len(t, o.search("RedlineExecutionId = '"+r.id+"'"), 1)
}

// TestEngine_AWorkerThatStopsLetsItsCallsEnd stops the process with SIGTERM
// while a call is on the wire: the call ends and is not made again.
func TestEngine_AWorkerThatStopsLetsItsCallsEnd(t *testing.T) {
	l := newLab(t)
	api, worker := l.start("api"), l.start("worker")
	s := l.begin(api)
	gate := s.receiver().Hold("/slow")
	r := s.dispatch(s.define([]client.Node{
		client.Hook("slow", s.receiver().URL("/slow")).With("timeoutMs", 20_000), client.Hook("after", s.receiver().URL("/after")),
	}, client.Always("slow", "after")))
	reached(t, "the call", gate.Reached())
	stopped := stopping(t, worker)
	gate.Release()
	require.NoError(t, <-stopped)
	require.Equal(t, "completed", r.step("slow").Status, "recorded before the process ended")
	l.again(worker)
	r.ends("completed")
	s.once("/slow", 1)
	s.once("/after", 1)
}

// TestEngine_CallsBeyondTheLimitWaitForASlot lets two calls of a workspace be
// under way and shows that the others follow one after the other.
func TestEngine_CallsBeyondTheLimitWaitForASlot(t *testing.T) {
	s, l := beginAt(t, tight)
	gate := s.receiver().Hold("/held")
	definition := s.define([]client.Node{client.Hook("call", s.receiver().URL("/held")).With("timeoutMs", 60_000)})
	var runs []*run
	for range 2 {
		runs = append(runs, s.dispatch(definition))
	}
	s.arrived("/held", receiver.Count(2))
	for range 4 {
		runs = append(runs, s.dispatch(definition))
	}
	o := atTheEngine(t, l.Namespace)
	for _, r := range runs[2:] {
		of := o.open(r)
		eventually(t, "the call waits for a slot", func() bool {
			plan, known := o.plan(of.GetWorkflowId(), of.GetRunId())
			return known && len(plan.Live) == 1 && plan.Live[0].StartIn == nil && len(plan.UnderWay) == 0
		})
	}
	require.Len(t, s.receiver().Requests("/held"), 2)
	gate.Release()
	for _, r := range runs {
		r.ends("completed")
	}
	require.Len(t, s.receiver().Requests("/held"), len(runs), "each call once")
}

// TestEngine_TwoWorkersShareTheWork drives the same executions from two
// processes, one of which is killed in between.
func TestEngine_TwoWorkersShareTheWork(t *testing.T) {
	l := newLab(t)
	api, first := l.start("api"), l.start("worker")
	l.start("worker")
	s := l.begin(api)
	definition := s.pipeline()
	book := &ledger{s: s, path: "/events"}
	reported := s.withReceiver("/events")
	runs := make([]*run, 12)
	together(len(runs), func(i int) { runs[i] = book.add(s.dispatch(definition, reported)) })
	for _, r := range runs {
		r.waitsAt("review")
	}
	first.Kill()
	for _, r := range runs {
		r.decide("review", "ann", "approve")
	}
	book.check()
	require.Len(t, s.receiver().Requests("/before"), len(runs))
	l.atRest()
}

func TestGet_3_ADecisionIsVisibleThroughAnyProcess(t *testing.T) {
	here, _ := beginAt(t, twoProcesses)
	there := here.through(twoProcesses.processes[1].URL)
	definition := here.define([]client.Node{client.Human("review", "ann", "bob"), client.Mock("end")}, client.Both("review", "end")...)
	for range 10 {
		r := here.dispatch(definition)
		elsewhere := r.through(there)
		require.Equal(t, r.id, elsewhere.view().ExecutionID, "right after the dispatch")
		step := elsewhere.waitsAt("review")
		require.Equal(t, "pending", r.decide("review", "ann", "approve").AggregatorStatus)
		require.EqualValues(t, 1, output(t, elsewhere.step("review"))["approveCount"])
		require.True(t, elsewhere.decide("review", "bob", "approve").ResumeScheduled)
		require.Equal(t, "completed", r.view().Status)
		require.Equal(t, "idempotent", r.decide("review", "ann", "reject").AggregatorStatus)
		require.Equal(t, step.StepID, r.view().Steps[0].StepID)
	}
}

// A worker dies when it has recorded the last outcome and not reported it: the engine
// asks another one about the call, whose execution has ended and has no graph.
func TestEngine_ACallThatIsAskedAboutAfterTheEndClosesItsRun(t *testing.T) {
	l := newLab(t)
	api, worker := l.start("api"), l.start("worker")
	s := l.begin(api)
	held := l.Engine.HoldRequest(engineReport, nil)
	r := s.dispatch(s.define([]client.Node{client.Hook("last", s.receiver().URL("/last"))}))
	reached(t, "the report", held.Reached())
	require.Equal(t, "completed", r.view().Status, "committed")
	worker.Kill()
	held.Drop()
	l.again(worker)
	l.atRest()
	atTheEngine(t, l.Namespace).closes(r, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	s.once("/last", 1)
}

// failingActivity is what an operator is shown of one.
type failingActivity struct {
	WorkflowID, Activity, LastFailure string
	Attempt                           int
}

// failing are the activities that an operator is shown.
func (l *lab) failing(flags ...string) (found []failingActivity) {
	l.t.Helper()
	printed, err := l.Run(l.t.Context(), append([]string{"admin", "engine", "failing", "--json", "--as=story"}, flags...)...)
	require.NoError(l.t, err)
	require.NoError(l.t, json.Unmarshal([]byte(printed), &found), printed)
	return found
}

// An activity whose tries keep failing, here because the rows refuse every begin of a
// call, is counted and listed until it succeeds.
func TestEngine_ActivitiesThatKeepFailingAreCountedAndListed(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s := l.begin(process)
	s.dispatch(s.instant()).ends("completed") // so the engine knows the new namespace
	require.Empty(t, l.failing())
	rows := l.rows()
	_, err := rows.Exec(t.Context(), `
		CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'a story'; END $$;
		CREATE TRIGGER refuse BEFORE UPDATE ON steps FOR EACH ROW WHEN (NEW.calls > OLD.calls) EXECUTE FUNCTION refuse()`)
	require.NoError(t, err)
	r := s.dispatch(s.define([]client.Node{client.Hook("call", s.receiver().URL("/call"))}))
	const series = `redline_activities_failing{activity="execution.call"}`
	eventually(t, "it is counted", func() bool { return scrape(t, process.Ops)[series] == 1 })
	of := atTheEngine(t, l.Namespace).open(r)
	found := l.failing()
	require.Len(t, found, 1)
	require.Equal(t, []any{of.GetWorkflowId(), "execution.call", "INTERNAL"}, []any{found[0].WorkflowID, found[0].Activity, found[0].LastFailure})
	require.Greater(t, found[0].Attempt, mostAttempts)

	_, err = rows.Exec(t.Context(), `DROP TRIGGER refuse ON steps`)
	require.NoError(t, err)
	r.ends("completed")
	eventually(t, "it is counted no more", func() bool { return scrape(t, process.Ops)[series] == 0 })
	l.atRest(triedCall)
	require.Empty(t, l.failing())
}

// TestEngine_AFloodOfOneWorkspaceLeavesTheOthersTheirTurn lets 5,000 executions of
// one workspace wait for the engine before one of another is accepted: starts are
// asked for from workspaces in turn, so that one is through with most of the others
// still waiting.
func TestEngine_AFloodOfOneWorkspaceLeavesTheOthersTheirTurn(t *testing.T) {
	l := newLab(t)
	api := l.start("api")
	flooding, other := l.begin(api), l.begin(api)
	const flood, callers = 5_000, 16
	definition := flooding.instant()
	together(callers, func(int) {
		for range flood / callers {
			_, err := flooding.workspace.Dispatch(t.Context(), client.Dispatch{DefinitionID: definition})
			assert.NoError(t, err)
		}
	})
	late := other.dispatch(other.instant())
	l.start("worker")
	late.ends("completed")
	var waiting int
	require.NoError(t, l.rows().QueryRow(t.Context(),
		`SELECT count(*) FROM executions WHERE definition_id = $1 AND status = 'pending'`, definition).Scan(&waiting))
	require.Greater(t, waiting, flood/2)
}
