package walk

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/walk/output"
)

// AgentLimit is how long one call of an agent may take: its work goes on after the
// answer.
const AgentLimit = 10 * time.Second

// Words of a resolution.
const (
	ResolvedWord = "resolved"
	RejectedWord = "rejected"
)

// Who settled an agent's step: the answer to the call itself, somebody with the token
// of the step, or somebody with the keys of the workspace.
const (
	FromAgent    = "agent"
	FromCallback = "callback"
	FromOperator = "operator"
)

// AgentWork is what a step of an agent has beside its state.
type AgentWork struct {
	AgentID string `json:"agentId"`
	// ExecutionID is the agent's own name of its run, empty where it gave none.
	ExecutionID string `json:"executionId,omitempty"`
	// ResponseIDs are what a blocking agent announced: each is settled by itself.
	ResponseIDs []string `json:"responseIds,omitempty"`
	// Answers are the recorded resolutions in their order. Before the agent took the
	// step they are kept, with their outputs.
	Answers []Resolution `json:"answers,omitempty"`
}

// Resolution is what an agent, or somebody for it, says of its step. Word is resolved or
// rejected; Output is a JSON object or nil; Source is one of the three above.
type Resolution struct {
	StepID     string          `json:"-"`
	ResponseID string          `json:"responseId,omitempty"`
	Word       string          `json:"resolution"`
	ActorID    string          `json:"actorId"`
	Reason     string          `json:"reason,omitempty"`
	Source     string          `json:"source"`
	Output     json.RawMessage `json:"output,omitempty"`
}

// Decision is the decision of a step that the resolution settles.
func (r Resolution) Decision() string {
	if r.Word == RejectedWord {
		return RejectWord
	}
	return ApproveWord
}

// AgentReply is what an agent's answer to its call carried; what it did not is empty. A
// Word settles the step at once.
type AgentReply struct {
	// Lost says that the answer was not read, although a resolution shows that the agent
	// took the call.
	Lost bool
	// AgentName is its name in the registry.
	AgentName    string
	ExecutionID  string
	ResponseIDs  []string
	Word, Reason string
	Output       json.RawMessage
}

func agentLimit(*definition.Node) time.Duration { return AgentLimit }

// startAgent begins the work of an agent step: the agent that only approves is done at
// once, any other is called.
func startAgent(w *Walk, s *Step, n *definition.Node) {
	if n.Agent.AgentID == definition.MockAgent {
		approveAtOnce(w, s)
		return
	}
	startCall(w, s, n)
	s.Agent, s.TimeoutAt = &AgentWork{AgentID: n.Agent.AgentID}, w.now+n.Agent.MaxRuntimeMs
	if _, found := output.PageOf(n.Agent, w.state.Input); !found {
		w.failAgent(s, "agent-url-unresolved", "the triggerContext has no address at "+n.Agent.URLPath)
	}
}

// agentFailed tells why; the answer of an agent is no part of it.
func agentFailed(o Outcome, _ string) any { return agentFailedData{reasonData{o.Code, o.Message}} }

func (w *Walk) failAgent(s *Step, code, message string) {
	s.keepOutput(nil)
	w.failStep(s, Outcome{Kind: Permanent, Code: code, Message: message})
}

// takeKept makes a call that failed one that the agent took, where a resolution of the
// step was recorded meanwhile: so it was taken.
func takeKept(s *Step, _ *definition.Node, o *Outcome) {
	if o.Kind != Success && len(s.Agent.Answers) > 0 {
		*o = Outcome{Call: o.Call, Kind: Success, Agent: AgentReply{Lost: true}}
	}
}

// spareAgent takes the step as called where a resolution of it was recorded although the
// call was cut off.
func spareAgent(w *Walk, s *Step, n *definition.Node) bool {
	if len(s.Agent.Answers) == 0 {
		return false
	}
	w.acceptAgent(s, n, AgentReply{Lost: true})
	return true
}

// agentAnswered goes on with a step whose agent took the call.
func agentAnswered(w *Walk, s *Step, n *definition.Node, o Outcome) { w.acceptAgent(s, n, o.Agent) }

