package interpreter

import (
	"slices"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/output"
)

// Reassignment puts one person in another's place at a step. Reason may be empty.
type Reassignment struct {
	StepID, From, To, ActorID, Reason string
}

// Substitute is who stands for a reviewer of a node in this execution. Position is the
// reviewer's in the definition, from 0.
type Substitute struct {
	NodeID   string
	Position int
	UserID   string
}

// Reassign puts a person in the place of a reviewer who has not decided, in this step
// and in all later ones of its node, and returns the reviewers of the step. The same
// replacement once more is no error unless a later one has undone it. Errors:
// NOT_FOUND; FAILED_PRECONDITION for a step that does not wait for people, a reviewer
// who is not asked or has decided, and a person who is asked already.
func (w *Interpreter) Reassign(r Reassignment) ([]definition.Reviewer, *fault.Error) {
	s := w.step(r.StepID)
	if s == nil {
		return nil, fault.NotFound("step")
	}
	from, to := s.reviewer(r.From), s.reviewer(r.To)
	if from == nil && to != nil && to.Replaces == r.From {
		return s.panel(), nil
	}
	if err := reassignable(s, from, to); err != nil {
		return nil, err
	}
	*from = Reviewer{UserID: r.To, Mandatory: from.Mandatory, Replaces: r.From, changed: true, left: r.From}
	s.changed = true
	s.Output = peopleOutput(s, w.graph.Node(s.NodeID).Human, output.Pending, w.now)
	at := slices.IndexFunc(s.Reviewers, func(asked Reviewer) bool { return asked.UserID == r.To })
	w.state.Substitutes = append(w.state.Substitutes, Substitute{s.NodeID, at, r.To})
	w.emit("step.reassigned", s, event.Reassigned{From: r.From, To: r.To, ActorID: r.ActorID, Reason: output.Optional(r.Reason)})
	return s.panel(), nil
}

func reassignable(s *Step, from, to *Reviewer) *fault.Error {
	switch {
	case s.NodeType != string(definition.HumanNode):
		return notForPeople()
	case s.Status != StepWaiting:
		return fault.FailedPrecondition("step-state", "the step is "+string(s.Status)+"; it waits for nobody")
	case from == nil:
		return fault.FailedPrecondition("not-a-reviewer", "the step does not ask fromReviewerId")
	case from.Decision != "":
		return fault.FailedPrecondition("reviewer-decided", "fromReviewerId has decided")
	case to != nil:
		return fault.FailedPrecondition("reviewer-listed", "the step asks toReviewerId already")
	default:
		return nil
	}
}

// panel are the reviewers of a step as they are now.
func (s *Step) panel() []definition.Reviewer {
	panel := make([]definition.Reviewer, len(s.Reviewers))
	for i, r := range s.Reviewers {
		panel[i] = definition.Reviewer{UserID: r.UserID, Mandatory: r.Mandatory}
	}
	return panel
}

// reviewersOf are the people whom a new step of a node asks.
func (w *Interpreter) reviewersOf(node *definition.Node) []Reviewer {
	if node.Human == nil {
		return nil
	}
	asked := make([]Reviewer, len(node.Human.Reviewers))
	for i, r := range node.Human.Reviewers {
		asked[i] = Reviewer{UserID: r.UserID, Mandatory: r.Mandatory, changed: true}
	}
	for _, sub := range w.state.Substitutes { // the latest one counts
		if sub.NodeID == node.ID {
			asked[sub.Position].UserID = sub.UserID
		}
	}
	return asked
}
