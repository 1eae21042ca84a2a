package tests

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/proxy"
	"github.com/redline-svc/redline/tests/receiver"
	"github.com/redline-svc/redline/tests/stack"
)

// pipeline is a call, a person and another call, which have the usual time: no
// busy machine makes one of them twice.
func (s *scene) pipeline() string {
	s.t.Helper()
	return s.pipelineWithin(10 * time.Second)
}

// pipelineWithin is pipeline with a limit of its calls: one that is cut off by a
// kill begins again ten seconds after it.
func (s *scene) pipelineWithin(limit time.Duration) string {
	s.t.Helper()
	return s.define(
		[]client.Node{
			client.Hook("before", s.receiver().URL("/before")).With("timeoutMs", limit.Milliseconds()),
			client.Human("review", "ann"),
			client.Hook("after", s.receiver().URL("/after")).With("timeoutMs", limit.Milliseconds()),
		},
		client.Always("before", "review"), client.Approve("review", "after"), client.Reject("review", "after"))
}

// answered waits until n answers of the path left the receiver.
func (s *scene) answered(path string, n int) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.ctx, patience)
	defer cancel()
	require.NoError(s.t, s.receiver().WaitAnswered(ctx, path, n))
}

// once proves that a path of the receiver was called for one thing only, n times.
func (s *scene) once(path string, n int) []receiver.Request {
	s.t.Helper()
	requests := s.receiver().Requests(path)
	require.Len(s.t, requests, n, path)
	for _, request := range requests {
		require.Equal(s.t, requests[0].Header.Get("x-svc-event-id"), request.Header.Get("x-svc-event-id"))
		require.Equal(s.t, string(requests[0].Body), string(request.Body))
	}
	return requests
}

func TestSurvive_KilledBetweenCommitAndStart(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s := l.begin(process)
	definition := s.pipeline()
	held := l.Engine.HoldRequest(engineStart, naming(definition))
	r := s.dispatch(definition, key("k"), s.withReceiver("/events"))
	reached(t, "the start", held.Reached())
	process.Kill()
	held.Drop()
	require.Empty(t, s.receiver().Requests("/before"), "the engine never heard of it")

	l.again(process)
	require.True(t, s.dispatch(definition, key("k")).deduplicated, "a replay after the restart of everything")
	finish(r)
	s.once("/before", 1)
	s.once("/after", 1)
	l.atRest()
}

// finish approves and proves that the execution came to its end and told so.
func finish(r *run) {
	r.s.t.Helper()
	book := &ledger{s: r.s, path: "/events"}
	book.add(r)
	r.waitsAt("review")
	r.decide("review", "ann", "approve")
	book.check()
	require.Len(r.s.t, r.view().Steps, 3, "each node ran once")
}

func TestSurvive_KilledBetweenTheEnginesAcceptanceAndTheMark(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s := l.begin(process)
	definition := s.pipeline()
	held := l.Engine.HoldReply(engineStart, naming(definition))
	r := s.dispatch(definition, s.withReceiver("/events"))
	reached(t, "the engine's acceptance", held.Reached())
	process.Kill()
	held.Release()
	l.again(process)
	finish(r)
	s.once("/before", 1)
	s.once("/after", 1)
	l.atRest()
}

func TestSurvive_KilledBetweenADecisionsCommitAndItsPoke(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s := l.begin(process)
	definition := s.pipeline()
	r := s.dispatch(definition, s.withReceiver("/events"))
	r.waitsAt("review")
	book := &ledger{s: s, path: "/events"}
	book.add(r)

	held := l.Engine.HoldRequest(enginePoke, naming(definition))
	require.True(t, r.decide("review", "ann", "approve").ResumeScheduled)
	reached(t, "the poke", held.Reached())
	process.Kill()
	held.Drop()
	require.Empty(t, s.receiver().Requests("/after"), "nobody drives it yet")
	l.again(process)
	require.Equal(t, "idempotent", r.decide("review", "ann", "approve").AggregatorStatus)
	book.check()
	s.once("/after", 1)
	l.atRest()
}

