package walk

import "github.com/redline-svc/redline/internal/definition"

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

// startAgent begins the work of an agent step: the agent that only approves is done at once.
func startAgent(w *Walk, s *Step, _ *definition.Node) {
	s.Status = StepRunning
	w.emit("step.started", s, nil)
	s.Output = encode(mockOutput{
		AgentID: definition.MockAgent, Synthetic: true, AgentExecutionStatus: string(Completed),
		Resolution: "resolved", Decision: ApproveWord, Approved: true,
	})
	s.Decision = ApproveWord
	w.end(s, StepCompleted, ByItself, "step.completed", mockCompletedData{definition.MockAgent, true, ApproveWord})
}
