package interpreter

import (
	"slices"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
)

// Resolve records a resolution of an agent's step. Without announced responses the first
// one settles the step. While the call is under way it is kept, and counts when the call
// has ended. An empty ActorID stands for the agent.
func (w *Interpreter) Resolve(r resolution.Resolution) (Answer, *fault.Error) {
	s := w.step(r.StepID)
	if s == nil {
		return Answer{}, fault.NotFound("step")
	}
	if s.Agent.Answered(r.ResponseID) {
		return Answer{Status: "idempotent"}, nil
	}
	if err := resolvable(s); err != nil {
		return Answer{}, err
	}
	switch work := s.Agent; {
	case work.ResponseIDs != nil && !slices.Contains(work.ResponseIDs, r.ResponseID):
		return Answer{Status: "unknown-responder"}, nil
	case !s.Status.Live() || w.state.Status.Final():
		return Answer{Status: "already-terminal"}, nil
	}
	return w.record(s, r)
}

// record keeps a resolution, and ends the step where it settles it.
func (w *Interpreter) record(s *Step, r resolution.Resolution) (Answer, *fault.Error) {
	work, node := s.Agent, w.graph.Node(s.NodeID).Agent
	if s.Status == StepRunning {
		if !node.Blocking && len(work.Answers) > 0 {
			return Answer{Status: "already-terminal"}, nil // the one that is kept settles the step
		}
		if work.Full(r) {
			return Answer{}, fault.FailedPrecondition("too-much-kept", "the agent has not taken the step yet, which keeps no more resolutions until then")
		}
	}
	if r.ActorID == "" {
		r.ActorID = work.AgentID
	}
	work.Answers, s.changed = append(work.Answers, r), true
	w.emit("step.response-recorded", s, event.Response{ReviewerID: r.ActorID, Decision: r.Decision(), Reason: r.Reason})
	answer := Answer{Recorded: true, Status: "pending"}
	if s.Status == StepRunning {
		return answer, nil
	}
	settling := work.Settling(node)
	if settling == nil {
		work.DropOutputs()
		return answer, nil
	}
	answer.Status, answer.Resumes = settling.Word, true
	if settling.Word == resolution.Rejected {
		answer.RejectionReason = settling.Reason
	}
	w.settleAgent(s, *settling)
	w.settle()
	return answer, nil
}

// resolvable refuses a step that no resolution settles: it is no agent's, has not
// started, or something else ended it.
func resolvable(s *Step) *fault.Error {
	switch {
	case s.NodeType != string(definition.AgentNode):
		return fault.FailedPrecondition("not-an-agent-step", "the step is not an agent's")
	case s.Status == StepPending:
		return fault.FailedPrecondition("step-not-started", "the step has not started yet")
	case !s.Status.Live() && s.EndedBy != ByAgent, s.Agent == nil:
		return fault.FailedPrecondition("step-ended", "the step is "+string(s.Status)+"; no resolution ended it")
	default:
		return nil
	}
}