func TestSurvive_KilledBetweenAnActivitysCommitAndItsReport(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s := l.begin(process)
	held := l.Engine.HoldRequest(engineReport, nil)
	r := s.dispatch(s.pipeline())
	reached(t, "the report", held.Reached())
	require.Equal(t, "completed", r.step("before").Status, "committed")
	process.Kill()
	held.Drop()
	l.again(process)
	r.waitsAt("review")
	r.decide("review", "ann", "approve")
	r.ends("completed")
	s.once("/before", 1)
	s.once("/after", 1)
	l.atRest()
}

// stuck is a process with a request of its on the wire, unanswered.
type stuck struct {
	*lab
	process *stack.Service
	s       *scene
	r       *run
	gate    *receiver.Gate
}

// calling holds the call of an execution's first step, delivering the second
// delivery of a completed execution's first event.
func calling(t *testing.T) *stuck {
	t.Helper()
	h := serving(t)
	h.gate = h.s.receiver().Hold("/before")
	h.r = h.s.dispatch(h.s.pipeline())
	reached(t, "the call", h.gate.Reached())
	return h
}

func delivering(t *testing.T) *stuck {
	t.Helper()
	h := serving(t)
	h.r = h.s.dispatch(h.s.instant(), h.s.withReceiver("/events"))
	h.r.ends("completed")
	first := firstOf(h.r.delivered())
	h.gate = h.s.receiver().Hold("/events")
	require.Equal(t, 1, h.r.redeliver(map[string]any{"eventIds": []string{first.EventID}}))
	reached(t, "the delivery", h.gate.Reached())
	return h
}

func serving(t *testing.T) *stuck {
	t.Helper()
	l := newLab(t)
	process := l.start("serve")
	return &stuck{lab: l, process: process, s: l.begin(process)}
}

func TestSurvive_KilledWhileACallIsOnTheWire(t *testing.T) {
	h := calling(t)
	h.process.Kill()
	h.gate.Release()
	h.again(h.process)
	h.r.waitsAt("review")
	requests := h.s.once("/before", 2)
	require.Equal(t, "0", requests[0].Header.Get("x-svc-attempt"))
	require.Equal(t, "1", requests[1].Header.Get("x-svc-attempt"), "every call begun counts")
	require.Empty(t, h.r.history("step.retried"), "but it used up no try")
	h.r.decide("review", "ann", "approve")
	h.r.ends("completed")
	h.atRest()
}

func TestSurvive_KilledAfterACallWasAnswered(t *testing.T) {
	h := calling(t)
	h.Rows.Freeze()
	h.gate.Release()
	h.s.answered("/before", 1)
	h.process.Kill()
	h.Rows.Thaw()
	h.again(h.process)
	h.r.waitsAt("review")
	h.s.once("/before", 2)
	h.r.decide("review", "ann", "approve")
	h.r.ends("completed")
	h.s.once("/after", 1)
	h.atRest()
}

func TestSurvive_KilledDuringADeliveryBeforeItsAnswer(t *testing.T) {
	h := delivering(t)
	h.process.Kill()
	h.gate.Release()
	h.again(h.process)
	book := &ledger{s: h.s, path: "/events"}
	book.add(h.r)
	book.check()
	first := firstOf(h.r.delivered())
	require.Len(t, first.Attempts, 3)
	require.Equal(t, "interrupted", *first.Attempts[1].Error)
	h.atRest()
}

func TestSurvive_KilledDuringADeliveryAfterItsAnswer(t *testing.T) {
	h := delivering(t)
	h.Rows.Freeze()
	h.gate.Release()
	h.s.answered("/events", len(h.s.receiver().Requests("/events")))
	h.process.Kill()
	h.Rows.Thaw()
	h.again(h.process)
	book := &ledger{s: h.s, path: "/events"}
	book.add(h.r)
	book.check()
	require.Len(t, firstOf(h.r.delivered()).Attempts, 3, "told again, as nobody knows")
	h.atRest()
}

