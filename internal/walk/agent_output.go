package walk

import (
	"encoding/json"
	"slices"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/shape"
)

// mockOutput is what the agent that only approves leaves behind: the keys that
// every agent leaves, of which nothing ran, looked at a page or took time.
type mockOutput struct {
	AgentID              string  `json:"agentId"`
	Synthetic            bool    `json:"synthetic"`
	AgentExecutionID     *string `json:"agentExecutionId"`
	AgentExecutionStatus string  `json:"agentExecutionStatus"`
	Resolution           string  `json:"resolution"`
	ResolvedURL          *string `json:"resolvedUrl"`
	AgentDurationMs      int64   `json:"agentDurationMs"`
	Decision             string  `json:"decision"`
	Approved             bool    `json:"approved"`
}

// approveAtOnce is the whole work of the agent that only approves.
func approveAtOnce(w *Walk, s *Step) {
	s.Status = StepRunning
	w.emit("step.started", s, nil)
	s.Output = encode(mockOutput{
		AgentID: definition.MockAgent, Synthetic: true, AgentExecutionStatus: string(Completed),
		Resolution: ResolvedWord, Decision: ApproveWord, Approved: true,
	})
	s.Decision = ApproveWord
	w.end(s, StepCompleted, ByItself, "step.completed", mockCompletedData{definition.MockAgent, true, ApproveWord})
}

// agentResult is what the service itself says in the output of an agent's step; what is
// not known before its end is absent until then.
type agentResult struct {
	AgentID              string  `json:"agentId"`
	AgentExecutionID     *string `json:"agentExecutionId"`
	AgentExecutionStatus string  `json:"agentExecutionStatus"`
	Resolution           string  `json:"resolution,omitempty"`
	ResolvedURL          *string `json:"resolvedUrl"`
	AgentDurationMs      *int64  `json:"agentDurationMs,omitempty"`
	Decision             string  `json:"decision,omitempty"`
	Approved             *bool   `json:"approved,omitempty"`
	RejectedBy           string  `json:"rejectedBy,omitempty"`
	RejectorMandatory    bool    `json:"rejectorMandatory,omitempty"`
	RejectionReason      string  `json:"rejectionReason,omitempty"`
}

// resultKeys are the keys of an output that only the service writes.
var resultKeys = []string{
	"agentId", "agentExecutionId", "agentExecutionStatus", "resolution", "resolvedUrl", "agentDurationMs", "decision", "approved",
	"rejectedBy", "rejectorMandatory", "rejectionReason",
}

// agentOutput is the output of an agent's step: while it waits, and as a resolution
// settles it, with the keys that this one brings.
func agentOutput(s *Step, state *State, node *definition.Agent, by *Resolution, now int64) json.RawMessage {
	page, _ := PageOf(node, state.Input)
	r := agentResult{
		AgentID: s.Agent.AgentID, AgentExecutionID: optional(s.Agent.ExecutionID), AgentExecutionStatus: string(Running), ResolvedURL: optional(page),
	}
	if by == nil {
		return encode(r)
	}
	took, approved := now-s.StartedAt, s.Decision == ApproveWord
	r.AgentExecutionStatus, r.Resolution, r.Decision = string(Completed), by.Word, s.Decision
	r.AgentDurationMs, r.Approved = &took, &approved
	if !approved {
		r.RejectedBy, r.RejectorMandatory, r.RejectionReason = by.ActorID, true, by.Reason
	}
	return withOwnKeys(encode(r), by.Output)
}

// withOwnKeys adds what the agent sent, which never replaces what the service says. What
// would make the output too large is left out.
func withOwnKeys(result, sent json.RawMessage) json.RawMessage {
	var own []shape.Pair
	size := len(result)
	for _, m := range shape.MembersOf(sent) {
		if size += len(m.Name) + len(m.Value) + len(`"":,`); size > maxOutput {
			break
		}
		known := func(p shape.Pair) bool { return p.Name == m.Name }
		if !slices.Contains(resultKeys, m.Name) && !slices.ContainsFunc(own, known) {
			own = append(own, m)
		}
	}
	return shape.AppendMembers(result, own)
}
