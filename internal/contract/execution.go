package contract

// ExecutionInput is all that a run of an execution is given: ids.
type ExecutionInput struct {
	WorkspaceID string `json:"workspaceId"`
	ExecutionID string `json:"executionId"`
}

// Need says what Temporal has to do for a live step.
type Need string

// NeedCall is a call to the outside that an activity makes. NeedWait means that
// the step waits for somebody else; Temporal has to watch its deadline at most.
const (
	NeedCall Need = "call"
	NeedWait Need = "wait"
)

// Plan is what the rows want of Temporal at one moment. The plan with the
// higher revision is the newer one.
type Plan struct {
	Revision int64 `json:"revision"`
	// Status is the execution's; empty when there is no such execution.
	Status string `json:"status"`
	// Failure is the reason's code when Status is failed.
	Failure string `json:"failure,omitempty"`
	// Details is the text for people in Temporal's UI.
	Details string     `json:"details,omitempty"`
	Live    []LiveStep `json:"live,omitempty"`
	// HistoryLimit is after how many events of its history a run continues as
	// new; zero for the default. It travels in the plan because a run must see
	// the same number when it is replayed.
	HistoryLimit int `json:"historyLimit,omitempty"`
}

// ExecutionState is the answer to QueryState: what is carried out, by name and
// version, the last plan, and the ids of the steps whose calls this run has under
// way.
type ExecutionState struct {
	Definition string `json:"definition,omitempty"`
	Plan
	UnderWay []string `json:"underWay"`
}

// Ended reports whether nothing will have to be driven until a signal.
func (p Plan) Ended() bool {
	switch p.Status {
	case "completed", "failed", "cancelled", "":
		return true
	default:
		return false
	}
}

// LiveStep is a step that has not ended. What a run drives by are milliseconds
// from the moment the plan was made, by the clock of Postgres; never instants,
// because Temporal's clock is another one.
type LiveStep struct {
	StepID string `json:"stepId"`
	NodeID string `json:"nodeId"`
	Need   Need   `json:"need"`
	// Try counts the calls begun so far, interrupted ones too.
	Try int `json:"try"`
	// StartIn is when the call may begin; nil while it waits for a free slot.
	StartIn *int64 `json:"startIn,omitempty"`
	// DueIn is when the step's deadline passes, also while its call is under way;
	// nil when it has none. Asking for the plan then ends the step.
	DueIn *int64 `json:"dueIn,omitempty"`
	Shown
}

// Shown is what people are told of a live step; a run drives nothing by it.
// Instants are epoch milliseconds by the clock of Postgres, 0 where there is none.
type Shown struct {
	Status string `json:"status,omitempty"`
	// Since is when the step started, DueAt its deadline.
	Since int64 `json:"since,omitempty"`
	DueAt int64 `json:"dueAt,omitempty"`
	// WaitingFor are the userIds of the reviewers who have not decided; WaitingMore
	// is how many of them are left out, to keep the history of a run small.
	WaitingFor  []string `json:"waitingFor,omitempty"`
	WaitingMore int      `json:"waitingMore,omitempty"`
}

// PlanInput asks for the plan. Cancelled says that somebody cancelled the run
// in Temporal, which counts as a cancellation of the execution. The activity fills
// in the run that asks.
type PlanInput struct {
	WorkspaceID string `json:"workspaceId"`
	ExecutionID string `json:"executionId"`
	WorkflowID  string `json:"workflowId"`
	Cancelled   bool   `json:"cancelled,omitempty"`
	RunID       string `json:"-"`
}

// CallInput asks an activity to make the call of one step; its result is the
// Plan after the call. The activity fills in the run that it belongs to.
type CallInput struct {
	WorkspaceID string `json:"workspaceId"`
	ExecutionID string `json:"executionId"`
	StepID      string `json:"stepId"`
	RunID       string `json:"-"`
}