// firstOf is the delivery of the execution's first event, which was under way
// when its process was killed.
func firstOf(all []client.Delivery) client.Delivery {
	first := all[0]
	for _, delivery := range all {
		if delivery.Seq < first.Seq {
			first = delivery
		}
	}
	return first
}

func TestSurvive_WorkerKilledInEachState(t *testing.T) {
	l := newLab(t)
	api, worker := l.start("api"), l.start("worker")
	s := l.begin(api)
	ear := s.receiver()
	ear.AnswerBy("/shaky", func(n int, _ receiver.Request) receiver.Answer {
		if n == 1 {
			return receiver.Status(503)
		}
		return receiver.Status(200)
	})
	onTheWire := ear.Hold("/wire")
	hook := func(path string) string { return s.define([]client.Node{client.Hook("call", ear.URL(path))}) }
	book := &ledger{s: s, path: "/events"}
	reported := s.withReceiver("/events")

	waiting := book.add(s.dispatch(s.pipeline(), reported))
	waiting.waitsAt("review")
	late := book.add(s.dispatch(s.pipeline(), reported))
	late.waitsAt("review")
	book.add(s.dispatch(hook("/wire"), reported))
	reached(t, "the call on the wire", onTheWire.Reached())
	between := book.add(s.dispatch(hook("/shaky"), reported))
	eventually(t, "a try has failed", func() bool { return len(between.history("step.retried")) == 1 })
	dropped := book.expect(s.dispatch(s.pipeline(), reported), "cancelled")
	dropped.waitsAt("review")
	worker.Kill()

	pending := book.add(s.dispatch(s.pipeline(), reported))
	require.Equal(t, "pending", pending.view().Status)
	require.True(t, waiting.decide("review", "ann", "approve").ResumeScheduled, "decided while nobody drives")
	require.True(t, dropped.cancel())
	onTheWire.Release()
	l.again(worker)

	pending.waitsAt("review")
	for _, r := range []*run{pending, late} {
		require.True(t, r.decide("review", "ann", "approve").ResumeScheduled)
	}
	book.check()
	for _, f := range book.followers {
		f.r.delivered()
	}
	l.atRest()
}

func TestSurvive_KilledBeforeACommit(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s := l.begin(process)
	mark := unique("mark")
	data := client.Dispatch{DefinitionID: s.pipeline(), IdempotencyKey: "k", TriggerContext: map[string]any{"mark": mark}}
	held := l.Rows.HoldRequest(proxy.Says(mark))
	lost := s.lostDispatch(data)
	reached(t, "the insert", held.Reached())
	process.Kill()
	require.Error(t, <-lost, "no answer came")
	held.Drop()
	l.again(process)
	require.Empty(t, everyPage[client.Execution](s, listExecutions, nil), "nothing is half-done")
	require.False(t, s.dispatch(data.DefinitionID, key("k")).deduplicated)
	l.atRest()
}

func TestSurvive_KilledBeforeTheAnswerOfACommit(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s := l.begin(process)
	mark := unique("mark")
	data := client.Dispatch{DefinitionID: s.pipeline(), IdempotencyKey: "k", TriggerContext: map[string]any{"mark": mark}}
	held := l.Rows.HoldReply(proxy.Says(mark))
	lost := s.lostDispatch(data)
	reached(t, "the insert", held.Reached())
	var there []client.Execution
	eventually(t, "others see the execution, so it is committed", func() bool {
		there = everyPage[client.Execution](s, listExecutions, nil)
		return len(there) == 1
	})
	process.Kill()
	require.Error(t, <-lost, "no answer came")
	held.Release()
	l.again(process)
	again := s.dispatch(data.DefinitionID, key("k"))
	require.True(t, again.deduplicated, "repeating the call is safe")
	require.Equal(t, there[0].ExecutionID, again.id)
	again.waitsAt("review")
	again.decide("review", "ann", "approve")
	again.ends("completed")
	s.once("/before", 1)
	s.once("/after", 1)
	l.atRest()
}

