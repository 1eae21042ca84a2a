package workflow

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/proxy"
	"github.com/redline-svc/redline/tests/kit/receiver"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// answered waits until n answers of the path left the receiver.
func answered(env *kit.Env, path string, n int) {
	env.T.Helper()
	ctx, cancel := context.WithTimeout(env.Ctx, kit.Patience)
	defer cancel()
	require.NoError(env.T, env.Receiver().WaitAnswered(ctx, path, n))
}

// soonUnlocked is the setting with which what a process had claimed that was killed goes on soon.
const soonUnlocked = "REDLINE_WORK_LOCK=2s"

func TestSurvive_KilledBetweenCommitAndStart(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve", soonUnlocked)
	env := isolated.NewWorkspace(process)
	definition := kit.Pipeline(env)
	held := isolated.Temporal.HoldRequest(kit.TemporalStart, kit.Naming(definition))
	r := kit.Dispatch(env, definition, kit.Key("k"), kit.WithReceiver(env, "/events"))
	kit.RequireReached(t, "the start", held.Reached())
	process.Kill()
	held.Drop()
	require.Empty(t, env.Receiver().Requests("/before"), "Temporal never heard of it")

	isolated.Restart(process)
	require.True(t, kit.Dispatch(env, definition, kit.Key("k")).Deduplicated, "a replay after the restart of everything")
	finish(r)
	kit.CalledOnce(env, "/before", 1)
	kit.CalledOnce(env, "/after", 1)
	isolated.AtRest()
}

// finish approves and proves that the execution came to its end and told so.
func finish(r *kit.Run) {
	r.S.T.Helper()
	book := &kit.Ledger{S: r.S, Path: "/events"}
	book.Add(r)
	r.WaitsAt("review")
	r.Decide("review", "ann", "approve")
	book.Check()
	require.Len(r.S.T, r.View().Steps, 3, "each node ran once")
}

func TestSurvive_KilledBetweenTemporalsAcceptanceAndTheMark(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve", soonUnlocked)
	env := isolated.NewWorkspace(process)
	definition := kit.Pipeline(env)
	held := isolated.Temporal.HoldReply(kit.TemporalStart, kit.Naming(definition))
	r := kit.Dispatch(env, definition, kit.WithReceiver(env, "/events"))
	kit.RequireReached(t, "Temporal's acceptance", held.Reached())
	process.Kill()
	held.Release()
	isolated.Restart(process)
	finish(r)
	kit.CalledOnce(env, "/before", 1)
	kit.CalledOnce(env, "/after", 1)
	isolated.AtRest()
}

func TestSurvive_KilledBetweenADecisionsCommitAndItsSignal(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve", soonUnlocked)
	env := isolated.NewWorkspace(process)
	definition := kit.Pipeline(env)
	r := kit.Dispatch(env, definition, kit.WithReceiver(env, "/events"))
	r.WaitsAt("review")
	book := &kit.Ledger{S: env, Path: "/events"}
	book.Add(r)

	held := isolated.Temporal.HoldRequest(kit.TemporalSignal, kit.Naming(definition))
	require.True(t, r.Decide("review", "ann", "approve").ResumeScheduled)
	kit.RequireReached(t, "the signal", held.Reached())
	process.Kill()
	held.Drop()
	require.Empty(t, env.Receiver().Requests("/after"), "nobody drives it yet")
	isolated.Restart(process)
	require.Equal(t, redline.DecideResultAggregatorStatusIdempotent, r.Decide("review", "ann", "approve").AggregatorStatus)
	book.Check()
	kit.CalledOnce(env, "/after", 1)
	isolated.AtRest()
}

func TestSurvive_KilledBetweenAnActivitysCommitAndItsReport(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(process)
	held := isolated.Temporal.HoldRequest(kit.TemporalReport, nil)
	r := kit.Dispatch(env, kit.Pipeline(env))
	kit.RequireReached(t, "the report", held.Reached())
	require.Equal(t, redline.StepStatusCompleted, r.Step("before").Status, "committed")
	process.Kill()
	held.Drop()
	isolated.Restart(process)
	r.WaitsAt("review")
	r.Decide("review", "ann", "approve")
	r.Ends("completed")
	kit.CalledOnce(env, "/before", 1)
	kit.CalledOnce(env, "/after", 1)
	isolated.AtRest()
}

