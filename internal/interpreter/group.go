package interpreter

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/output"
)

// Actor and reasons of members that their group ends.
const (
	groupActor   = "system:group-quorum"
	quorumMet    = "group-quorum-met"
	quorumMissed = "group-quorum-missed"
)

// GroupState is what is known of a group in one iteration and attempt.
type GroupState struct {
	GroupID   string `json:"groupId"`
	Iteration int    `json:"iteration"`
	Attempt   int    `json:"attempt"`
	// Met and Missed are of the quorum; the first of the two holds.
	Met    bool `json:"met,omitempty"`
	Missed bool `json:"missed,omitempty"`
	// Decided says that the group's edges were asked, Absorbs that ends of members
	// which no edge of theirs takes do no harm.
	Decided bool `json:"decided,omitempty"`
	Absorbs bool `json:"absorbs,omitempty"`
	// Failed says that the execution failed by this group.
	Failed bool `json:"failed,omitempty"`
}

// verdict is the end of a group in one iteration.
type verdict struct {
	group *definition.Group
	state *GroupState
	from  source
}

// tally counts what the members of a group did in this iteration.
type tally struct {
	approvals, ended int
	// required says that every required member approved, refused that one of them
	// ended otherwise.
	required, refused bool
}

// tally counts the latest step of each member. lost members can no longer start: they
// count as ended.
func (w *Interpreter) tally(g *definition.Group, lost int) tally {
	t := tally{ended: lost, required: true}
	approved := map[string]bool{}
	for _, id := range g.MemberNodeIDs {
		s := w.latest(id, w.iteration(id))
		if s == nil || s.Status.Live() {
			continue
		}
		t.ended++
		if s.approved() {
			t.approvals++
			approved[id] = true
		}
	}
	for _, id := range g.RequiredIDs {
		s := w.latest(id, w.iteration(id))
		t.required = t.required && approved[id]
		t.refused = t.refused || s != nil && !s.Status.Live() && !approved[id]
	}
	return t
}

func (s *Step) approved() bool { return s.Status == StepCompleted && s.Decision == ApproveWord }

// met and missed are the two ends of a quorum.
func (t tally) met(g *definition.Group) bool { return t.approvals >= g.Quorum && t.required }

func (t tally) missed(g *definition.Group) bool {
	return t.approvals+g.ExpectedSteps-t.ended < g.Quorum || t.refused || t.ended >= g.ExpectedSteps
}

// groupIteration is the iteration in which a group is: the latest of its members'.
func (w *Interpreter) groupIteration(g *definition.Group) int {
	n := 1
	for _, id := range g.MemberNodeIDs {
		n = max(n, w.iteration(id))
	}
	return n
}

// groupState returns what is known of a group now.
func (w *Interpreter) groupState(g *definition.Group) *GroupState {
	iteration := w.groupIteration(g)
	for _, state := range w.state.Groups {
		if state.GroupID == g.ID && state.Iteration == iteration && state.Attempt == w.state.Attempt {
			return state
		}
	}
	state := &GroupState{GroupID: g.ID, Iteration: iteration, Attempt: w.state.Attempt}
	w.state.Groups = append(w.state.Groups, state)
	return state
}

// closed reports whether members of a group which have not started never will. In a retry those
// start that were due when the group failed the execution.
func (w *Interpreter) closed(g *definition.Group) bool {
	state := w.groupState(g)
	if state.Failed {
		return false
	}
	switch g.OnQuorumMet {
	case definition.CancelOnQuorum:
		return state.Met
	case definition.JoinOnQuorum:
		return state.Met || state.Missed
	default:
		return false
	}
}

// takes reports whether ends of members are the group's matter: it will answer for them when
// it is decided, or it has taken them.
func (w *Interpreter) takes(g *definition.Group) bool {
	state := w.groupState(g)
	if state.Decided {
		return state.Absorbs
	}
	return g.OnQuorumMet == definition.JoinOnQuorum || len(w.graph.FromGroup(g.ID)) > 0
}

// count takes the end of a member into account, and the members that were lost with it.
// It returns the verdict if that decides the group. by is nil when no end of a member does.
func (w *Interpreter) count(g *definition.Group, by *Step, lost int) *verdict {
	state, t := w.groupState(g), w.tally(g, lost)
	if state.Decided {
		return nil
	}
	if !state.Met && !state.Missed {
		state.Met = t.met(g)
		state.Missed = !state.Met && t.missed(g)
		if state.Met {
			w.emit("group.quorum-met", nil, event.QuorumMet{GroupID: g.ID, Total: t.approvals, Quorum: g.Quorum, CompletedTotal: t.ended, ExpectedSteps: g.ExpectedSteps})
		}
	}
	decision := state.decision(g, t)
	if decision == "" {
		return nil
	}
	state.Decided = true
	w.emit("parallel-group.completed", nil, nil)
	if g.OnQuorumMet != definition.WaitAll && state.Met {
		w.cancelMembers(g, quorumMet)
	}
	return &verdict{g, state, w.groupSource(g, by, decision, t.approvals)}
}

// decision is how a group ends, empty while it does not: one that waits for all ends with
// the last end that it expects, any other one with its quorum.
func (state *GroupState) decision(g *definition.Group, t tally) string {
	approved, over := state.Met, state.Met || state.Missed
	if g.OnQuorumMet == definition.WaitAll {
		approved, over = t.approvals >= g.ExpectedSteps, t.ended >= g.ExpectedSteps
	}
	switch {
	case !over:
		return ""
	case approved:
		return ApproveWord
	default:
		return RejectWord
	}
}

// cancelMembers ends the members of a group that still live.
func (w *Interpreter) cancelMembers(g *definition.Group, reason string) {
	for _, id := range g.MemberNodeIDs {
		if s := w.latest(id, w.iteration(id)); s != nil {
			w.cancelStep(s, groupActor, reason)
		}
	}
}

// groupSource is a decided group as the source of edges.
func (w *Interpreter) groupSource(g *definition.Group, by *Step, decision string, approvals int) source {
	from := source{status: StepCompleted, decision: decision}
	if by != nil {
		from.root = rootOf(by)
	}
	out := output.Group{
		GroupOutputs: map[string]json.RawMessage{}, GroupID: g.ID, Quorum: g.Quorum, TotalApproved: approvals,
		Decision: decision, Approved: decision == ApproveWord,
	}
	for _, id := range g.MemberNodeIDs {
		if s := w.latest(id, w.iteration(id)); s != nil && !s.Status.Live() && s.Status != StepCancelled {
			out.GroupOutputs[id] = output.OrEmpty(s.Output)
		}
	}
	if decision == RejectWord {
		if by != nil {
			from.rejection = by.rejection
		}
		if member := w.rejecting(g, by); member != nil {
			out.RejectedAs(member.Output)
		}
	}
	from.output = out.Encode()
	return from
}

// rejecting is the member whose rejection decided: the one that ended now, else the last
// one that rejected.
func (w *Interpreter) rejecting(g *definition.Group, by *Step) *Step {
	if by != nil && by.Decision == RejectWord {
		return by
	}
	var last *Step
	for _, id := range g.MemberNodeIDs {
		s := w.latest(id, w.iteration(id))
		if s != nil && s.Status == StepCompleted && s.Decision == RejectWord && (last == nil || s.CompletedAt > last.CompletedAt) {
			last = s
		}
	}
	return last
}
