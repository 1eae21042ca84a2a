package interpreter

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/output"
)

// startPeople asks the reviewers of a human step.
func startPeople(w *Interpreter, s *Step, node *definition.Node) {
	s.Status = StepWaiting
	w.emit("step.started", s, nil)
	waiting, mandatory := make([]string, 0, len(s.Reviewers)), 0
	for i, r := range s.Reviewers {
		if r.Decision == "" {
			waiting = append(waiting, r.UserID)
		}
		if r.Mandatory {
			mandatory++
		}
		s.Reviewers[i].changed = true // from now on the step is open for this person
	}
	s.Output = peopleOutput(s, node.Human, output.Pending, w.now)
	w.emit("step.awaiting-approval", s, event.AwaitingPeople{Waiting: waiting, MandatoryCount: mandatory, ResumeKey: s.ID})
}

// Decision is what a reviewer says of a step.
type Decision struct {
	StepID, ReviewerID, Word, Reason string
}

// Answer is what the reviewer is answered. Status is pending, resolved or rejected
// after a recorded decision, otherwise why it was not recorded: idempotent,
// unknown-responder or already-terminal.
type Answer struct {
	Recorded bool
	Status   string
	// Resumes says that this one decision ended the step.
	Resumes bool
	// RejectionReason is the rejecting reviewer's reason.
	RejectionReason string
}

// Decide records a reviewer's decision. The first decision of a reviewer
// stands; the step ends at the first rejection by anybody, or when every
// mandatory reviewer approved.
func (w *Interpreter) Decide(d Decision) (Answer, *fault.Error) {
	s := w.step(d.StepID)
	if s == nil {
		return Answer{}, fault.NotFound("step")
	}
	r := s.reviewer(d.ReviewerID)
	if r != nil && r.Decision != "" {
		return Answer{Status: "idempotent"}, nil
	}
	if err := decidable(s); err != nil {
		return Answer{}, err
	}
	switch {
	case r == nil:
		return Answer{Status: "unknown-responder"}, nil
	case s.Status != StepWaiting || w.state.Status.Final():
		return Answer{Status: "already-terminal"}, nil
	}
	r.Decision, r.Reason, r.At, r.changed = d.Word, d.Reason, w.now, true
	return w.weigh(s, *r, nil), nil
}

// decidable refuses a step that people cannot decide: it is no human step, it
// does not wait yet, or something other than its reviewers ended it.
func decidable(s *Step) *fault.Error {
	switch {
	case s.NodeType != string(definition.HumanNode):
		return notForPeople()
	case s.Status == StepPending:
		return fault.FailedPrecondition("step-not-waiting", "the step does not wait for a decision yet")
	case !s.Status.Live() && s.EndedBy != ByReviewers:
		return fault.FailedPrecondition("step-ended", "the step is "+string(s.Status)+"; it was not ended by its reviewers")
	default:
		return nil
	}
}

func notForPeople() *fault.Error {
	return fault.FailedPrecondition("not-a-human-step", "the step is not decided by people")
}

// weigh stores the response and ends the step if it decides. The response may be an
// override, which is nil of an ordinary decision.
func (w *Interpreter) weigh(s *Step, r Reviewer, o *Override) Answer {
	s.changed = true
	work := w.graph.Node(s.NodeID).Human
	response := event.Response{ReviewerID: r.UserID, Decision: r.Decision, Reason: r.Reason}
	status := output.Pending
	switch {
	case r.Decision == RejectWord:
		status, s.Decision = "rejected", RejectWord
		if o == nil {
			s.rejection = &rejection{r.UserID, r.Mandatory, r.Reason}
		}
	case s.allMandatoryApproved():
		status, s.Decision = "resolved", ApproveWord
	}
	s.Output = peopleOutput(s, work, status, w.now)
	w.emit("step.response-recorded", s, response)
	answer := Answer{Recorded: true, Status: status, Resumes: status != output.Pending}
	if status == output.Pending {
		return answer
	}
	if status == "rejected" {
		answer.RejectionReason = r.Reason
	}
	w.emit("step.resumed", s, nil)
	data := event.PeopleCompleted{AggregatorStatus: status, NodeType: s.NodeType, Decision: s.Decision}
	if o != nil {
		o.sign(s, w.now)
		data.Overridden = o.mark()
	}
	w.end(s, StepCompleted, ByReviewers, "step.completed", data)
	w.settle()
	return answer
}

func (s *Step) reviewer(userID string) *Reviewer {
	for i := range s.Reviewers {
		if s.Reviewers[i].UserID == userID {
			return &s.Reviewers[i]
		}
	}
	return nil
}

func (s *Step) allMandatoryApproved() bool {
	for _, r := range s.Reviewers {
		if r.Mandatory && r.Decision != ApproveWord {
			return false
		}
	}
	return true
}

// peopleOutput is the output of a human step, filled from the moment of waiting.
func peopleOutput(s *Step, work *definition.Human, status string, now int64) json.RawMessage {
	of := output.People{Work: work, Status: status, Decision: s.Decision, ResumedAt: now, ResumeKey: s.ID}
	for _, r := range s.Reviewers {
		of.Answers = append(of.Answers, output.Answer{UserID: r.UserID, Mandatory: r.Mandatory, Decision: r.Decision, Reason: r.Reason, At: r.At})
	}
	return of.Encode()
}
