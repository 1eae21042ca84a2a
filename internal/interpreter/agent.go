package interpreter

import (
	"slices"
	"time"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter/event"
	"github.com/redline-svc/redline/internal/interpreter/output"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
)

// AgentLimit is how long one call of an agent may take: its work goes on after the
// answer.
const AgentLimit = 10 * time.Second

func agentLimit(*definition.Node) time.Duration { return AgentLimit }

// startAgent begins the work of an agent step: the agent that only approves is done at
// once, any other is called.
func startAgent(w *Interpreter, s *Step, n *definition.Node) {
	if n.Agent.AgentID == definition.MockAgent {
		approveAtOnce(w, s)
		return
	}
	startCall(w, s, n)
	s.Agent, s.TimeoutAt = &resolution.Work{AgentID: n.Agent.AgentID}, w.now+n.Agent.MaxRuntimeMs
	if _, found := output.PageOf(n.Agent, w.state.Input); !found {
		w.failAgent(s, "agent-url-unresolved", "the triggerContext has no address at "+n.Agent.URLPath)
	}
}

// agentFailed returns why; the answer of an agent is no part of it.
func agentFailed(o Outcome, _ string) any {
	return event.AgentFailed{Error: event.Reason{Code: o.Code, Message: o.Message}}
}

func (w *Interpreter) failAgent(s *Step, code, message string) {
	s.keepOutput(nil)
	w.failStep(s, Outcome{Kind: Permanent, Code: code, Message: message})
}

// takeKept makes a call that failed one that the agent took, where a resolution of the
// step was recorded meanwhile: so it was taken.
func takeKept(s *Step, _ *definition.Node, o *Outcome) {
	if o.Kind != Success && len(s.Agent.Answers) > 0 {
		*o = Outcome{Call: o.Call, Kind: Success, Agent: resolution.Reply{Lost: true}}
	}
}

// spareAgent takes the step as called where a resolution of it was recorded although the
// call was cut off.
func spareAgent(w *Interpreter, s *Step, n *definition.Node) bool {
	if len(s.Agent.Answers) == 0 {
		return false
	}
	w.acceptAgent(s, n, resolution.Reply{Lost: true})
	return true
}

// agentAnswered goes on with a step whose agent took the call.
func agentAnswered(w *Interpreter, s *Step, n *definition.Node, o Outcome) {
	w.acceptAgent(s, n, o.Agent)
}

// acceptAgent lets a step wait for its agent, or ends it where what is known settles it.
func (w *Interpreter) acceptAgent(s *Step, n *definition.Node, reply resolution.Reply) {
	work := s.Agent
	s.LockedUntil, s.NextTryAt, s.QueuedAt, s.changed = 0, 0, 0, true
	if !work.Take(n.Agent, reply) {
		w.failAgent(s, "agent-responses-missing", "the agent's answer does not list the responses that it waits for")
		return
	}
	if a := work.Settling(n.Agent); a != nil {
		w.settleAgent(s, *a)
		return
	}
	s.Status = StepWaiting
	s.Output = agentOutput(s, w.state, n.Agent, nil, w.now)
	w.emit("step.awaiting-approval", s, event.AwaitingAgent{
		AgentID: work.AgentID, AgentExecutionID: output.Optional(work.ExecutionID), PollIntervalMs: n.Agent.PollIntervalMs,
	})
	work.DropOutputs()
}

// settleAgent ends a step by a resolution.
func (w *Interpreter) settleAgent(s *Step, a resolution.Resolution) {
	work, node := s.Agent, w.graph.Node(s.NodeID).Agent
	s.Decision = a.Decision()
	if s.Decision == RejectWord {
		s.rejection = &rejection{by: a.ActorID, mandatory: true, reason: a.Reason}
	}
	s.Output = agentOutput(s, w.state, node, &a, w.now)
	work.DropOutputs()
	if a.Source != resolution.FromAgent {
		w.emit("step.resumed", s, nil)
	}
	w.end(s, StepCompleted, ByAgent, "step.completed", event.AgentCompleted{
		AgentID: work.AgentID, AgentExecutionID: output.Optional(work.ExecutionID), AgentExecutionStatus: string(Completed), Decision: s.Decision, Source: a.Source,
	})
}

// endAgentsInTime ends the steps whose agents took longer than they may.
func (w *Interpreter) endAgentsInTime() {
	for _, s := range slices.Clone(w.state.Steps) {
		if w.over() || s.Agent == nil || !s.Status.Live() || s.TimeoutAt > w.now || s.EndsAt() != s.TimeoutAt {
			continue // its deadline may have passed before
		}
		if w.spared(s); s.Status.Live() {
			w.failAgent(s, "agent-timeout", "the agent did not finish in its time")
		}
	}
}
