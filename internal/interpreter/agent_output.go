package interpreter

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/output"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
)

// approveAtOnce is the whole work of the agent that only approves.
func approveAtOnce(w *Interpreter, s *Step) {
	s.Status, s.Agent = StepRunning, &resolution.Work{AgentID: definition.MockAgent}
	w.emit("step.started", s, nil)
	s.Output, s.Decision = output.Mock(string(Completed), resolution.Resolved), ApproveWord
	w.end(s, StepCompleted, ByItself, "step.completed", event.MockCompleted{AgentID: definition.MockAgent, Synthetic: true, Decision: ApproveWord})
}

// agentOutput is the output of an agent's step: while it waits, and as a resolution
// settles it, with the keys that this one brings.
func agentOutput(s *Step, state *State, node *definition.Agent, by *resolution.Resolution, now int64) json.RawMessage {
	page, _ := output.PageOf(node, state.Input)
	r := output.Agent{
		AgentID: s.Agent.AgentID, AgentExecutionID: output.Optional(s.Agent.ExecutionID),
		AgentExecutionStatus: string(Running), ResolvedURL: output.Optional(page),
	}
	if by == nil {
		return r.Encode(nil)
	}
	took, approved := now-s.StartedAt, s.Decision == ApproveWord
	r.AgentExecutionStatus, r.Resolution, r.Decision = string(Completed), by.Word, s.Decision
	r.AgentDurationMs, r.Approved = &took, &approved
	if !approved {
		r.RejectedBy, r.RejectorMandatory, r.RejectionReason = by.ActorID, true, by.Reason
	}
	return r.Encode(by.Output)
}