// A connection that is lost while it commits leaves open whether the change
// happened, and the answer says so; repeating the call tells.
func TestSurvive_AConnectionLostWhileCommitting(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api"))
	definition := s.instant()
	for _, name := range []string{"before", "after"} {
		mark, lose := unique("mark"), l.Rows.HoldRequest
		if name == "after" {
			lose = l.Rows.HoldReply
		}
		held := lose(proxy.Says(mark))
		lost := s.lostDispatch(client.Dispatch{DefinitionID: definition, IdempotencyKey: name, TriggerContext: map[string]any{"mark": mark}})
		reached(t, "the commit", held.Reached())
		if name == "after" {
			eventually(t, "others see the execution", func() bool { return len(everyPage[client.Execution](s, listExecutions, nil)) == 2 })
		}
		held.Drop()
		failure := client.Refusal(<-lost)
		require.NotNil(t, failure, name)
		require.Equal(t, []any{504, "DEADLINE_EXCEEDED"}, []any{failure.HTTP, failure.Status}, name)
		require.Equal(t, name == "after", s.dispatch(definition, key(name)).deduplicated, name)
	}
}

// lostDispatch makes a call whose answer is not expected, and tells its error.
func (s *scene) lostDispatch(data client.Dispatch) <-chan error {
	reported := make(chan error, 1)
	go func() {
		_, err := s.workspace.Dispatch(s.ctx, data)
		reported <- err
	}()
	return reported
}

// An agent whose call was cut off is called again, unless it has answered meanwhile: the
// tokens of both calls open the step.
func TestSurvive_KilledDuringTheCallOfAnAgent(t *testing.T) {
	l := newLab(t)
	api, worker := l.start("api"), l.start("worker")
	s := l.begin(api)
	s.receiver().Answer("/agent", receiver.JSON(`{}`))
	s.receiver().Answer("/quick", receiver.JSON(`{}`))
	slow, quick := s.receiver().HoldFirst("/agent"), s.receiver().HoldFirst("/quick")
	s.anAgentAt("/agent")
	s.register("quick", map[string]any{"url": s.receiver().URL("/quick")})
	r, other := s.asksAgent(client.Agent("check", "checker")), s.asksAgent(client.Agent("check", "quick"))
	reached(t, "the call of the agent", slow.Reached())
	reached(t, "the call of the other one", quick.Reached())
	worker.Kill()
	slow.Release()
	quick.Release()
	answer, err := client.Call[client.Decided](s.ctx, s.byToken(s.calledAgent("/quick").Callback.Token), recordResolution, other.resolves("check", "r1", "resolved"))
	require.NoError(t, err)
	require.Equal(t, []any{true, "pending"}, []any{answer.Recorded, answer.AggregatorStatus}, "it is kept until it is known how the call ended")

	l.again(worker)
	r.waitsAt("check")
	other.ends("completed")
	require.Len(t, s.receiver().Requests("/quick"), 1, "a resolution shows that the agent took the step")
	calls := s.receiver().Requests("/agent")
	require.Len(t, calls, 2)
	for n, call := range calls {
		require.Equal(t, strconv.Itoa(n), call.Header.Get("x-svc-attempt"), "every call begun counts")
		require.Equal(t, calls[0].Header.Get("x-svc-event-id"), call.Header.Get("x-svc-event-id"))
	}
	require.Empty(t, r.history("step.retried"), "but it used up no try")
	_, err = client.Call[client.Decided](s.ctx, s.byToken(s.calledAgent("/agent").Callback.Token), recordResolution, r.resolves("check", "r1", "rejected"))
	require.NoError(t, err)
	r.ends("completed")
	l.atRest()
}
