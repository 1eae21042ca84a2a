package interpreter_test

import (
	"encoding/json"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
)

// pair is one execution in both interpreters.
type pair struct {
	t     *rapid.T
	env   *env
	other *naive
	words []string
	// acts is how many moves of operators are still to come.
	acts int
	// played are all moves, to be played again.
	played []played
}

// played is a move and its time.
type played struct {
	now  int64
	move func(w *interpreter.Interpreter)
}

// agree compares the two.
func (p *pair) agree(text string) {
	require.Equal(p.t, p.other.summary(), p.env.summary(), text)
}

// pass lets some time go by, after which Temporal asks.
func (p *pair) pass(ms int64) {
	p.env.now += ms
	p.both((*interpreter.Interpreter).Ask, func() { p.other.pass(p.env.now) })
}

// goesOn reports whether the execution lives, or is tried again after its failure.
func (p *pair) goesOn() bool {
	switch {
	case !p.env.state.Status.Final():
		return true
	case p.acts == 0 || p.env.state.Status != interpreter.Failed || rapid.IntRange(0, 3).Draw(p.t, "again") == 0:
		return false
	}
	p.acts--
	p.retry()
	return !p.env.state.Status.Final()
}

func (p *pair) retry() {
	var ids, names []string
	for _, s := range p.other.steps {
		if rapid.IntRange(0, 15).Draw(p.t, "skips") == 0 {
			names = append(names, s.at())
			ids = append(ids, interpreter.StepID(p.env.state.ExecutionID, s.node, s.round, s.attempt))
		}
	}
	if again := p.other.open(); len(again) > 0 && rapid.IntRange(0, 2).Draw(p.t, "skips one") == 0 {
		s := again[0]
		names, ids = []string{s.at()}, []string{interpreter.StepID(p.env.state.ExecutionID, s.node, s.round, s.attempt)}
	}
	p.both(func(w *interpreter.Interpreter) { w.Retry(interpreter.Retry{SkipStepIDs: ids, ActorID: "u"}) }, func() { p.other.retry(names) })
	require.False(p.t, len(ids) == 0 && p.env.state.Status == interpreter.Completed, "what failed is done by nobody")
}

// move is one answer or act at a step, most often at one that lives. After many it is
// always an answer to one, so that every course comes to its end.
func (p *pair) move(n int) {
	steps := p.env.state.Steps
	if n > 20 || rapid.IntRange(0, 5).Draw(p.t, "sensible") > 0 {
		steps = slices.DeleteFunc(slices.Clone(steps), func(step *interpreter.Step) bool { return !step.Status.Live() })
	}
	if p.acts == 0 && p.env.state.PausedAt != 0 {
		p.both(func(w *interpreter.Interpreter) { w.Resume("u", "") }, p.other.resume)
	}
	if len(steps) == 0 {
		return
	}
	step := rapid.SampledFrom(steps).Draw(p.t, "step")
	mirror := p.other.at(step.NodeID, step.Iteration, step.Attempt)
	require.NotNil(p.t, mirror)
	switch {
	case p.acts > 0 && rapid.IntRange(0, 2).Draw(p.t, "act") == 0:
		p.acts--
		p.act(step, mirror)
	case step.NodeType == "webhook" || step.NodeType == "notification":
		p.call(step, mirror)
	case step.Agent != nil:
		p.workAgent(step, mirror)
	default:
		who, word := rapid.SampledFrom([]string{"ann", "ann", "bob", "opt", "eve", "zoe"}).Draw(p.t, "who"), rapid.SampledFrom(p.words).Draw(p.t, "word")
		p.both(func(w *interpreter.Interpreter) {
			_, _ = w.Decide(interpreter.Decision{StepID: step.ID, ReviewerID: who, Word: word, Reason: "because"})
		}, func() { p.other.decide(mirror, who, word, true) })
	}
}

// both makes a move in both interpreters at the same time.
func (p *pair) both(first func(w *interpreter.Interpreter), second func()) {
	p.env.play(first)
	p.played = append(p.played, played{p.env.now, first})
	p.other.now = p.env.now
	second()
}

// play makes a move.
func (s *env) play(move func(w *interpreter.Interpreter)) {
	w := s.interpreter()
	move(w)
	s.keep(w)
}

// again plays all moves with a new execution, which has the same events.
func (p *pair) again() {
	s := dispatched(p.t, p.env.graph)
	for _, each := range p.played {
		s.now = each.now
		s.play(each.move)
	}
	require.Len(p.t, s.events, len(p.env.events))
	for i, event := range p.env.events {
		require.Equal(p.t, event, s.events[i])
	}
}

// dispatched is an execution that was just accepted.
func dispatched(t *rapid.T, graph *definition.Graph) *env {
	s := &env{t: t, graph: graph, now: start}
	s.state = &interpreter.State{ExecutionID: "exec_1_abcdefgh", Input: json.RawMessage(`{}`)}
	s.keep(interpreter.Dispatch(graph, s.state, "flow", 1, s.now))
	return s
}