// stuck is a process with a request of its on the wire, unanswered.
type stuck struct {
	*kit.IsolatedStack
	process *stack.Service
	s       *kit.Env
	r       *kit.Run
	gate    *receiver.Gate
}

// calling holds the call of an execution's first step, delivering the second
// delivery of a completed execution's first event.
func calling(t *testing.T) *stuck {
	t.Helper()
	h := serving(t)
	h.gate = h.s.Receiver().Hold("/before")
	h.r = kit.Dispatch(h.s, kit.Pipeline(h.s))
	kit.RequireReached(t, "the call", h.gate.Reached())
	return h
}

func delivering(t *testing.T) *stuck {
	t.Helper()
	h := serving(t)
	h.r = kit.Dispatch(h.s, kit.Instant(h.s), kit.WithReceiver(h.s, "/events"))
	h.r.Ends("completed")
	first := firstOf(h.r.Delivered())
	h.gate = h.s.Receiver().Hold("/events")
	require.Equal(t, 1, redeliver(h.r, map[string]any{"eventIds": []string{first.EventID}}))
	kit.RequireReached(t, "the delivery", h.gate.Reached())
	return h
}

func serving(t *testing.T) *stuck {
	t.Helper()
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve")
	return &stuck{IsolatedStack: isolated, process: process, s: isolated.NewWorkspace(process)}
}

func TestSurvive_KilledWhileACallIsOnTheWire(t *testing.T) {
	h := calling(t)
	h.process.Kill()
	h.gate.Release()
	h.Restart(h.process)
	h.r.WaitsAt("review")
	requests := kit.CalledOnce(h.s, "/before", 2)
	require.Equal(t, "0", requests[0].Header.Get("x-svc-attempt"))
	require.Equal(t, "1", requests[1].Header.Get("x-svc-attempt"), "every call begun counts")
	require.Empty(t, history(h.r, "step.retried"), "but it used up no try")
	h.r.Decide("review", "ann", "approve")
	h.r.Ends("completed")
	h.AtRest()
}

func TestSurvive_KilledAfterACallWasAnswered(t *testing.T) {
	h := calling(t)
	h.Rows.Freeze()
	h.gate.Release()
	answered(h.s, "/before", 1)
	h.process.Kill()
	h.Rows.Thaw()
	h.Restart(h.process)
	h.r.WaitsAt("review")
	kit.CalledOnce(h.s, "/before", 2)
	h.r.Decide("review", "ann", "approve")
	h.r.Ends("completed")
	kit.CalledOnce(h.s, "/after", 1)
	h.AtRest()
}

func TestSurvive_KilledDuringADeliveryBeforeItsAnswer(t *testing.T) {
	h := delivering(t)
	h.process.Kill()
	h.gate.Release()
	h.Restart(h.process)
	book := &kit.Ledger{S: h.s, Path: "/events"}
	book.Add(h.r)
	book.Check()
	first := firstOf(h.r.Delivered())
	require.Len(t, first.Attempts, 3)
	require.Equal(t, "interrupted", *first.Attempts[1].Error)
	h.AtRest()
}

func TestSurvive_KilledDuringADeliveryAfterItsAnswer(t *testing.T) {
	h := delivering(t)
	h.Rows.Freeze()
	h.gate.Release()
	answered(h.s, "/events", len(h.s.Receiver().Requests("/events")))
	h.process.Kill()
	h.Rows.Thaw()
	h.Restart(h.process)
	book := &kit.Ledger{S: h.s, Path: "/events"}
	book.Add(h.r)
	book.Check()
	require.Len(t, firstOf(h.r.Delivered()).Attempts, 3, "told again, as nobody knows")
	h.AtRest()
}

// firstOf is the delivery of the execution's first event, which was under way
// when its process was killed.
func firstOf(all []redline.Delivery) redline.Delivery {
	first := all[0]
	for _, delivery := range all {
		if delivery.Seq < first.Seq {
			first = delivery
		}
	}
	return first
}