// acceptAgent lets a step wait for its agent, or ends it where what is known settles it.
// What was recorded before counts before what the answer itself says.
func (w *Walk) acceptAgent(s *Step, n *definition.Node, reply AgentReply) {
	work := s.Agent
	s.HeldUntil, s.NextTryAt, s.QueuedAt, s.changed = 0, 0, 0, true
	work.ExecutionID = reply.ExecutionID
	switch {
	case reply.Word != "" && work.settling(n.Agent) != nil:
	case reply.Word != "":
		work.Answers = append(work.Answers, Resolution{
			Word: reply.Word, ActorID: work.AgentID, Reason: reply.Reason, Source: FromAgent, Output: reply.Output,
		})
	case reply.Lost: // what it announced is not known: any response counts
	case n.Agent.Blocking && !announced(reply.ResponseIDs):
		w.failAgent(s, "agent-responses-missing", "the agent's answer does not list the responses that it waits for")
		return
	case n.Agent.Blocking:
		work.announce(n.Agent, reply.ResponseIDs)
	}
	if a := work.settling(n.Agent); a != nil {
		w.settleAgent(s, *a)
		return
	}
	s.Status = StepWaiting
	s.Output = agentOutput(s, w.state, n.Agent, nil, w.now)
	w.emit("step.awaiting-approval", s, awaitingAgentData{work.AgentID, output.Optional(work.ExecutionID), n.Agent.PollIntervalMs})
	work.dropOutputs()
}

// maxResponses is how many responses a blocking agent may announce.
const maxResponses = 500

// announced says that there are responses to wait for, and no more than may be.
func announced(ids []string) bool { return len(ids) >= 1 && len(ids) <= maxResponses }

// announce keeps what the step waits for, and of the answers those that are about it. Where
// that is less than the policy needs it cannot be met any more, which is a rejection.
func (work *AgentWork) announce(a *definition.Agent, ids []string) {
	work.ResponseIDs = ids
	work.Answers = slices.DeleteFunc(work.Answers, func(a Resolution) bool { return !slices.Contains(ids, a.ResponseID) })
	if len(ids) < a.MinCount {
		work.Answers = append(work.Answers, Resolution{
			Word: RejectedWord, ActorID: work.AgentID, Source: FromAgent,
			Reason: fmt.Sprintf("the agent waits for %d of the %d responses that have to be resolved", len(ids), a.MinCount),
		})
	}
}

// settling is the answer that settles the step, nil while there is none: that of the agent
// itself; of an agent that is not blocking the first one; else the one with which the policy
// is met, or cannot be met any more. Where the announcement was lost the agent may wait for
// as many responses as it could have announced.
func (work *AgentWork) settling(a *definition.Agent) *Resolution {
	all := 1
	switch {
	case a.Blocking && work.ResponseIDs == nil:
		all = maxResponses
	case a.Blocking:
		all = len(work.ResponseIDs)
	}
	need := cmp.Or(a.MinCount, all)
	resolved, rejected := 0, 0
	for i := range work.Answers {
		if work.Answers[i].Word == RejectedWord {
			rejected++
		} else {
			resolved++
		}
		if work.Answers[i].Source == FromAgent || resolved == need || rejected > max(0, all-need) {
			return &work.Answers[i]
		}
	}
	return nil
}

// settleAgent ends a step by a resolution.
func (w *Walk) settleAgent(s *Step, a Resolution) {
	work, node := s.Agent, w.graph.Node(s.NodeID).Agent
	s.Decision = a.Decision()
	if s.Decision == RejectWord {
		s.rejection = &rejection{by: a.ActorID, mandatory: true, reason: a.Reason}
	}
	s.Output = agentOutput(s, w.state, node, &a, w.now)
	work.dropOutputs()
	if a.Source != FromAgent {
		w.emit("step.resumed", s, nil)
	}
	w.end(s, StepCompleted, ByAgent, "step.completed", agentCompletedData{
		work.AgentID, output.Optional(work.ExecutionID), string(Completed), s.Decision, a.Source,
	})
}

// dropOutputs forgets what the output of the step has, or never gets.
func (work *AgentWork) dropOutputs() {
	for i := range work.Answers {
		work.Answers[i].Output = nil
	}
}

// endAgentsInTime ends the steps whose agents took longer than they may.
func (w *Walk) endAgentsInTime() {
	for _, s := range slices.Clone(w.state.Steps) {
		if w.over() || s.Agent == nil || !s.Status.Live() || s.TimeoutAt > w.now || s.EndsAt() != s.TimeoutAt {
			continue // its deadline may have passed before
		}
		if w.spared(s); s.Status.Live() {
			w.failAgent(s, "agent-timeout", "the agent did not finish in its time")
		}
	}
}