// call makes the call of a webhook or a notification, which has no decision, or is the
// callback of a receiver that answers later, which may come before the call has ended.
func (p *pair) call(step *interpreter.Step, mirror *naiveStep) {
	ok, decision := rapid.IntRange(0, 3).Draw(p.t, "ok") > 0, rapid.SampledFrom(append(p.words, "")).Draw(p.t, "decision")
	hook := p.env.graph.Node(step.NodeID).Webhook
	if hook == nil {
		decision = ""
	}
	later := hook != nil && hook.Mode == "async"
	if later && (step.Status == interpreter.StepWaiting || rapid.IntRange(0, 3).Draw(p.t, "early") == 0) {
		p.both(func(w *interpreter.Interpreter) {
			_, _ = w.Complete(step.ID, interpreter.Callback{Failed: !ok, Output: json.RawMessage(`{"decision":"` + decision + `"}`)})
		}, func() { p.other.callback(mirror, ok, decision) })
		return
	}
	o := interpreter.Outcome{Kind: interpreter.Success, Decision: decision, HTTPStatus: 200}
	if !ok {
		o = interpreter.Outcome{Kind: interpreter.Permanent, Code: "webhook-http-status", HTTPStatus: 400}
	}
	p.both(func(w *interpreter.Interpreter) {
		own := o
		own.Call, _ = w.Begin(step.ID, 1_000_000, true)
		w.Finish(step.ID, own)
	}, func() { p.other.call(mirror, ok, o.Decision) })
}

// workAgent calls an agent, or is one of its resolutions, which may come before the
// call has ended.
func (p *pair) workAgent(step *interpreter.Step, mirror *naiveStep) {
	word := map[string]string{"approve": "resolved", "reject": "rejected"}[rapid.SampledFrom(p.words).Draw(p.t, "word")]
	if step.Status != interpreter.StepRunning || rapid.IntRange(0, 3).Draw(p.t, "early") == 0 {
		id := rapid.SampledFrom([]string{"r1", "r2", "r3", "r4"}).Draw(p.t, "response")
		p.both(func(w *interpreter.Interpreter) {
			_, _ = w.Resolve(resolution.Resolution{StepID: step.ID, ResponseID: id, Word: word, Source: resolution.FromCallback})
		}, func() { p.other.resolve(mirror, id, word) })
		return
	}
	ok, ids := rapid.IntRange(0, 3).Draw(p.t, "ok") > 0, []string{"r1", "r2", "r3"}[:rapid.IntRange(0, 3).Draw(p.t, "announced")]
	if rapid.IntRange(0, 3).Draw(p.t, "at once") > 0 {
		word = ""
	}
	kind := interpreter.Success
	if !ok {
		kind = interpreter.Permanent
	}
	p.both(func(w *interpreter.Interpreter) {
		number, _ := w.Begin(step.ID, 1_000_000, true)
		w.Finish(step.ID, interpreter.Outcome{Call: number, Kind: kind, Code: "agent-refused", Agent: resolution.Reply{ResponseIDs: slices.Clone(ids), Word: word}})
	}, func() { p.other.called(mirror, ok, slices.Clone(ids), word) })
}

// act is what an operator does.
func (p *pair) act(step *interpreter.Step, mirror *naiveStep) {
	switch rapid.SampledFrom([]string{"resolve", "resolve", "resolve", "cancel step", "cancel step", "reassign", "reassign", "pause", "resume", "cancel"}).Draw(p.t, "does") {
	case "resolve":
		actor := rapid.SampledFrom([]string{"ann", "bob", "opt", "eve"}).Draw(p.t, "actor")
		action := rapid.SampledFrom([]interpreter.Action{
			interpreter.ForceApprove, interpreter.ForceReject, interpreter.ReviewerApprove, interpreter.ReviewerReject, interpreter.ForceComplete, interpreter.ForceFail,
		}).Draw(p.t, "action")
		p.both(func(w *interpreter.Interpreter) {
			_, _ = w.Override(interpreter.Override{StepID: step.ID, ActorID: actor, Action: action})
		},
			func() { p.other.override(mirror, string(action), actor) })
	case "cancel step":
		p.both(func(w *interpreter.Interpreter) { w.CancelStep(step.ID, "u", "") }, func() { p.other.cancelStep(mirror) })
	case "reassign":
		from, to := rapid.SampledFrom([]string{"ann", "bob", "eve"}).Draw(p.t, "from"), rapid.SampledFrom([]string{"eve", "ann", "zoe"}).Draw(p.t, "to")
		p.both(func(w *interpreter.Interpreter) {
			_, _ = w.Reassign(interpreter.Reassignment{StepID: step.ID, From: from, To: to, ActorID: "u"})
		}, func() { p.other.reassign(mirror, from, to) })
	case "pause":
		p.both(func(w *interpreter.Interpreter) { w.Pause("u", "") }, p.other.pause)
	case "resume":
		p.both(func(w *interpreter.Interpreter) { w.Resume("u", "") }, p.other.resume)
	case "cancel":
		if rapid.IntRange(0, 5).Draw(p.t, "really") == 0 {
			p.both(func(w *interpreter.Interpreter) { w.Cancel("u", "") }, p.other.cancelAll)
		}
	}
}