func TestSurvive_WorkerKilledInEachState(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api, worker := isolated.StartProcess("api"), isolated.StartProcess("worker")
	env := isolated.NewWorkspace(api)
	target := env.Receiver()
	target.AnswerBy("/shaky", func(n int, _ receiver.Request) receiver.Answer {
		if n == 1 {
			return receiver.Status(503)
		}
		return receiver.Status(200)
	})
	onTheWire := target.Hold("/wire")
	hook := func(path string) string {
		return kit.Define(env, []redline.NodeInput{client.Hook("call", target.URL(path))})
	}
	book := &kit.Ledger{S: env, Path: "/events"}
	reported := kit.WithReceiver(env, "/events")

	waiting := book.Add(kit.Dispatch(env, kit.Pipeline(env), reported))
	waiting.WaitsAt("review")
	late := book.Add(kit.Dispatch(env, kit.Pipeline(env), reported))
	late.WaitsAt("review")
	book.Add(kit.Dispatch(env, hook("/wire"), reported))
	kit.RequireReached(t, "the call on the wire", onTheWire.Reached())
	between := book.Add(kit.Dispatch(env, hook("/shaky"), reported))
	kit.RequireEventually(t, "a try has failed", func() bool { return len(history(between, "step.retried")) == 1 })
	dropped := book.Expect(kit.Dispatch(env, kit.Pipeline(env), reported), "cancelled")
	dropped.WaitsAt("review")
	worker.Kill()

	pending := book.Add(kit.Dispatch(env, kit.Pipeline(env), reported))
	require.Equal(t, redline.ExecutionStatusPending, pending.View().Status)
	require.True(t, waiting.Decide("review", "ann", "approve").ResumeScheduled, "decided while nobody drives")
	require.True(t, dropped.Cancel())
	onTheWire.Release()
	isolated.Restart(worker)

	pending.WaitsAt("review")
	for _, r := range []*kit.Run{pending, late} {
		require.True(t, r.Decide("review", "ann", "approve").ResumeScheduled)
	}
	book.Check()
	for _, f := range book.Followers {
		f.R.Delivered()
	}
	isolated.AtRest()
}

func TestSurvive_KilledBeforeACommit(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(process)
	mark := kit.Unique("mark")
	data := redline.DispatchRequest{DefinitionID: kit.Pipeline(env), IdempotencyKey: new("k"), TriggerContext: map[string]any{"mark": mark}}
	held := isolated.Rows.HoldRequest(proxy.Says(mark))
	lost := lostDispatch(env, data)
	kit.RequireReached(t, "the insert", held.Reached())
	process.Kill()
	require.Error(t, <-lost, "no answer came")
	held.Drop()
	isolated.Restart(process)
	require.Empty(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, nil), "nothing is half-done")
	require.False(t, kit.Dispatch(env, data.DefinitionID, kit.Key("k")).Deduplicated)
	isolated.AtRest()
}

func TestSurvive_KilledBeforeTheAnswerOfACommit(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve")
	env := isolated.NewWorkspace(process)
	mark := kit.Unique("mark")
	data := redline.DispatchRequest{DefinitionID: kit.Pipeline(env), IdempotencyKey: new("k"), TriggerContext: map[string]any{"mark": mark}}
	held := isolated.Rows.HoldCommitReply(proxy.Says(mark))
	lost := lostDispatch(env, data)
	kit.RequireReached(t, "the answer of the commit", held.Reached())
	var there []redline.Execution
	kit.RequireEventually(t, "others see the execution, so it is committed", func() bool {
		there = kit.EveryPage[redline.Execution](env, client.ListExecutions, nil)
		return len(there) == 1
	})
	process.Kill()
	require.Error(t, <-lost, "no answer came")
	held.Release()
	isolated.Restart(process)
	again := kit.Dispatch(env, data.DefinitionID, kit.Key("k"))
	require.True(t, again.Deduplicated, "repeating the call is safe")
	require.Equal(t, there[0].ExecutionID, again.ID)
	again.WaitsAt("review")
	again.Decide("review", "ann", "approve")
	again.Ends("completed")
	kit.CalledOnce(env, "/before", 1)
	kit.CalledOnce(env, "/after", 1)
	isolated.AtRest()
}

