package interpreter

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter/event"
)

// MaxAttempts is how many attempts an execution may have.
const MaxAttempts = 50

// Retry is what somebody asks for who tries a failed execution again. SkipStepIDs are
// steps that would be restarted and are skipped instead; Reason may be empty.
type Retry struct {
	SkipStepIDs     []string
	ActorID, Reason string
}

// Retry makes a failed execution pending again, in its next attempt. What failed in it
// is done again, by new steps; what was completed stays. Errors: FAILED_PRECONDITION for
// one that has not failed, or whose attempts or steps are used up; INVALID_ARGUMENT for
// a step to skip that would not be restarted.
func (w *Interpreter) Retry(r Retry) *fault.Error {
	if err := w.retriable(); err != nil {
		return err
	}
	again := w.toRestart()
	if err := r.check(again); err != nil {
		return err
	}
	if len(w.state.Steps)+len(again) > MaxSteps {
		return stepsUsedUp()
	}
	w.nextAttempt(again)
	data := event.ExecutionRetried{By: event.By{ActorID: r.ActorID, Reason: r.Reason}, Attempt: w.state.Attempt, StepIDs: []string{}, SkippedStepIDs: []string{}}
	for _, old := range again {
		if slices.Contains(r.SkipStepIDs, old.ID) {
			data.SkippedStepIDs = append(data.SkippedStepIDs, old.ID)
		}
		data.StepIDs = append(data.StepIDs, StepID(w.state.ExecutionID, old.NodeID, old.Iteration, w.state.Attempt))
	}
	w.emit("execution.retried", nil, data)
	w.restart(again, r.SkipStepIDs)
	w.settle()
	return nil
}

// retriable refuses what cannot have another attempt.
func (w *Interpreter) retriable() *fault.Error {
	switch {
	case w.state.Status != Failed:
		return fault.FailedPrecondition("not-failed", "the execution is "+string(w.state.Status)+"; only a failed one is tried again")
	case w.state.Attempt >= MaxAttempts:
		return fault.FailedPrecondition("attempts-used-up", fmt.Sprintf("the execution had %d attempts", w.state.Attempt))
	case w.state.FailureCode == stepLimit:
		return stepsUsedUp()
	default:
		return nil
	}
}

func stepsUsedUp() *fault.Error {
	return fault.FailedPrecondition(stepLimit, fmt.Sprintf("the execution has no room for more steps: %d at most", MaxSteps))
}

// check wants every step to skip to be one that would be restarted.
func (r Retry) check(again []*Step) *fault.Error {
	var issues []fault.Issue
	for i, id := range r.SkipStepIDs {
		if !slices.ContainsFunc(again, func(s *Step) bool { return s.ID == id }) {
			issues = append(issues, fault.Issue{
				Code: "conflict", Path: []string{"skipStepIds", strconv.Itoa(i)}, Message: "is no step that would be restarted",
			})
		}
	}
	if len(issues) > 0 {
		return fault.InvalidArgument(issues...)
	}
	return nil
}

// toRestart are the steps that the failure left open, in the order of their creation:
// the latest ones of their nodes that failed and that nobody took, that the failure
// cancelled, or whose rejection it was.
func (w *Interpreter) toRestart() []*Step {
	var again []*Step
	for _, s := range w.state.Steps {
		if s == w.latest(s.NodeID, w.iteration(s.NodeID)) && (s.EndedBy == ByFailure || w.toBlame(s)) {
			again = append(again, s)
		}
	}
	return again
}

// toBlame reports whether the end of a step is one of those by which the execution failed.
func (w *Interpreter) toBlame(s *Step) bool {
	if group := w.graph.Group(s.GroupID); group != nil {
		if state := w.groupState(group); state.Failed {
			return !s.approved()
		} else if state.Decided && state.Absorbs {
			return false
		}
	}
	if s.Routed {
		return false
	}
	return s.Status == StepFailed || s.Status == StepBreached || w.rejectedInVain(s)
}

// rejectedInVain reports whether the execution failed by the rejection of a step, which it
// needed to lead somewhere.
func (w *Interpreter) rejectedInVain(s *Step) bool {
	loop, group := w.graph.LoopFrom(s.NodeID), w.graph.Group(s.GroupID)
	switch {
	case s.Status != StepCompleted || s.Decision != RejectWord:
		return false
	case w.state.FailureCode == loopExhausted: // whatever group the step is in
		return loop != nil && w.usedUp(loop)
	case w.state.FailureCode == unroutedRejection:
		return (loop != nil || len(w.graph.From(s.NodeID)) > 0) && (group == nil || !w.takes(group))
	default:
		return false
	}
}

// nextAttempt begins an attempt. Groups go on from where they were; those that failed or
// have members that run again decide again.
func (w *Interpreter) nextAttempt(again []*Step) {
	var open []*GroupState
	for i := range w.graph.Groups {
		state := *w.groupState(&w.graph.Groups[i])
		state.Attempt++
		if state.Failed || slices.ContainsFunc(again, func(s *Step) bool { return s.GroupID == state.GroupID }) {
			state = GroupState{GroupID: state.GroupID, Iteration: state.Iteration, Attempt: state.Attempt, Met: state.Met}
		}
		open = append(open, &state)
	}
	w.state.Groups = append(w.state.Groups, open...)
	w.state.Status, w.touched = Pending, true
	w.state.Attempt++
	w.state.CompletedAt, w.state.FailureCode, w.state.FailureMessage = 0, "", ""
}

// restart makes new steps of old ones, and skips those that are named. All of them are
// there before the first end of one is counted.
func (w *Interpreter) restart(again []*Step, skip []string) {
	var skipped []*Step
	for _, old := range again {
		s := w.add(w.graph.Node(old.NodeID), nil)
		s.RestartOf, s.LoopEntry = old.ID, old.LoopEntry
		if old.Status == StepCancelled && old.EndedBy != ByOperator {
			s.keepDecisions(old)
		}
		if slices.Contains(skip, old.ID) {
			skipped = append(skipped, s)
		}
	}
	for _, s := range skipped {
		if s.Status.Live() && !w.over() {
			w.end(s, StepSkipped, ByOperator, "step.skipped", nil)
		}
	}
}

// keepDecisions takes over what the reviewers of an old step said, who are still asked.
func (s *Step) keepDecisions(old *Step) {
	for i := range s.Reviewers {
		r := &s.Reviewers[i]
		if said := old.reviewer(r.UserID); said != nil {
			r.Decision, r.Reason, r.At = said.Decision, said.Reason, said.At
		}
	}
}
