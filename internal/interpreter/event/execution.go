package event

// Dispatched is the data of execution.dispatched.
type Dispatched struct {
	DefinitionID      string   `json:"definitionId"`
	DefinitionVersion int      `json:"definitionVersion"`
	RootStepIDs       []string `json:"rootStepIds"`
}

// ExecutionFailed is the data of execution.failed.
type ExecutionFailed struct {
	FailureReason Reason `json:"failureReason"`
}

// ExecutionRetried is the data of execution.retried.
type ExecutionRetried struct {
	By
	Attempt        int      `json:"attempt"`
	StepIDs        []string `json:"stepIds"`
	SkippedStepIDs []string `json:"skippedStepIds"`
}

// QuorumMet is the data of group.quorum-met.
type QuorumMet struct {
	GroupID        string `json:"groupId"`
	Total          int    `json:"total"`
	Quorum         int    `json:"quorum"`
	CompletedTotal int    `json:"completedTotal"`
	ExpectedSteps  int    `json:"expectedSteps"`
}

// IterationStarted is the data of loop.iteration-started.
type IterationStarted struct {
	LoopID      string `json:"loopId"`
	Iteration   int    `json:"iteration"`
	TriggeredBy string `json:"triggeredBy"`
}

// LoopExhausted is the data of loop.exhausted.
type LoopExhausted struct {
	LoopID              string `json:"loopId"`
	Iteration           int    `json:"iteration"`
	LastRejectedBy      string `json:"lastRejectedBy,omitempty"`
	LastRejectionReason string `json:"lastRejectionReason,omitempty"`
}