// A connection that is lost while it commits leaves open whether the change
// happened, and the answer says so; repeating the call tells.
func TestSurvive_AConnectionLostWhileCommitting(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("api"))
	definition := kit.Instant(env)
	for _, name := range []string{"before", "after"} {
		mark, lose := kit.Unique("mark"), isolated.Rows.HoldCommit
		if name == "after" {
			lose = isolated.Rows.HoldCommitReply
		}
		held := lose(proxy.Says(mark))
		lost := lostDispatch(env, redline.DispatchRequest{DefinitionID: definition, IdempotencyKey: new(name), TriggerContext: map[string]any{"mark": mark}})
		kit.RequireReached(t, "the commit", held.Reached())
		if name == "after" {
			kit.RequireEventually(t, "others see the execution", func() bool { return len(kit.EveryPage[redline.Execution](env, client.ListExecutions, nil)) == 2 })
		}
		held.Drop()
		failure := redline.AsError(<-lost)
		require.NotNil(t, failure, name)
		require.Equal(t, []any{504, redline.ProblemStatusDeadlineExceeded}, []any{failure.HTTPStatus, failure.Status}, name)
		require.Equal(t, name == "after", kit.Dispatch(env, definition, kit.Key(name)).Deduplicated, name)
	}
}

// lostDispatch makes a call whose answer is not expected, and tells its error.
func lostDispatch(env *kit.Env, data redline.DispatchRequest) <-chan error {
	reported := make(chan error, 1)
	go func() {
		_, err := env.Workspace.Dispatch(env.Ctx, data)
		reported <- err
	}()
	return reported
}

// An agent whose call was cut off is called again, unless it has answered meanwhile: the
// tokens of both calls open the step.
func TestSurvive_KilledDuringTheCallOfAnAgent(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	api, worker := isolated.StartProcess("api"), isolated.StartProcess("worker")
	env := isolated.NewWorkspace(api)
	env.Receiver().Answer("/agent", receiver.JSON(`{}`))
	env.Receiver().Answer("/quick", receiver.JSON(`{}`))
	slow, quick := env.Receiver().HoldFirst("/agent"), env.Receiver().HoldFirst("/quick")
	anAgentAt(env, "/agent")
	kit.Register(env, "quick", map[string]any{"url": env.Receiver().URL("/quick")})
	r, other := kit.AsksAgent(env, client.Agent("check", "checker")), kit.AsksAgent(env, client.Agent("check", "quick"))
	kit.RequireReached(t, "the call of the agent", slow.Reached())
	kit.RequireReached(t, "the call of the other one", quick.Reached())
	worker.Kill()
	slow.Release()
	quick.Release()
	answer, err := client.Call[redline.DecideResult](env.Ctx, byToken(env, kit.CalledAgent(env, "/quick").Callback.Token), client.RecordResolution, other.Resolves("check", "r1", "resolved"))
	require.NoError(t, err)
	require.Equal(t, []any{true, redline.DecideResultAggregatorStatusPending}, []any{answer.Recorded, answer.AggregatorStatus}, "it is kept until it is known how the call ended")

	isolated.Restart(worker)
	r.WaitsAt("check")
	other.Ends("completed")
	require.Len(t, env.Receiver().Requests("/quick"), 1, "a resolution shows that the agent took the step")
	calls := env.Receiver().Requests("/agent")
	require.Len(t, calls, 2)
	for n, call := range calls {
		require.Equal(t, strconv.Itoa(n), call.Header.Get("x-svc-attempt"), "every call begun counts")
		require.Equal(t, calls[0].Header.Get("x-svc-event-id"), call.Header.Get("x-svc-event-id"))
	}
	require.Empty(t, history(r, "step.retried"), "but it used up no try")
	_, err = client.Call[redline.DecideResult](env.Ctx, byToken(env, kit.CalledAgent(env, "/agent").Callback.Token), client.RecordResolution, r.Resolves("check", "r1", "rejected"))
	require.NoError(t, err)
	r.Ends("completed")
	isolated.AtRest()
}
