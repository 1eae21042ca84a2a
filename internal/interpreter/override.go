package interpreter

import (
	"encoding/json"
	"slices"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/output"
	"github.com/redline-svc/redline/internal/shape"
)

// Action is what somebody does to a step instead of whom it waits for.
type Action string

// The actions of Override. Those of a reviewer are for the people of the step alone.
const (
	ForceApprove    Action = "force-approve"
	ForceReject     Action = "force-reject"
	ReviewerApprove Action = "reviewer-approve"
	ReviewerReject  Action = "reviewer-reject"
	ForceComplete   Action = "force-complete"
	ForceFail       Action = "force-fail"
	// cancelling is what CancelStep does.
	cancelling Action = "cancel"
)

// overridable are the states of a step in which an action is possible.
var overridable = map[Action][]StepStatus{
	ForceApprove: {StepWaiting}, ForceReject: {StepWaiting}, ReviewerApprove: {StepWaiting}, ReviewerReject: {StepWaiting},
	ForceComplete: {StepPending, StepRunning, StepWaiting}, ForceFail: {StepRunning, StepWaiting},
}

// decisions are the words that an action decides with; the others decide nothing.
var decisions = map[Action]string{
	ForceApprove: ApproveWord, ReviewerApprove: ApproveWord, ForceReject: RejectWord, ReviewerReject: RejectWord,
}

// Override is an action on a step: whose, and why, which may be empty.
type Override struct {
	StepID          string
	Action          Action
	ActorID, Reason string
	// Output is a JSON object that goes into the step's output, or nil.
	Output json.RawMessage
}

// Override ends a step by hand, or records a reviewer's act, which ends it as a
// decision would. It returns the decision that was recorded so, if any. The action that
// ended the step is no error when it comes again. Errors: NOT_FOUND;
// FAILED_PRECONDITION for a state or type of node that the action is not for;
// PERMISSION_DENIED for a reviewer's act by somebody else.
func (w *Interpreter) Override(o Override) (*Decision, *fault.Error) {
	s := w.step(o.StepID)
	byReviewer := o.Action == ReviewerApprove || o.Action == ReviewerReject
	switch {
	case s == nil:
		return nil, fault.NotFound("step")
	case s.endedAs(o.Action, o.ActorID):
		return nil, nil
	case byReviewer && s.NodeType != string(definition.HumanNode):
		return nil, notForPeople()
	case !slices.Contains(overridable[o.Action], s.Status):
		return nil, fault.FailedPrecondition("step-state", "the step is "+string(s.Status)+"; "+string(o.Action)+" is not possible")
	case byReviewer:
		return w.review(s, o)
	}
	w.force(s, o)
	return nil, nil
}

// endedAs reports whether this very action of the same person ended the step.
func (s *Step) endedAs(a Action, actor string) bool {
	return !s.Status.Live() && s.EndAction == a && s.EndActor == actor
}

// review records what a reviewer says by way of an action.
func (w *Interpreter) review(s *Step, o Override) (*Decision, *fault.Error) {
	r, word := s.reviewer(o.ActorID), decisions[o.Action]
	switch {
	case r == nil:
		return nil, fault.PermissionDenied("not-a-reviewer", "the step does not ask this person")
	case r.Decision == word:
		return nil, nil
	case r.Decision != "":
		return nil, fault.FailedPrecondition("reviewer-decided", "this person has decided; the first decision stands")
	}
	w.emit("step.overridden", s, o.mark())
	r.Decision, r.Reason, r.At, r.changed = word, o.Reason, w.now, true
	w.weigh(s, *r, &o)
	return &Decision{StepID: s.ID, ReviewerID: o.ActorID, Word: word, Reason: o.Reason}, nil
}

// force ends a step whatever it waits for. What comes of its call later is dropped.
func (w *Interpreter) force(s *Step, o Override) {
	w.emit("step.overridden", s, o.mark())
	s.Decision = decisions[o.Action]
	data := w.overriddenData(s, &o)
	o.sign(s, w.now)
	switch {
	case o.Action == ForceFail:
		s.ErrorCode, s.ErrorMessage = "forced-failure", "an operator let the step fail"
		data["error"] = event.Reason{Code: s.ErrorCode, Message: s.ErrorMessage}
		w.end(s, StepFailed, ByOperator, "step.failed", data)
	case s.Status == StepPending:
		w.end(s, StepSkipped, ByOperator, "step.skipped", nil)
	default:
		w.end(s, StepCompleted, ByOperator, "step.completed", data)
	}
	w.settle()
}

// sign notes on a step by whom it ends, and makes its output: what it had, then the
// actor's keys, then those of the service.
func (o *Override) sign(s *Step, now int64) {
	s.EndAction, s.EndActor = o.Action, o.ActorID
	own := o.keys(s, now)
	had, given := output.Members(s.Output), output.Members(o.Output)
	for _, key := range []string{"rejectedBy", "rejectorMandatory"} {
		delete(had, key) // an operator's rejection leads nowhere back
	}
	if s.Decision == "" {
		delete(given, "decision")
	}
	if s.Output = output.Joined(had, given, own); len(s.Output) > output.Limit {
		s.Output = output.Joined(given, own)
	}
}

// keys are what the service writes into the output of a step that ends by hand.
func (o *Override) keys(s *Step, now int64) map[string]json.RawMessage {
	own := map[string]json.RawMessage{"overriddenAt": shape.Encode(now)}
	if s.NodeType == string(definition.HumanNode) && s.Status == StepWaiting && o.Action != ForceFail {
		own["aggregatorStatus"], own["resumedAt"], own["resumeKey"] = shape.Encode(s.aggregated()), shape.Encode(now), shape.Encode(s.ID)
	}
	if s.Decision == "" {
		return own
	}
	own["decision"], own["approved"], own["approvalReply"] = shape.Encode(s.Decision), shape.Encode(s.Decision == ApproveWord), shape.Encode(output.Optional(o.Reason))
	if s.Decision == RejectWord && o.Reason != "" {
		own["rejectionReason"] = shape.Encode(o.Reason)
	}
	return own
}

// aggregated is how the reviewers' word is shown of a step that has ended.
func (s *Step) aggregated() string {
	if s.Decision == RejectWord {
		return "rejected"
	}
	return "resolved"
}
