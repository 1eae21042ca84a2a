package interpreter

import (
	"fmt"

	"github.com/redline-svc/redline/internal/definition"
)

// route returns the edges that a decided group fires. It reports false when the group went
// back by its loop or failed the execution.
func (w *Interpreter) route(v *verdict) (fired []firing, goesOn bool) {
	if v.group.OnQuorumMet == definition.JoinOnQuorum && v.state.Missed {
		return w.routeMissed(v)
	}
	if v.group.OnQuorumMet != definition.CancelOnQuorum || v.state.Met {
		edges := w.graph.FromGroup(v.group.ID)
		if v.group.OnQuorumMet == definition.JoinOnQuorum {
			edges = append(w.graph.Shared(v.group, false), edges...)
		}
		fired = w.leaving(v.from, edges, nil)
	}
	v.state.Absorbs = v.state.Met || len(fired) > 0
	if v.state.Absorbs {
		w.absorb(v.group)
		return fired, true
	}
	return fired, !w.unanswered(v.group)
}

// routeMissed is what follows when a quorum that joins is missed: the loop goes back, or
// the open members end and the edges on rejection or on exhausted fire.
func (w *Interpreter) routeMissed(v *verdict) (fired []firing, goesOn bool) {
	loop := w.graph.LoopFromGroup(v.group.ID)
	back := loop != nil && v.from.turnsBack()
	v.state.Absorbs = true
	if back && !w.usedUp(loop) {
		w.absorb(v.group)
		w.goBack(loop, v.from)
		return nil, false
	}
	w.cancelMembers(v.group, quorumMissed)
	if back {
		fired = w.leaving(v.from, definition.Exits(w.graph.FromGroup(v.group.ID)), loop)
	} else {
		fired = w.leaving(v.from, w.graph.Shared(v.group, true), nil)
	}
	if len(fired) > 0 {
		w.absorb(v.group)
		return fired, true
	}
	v.state.Failed = true
	if back {
		w.fail(loopExhausted, "the group "+v.group.ID+" was rejected and its loop is used up")
	} else {
		w.fail("quorum-not-met", "the group "+v.group.ID+" missed its quorum and no edge took it")
	}
	return nil, false
}

// absorb marks the ends of members as taken.
func (w *Interpreter) absorb(g *definition.Group) {
	for _, s := range w.members(g) {
		if !s.Status.Live() && !s.Routed {
			s.Routed, s.changed = true, true
		}
	}
}

// members are the steps of a group in this iteration.
func (w *Interpreter) members(g *definition.Group) []*Step {
	var out []*Step
	for _, id := range g.MemberNodeIDs {
		if s := w.latest(id, w.iteration(id)); s != nil {
			out = append(out, s)
		}
	}
	return out
}

// unanswered fails the execution for ends of members that neither an edge of theirs nor
// the group took.
func (w *Interpreter) unanswered(g *definition.Group) bool {
	rejected := false
	for _, s := range w.members(g) {
		if s.Routed {
			continue
		}
		if (s.Status == StepFailed || s.Status == StepBreached) && w.mustBeTaken(s, 0) {
			return true
		}
		rejected = rejected || s.Status == StepCompleted && s.Decision == RejectWord
	}
	if rejected && len(w.graph.FromGroup(g.ID)) > 0 { // without edges a rejection ends its branch
		w.groupState(g).Failed = true
		w.fail("quorum-not-met", fmt.Sprintf("the group %s was rejected and no edge took it", g.ID))
	}
	return w.over()
}

// decideStranded decides the first group that waits for members which cannot start any
// more. It reports whether there was one.
func (w *Interpreter) decideStranded() bool {
	var reach map[string]bool // the same for all groups, until one of them is decided
	for i := range w.graph.Groups {
		g := &w.graph.Groups[i]
		if len(w.members(g)) == 0 || w.groupState(g).Decided {
			continue
		}
		if reach == nil {
			reach = w.reachable()
		}
		lost := w.lost(g, reach)
		if lost == 0 {
			continue
		}
		before := *w.groupState(g)
		if decided := w.count(g, nil, lost); decided != nil {
			w.proceed(decided, nil)
		}
		if *w.groupState(g) != before {
			return true
		}
	}
	return false
}

// lost counts the members of a group that have not started and cannot any more.
func (w *Interpreter) lost(g *definition.Group, reach map[string]bool) int {
	n := 0
	for _, id := range g.MemberNodeIDs {
		if w.latest(id, w.iteration(id)) == nil && !reach[id] {
			n++
		}
	}
	return n
}

// reachable are the nodes without a step in this iteration that a live step, or a group
// that is not decided, may still start.
func (w *Interpreter) reachable() map[string]bool {
	reach := map[string]bool{}
	var open []definition.Edge
	for _, s := range w.state.Steps {
		if s.Status.Live() {
			open = append(open, w.graph.From(s.NodeID)...)
		}
	}
	for i := range w.graph.Groups {
		if g := &w.graph.Groups[i]; len(w.members(g)) > 0 && !w.groupState(g).Decided {
			open = append(open, w.graph.LeadingOn(g)...)
		}
	}
	for len(open) > 0 {
		id := open[0].To
		open = open[1:]
		if reach[id] || w.latest(id, w.iteration(id)) != nil {
			continue
		}
		reach[id] = true
		open = append(open, w.graph.From(id)...)
		if g := w.graph.Group(w.graph.Node(id).GroupID); g != nil {
			open = append(open, w.graph.LeadingOn(g)...)
		}
	}
	return reach
}
