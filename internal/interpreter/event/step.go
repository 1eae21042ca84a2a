package event

// AwaitingPeople is the data of step.awaiting-approval of a human step.
type AwaitingPeople struct {
	Waiting        []string `json:"waitingForReviewers"`
	MandatoryCount int      `json:"mandatoryCount"`
	ResumeKey      string   `json:"resumeKey"`
}

// PeopleCompleted is the data of step.completed of a human step.
type PeopleCompleted struct {
	AggregatorStatus string `json:"aggregatorStatus"`
	NodeType         string `json:"nodeType"`
	Decision         string `json:"decision"`
	Overridden       *Act   `json:"overridden,omitempty"`
}

// Response is the data of step.response-recorded.
type Response struct {
	ReviewerID string `json:"reviewerId"`
	Decision   string `json:"decision"`
	Reason     string `json:"reason,omitempty"`
}

// Reassigned is the data of step.reassigned.
type Reassigned struct {
	From    string  `json:"fromReviewerId"`
	To      string  `json:"toReviewerId"`
	ActorID string  `json:"actorId"`
	Reason  *string `json:"reason"`
}

// MockCompleted is the data of step.completed of the agent that only approves.
type MockCompleted struct {
	AgentID   string `json:"agentId"`
	Synthetic bool   `json:"synthetic"`
	Decision  string `json:"decision"`
}

// AwaitingAgent is the data of step.awaiting-approval of an agent's step.
type AwaitingAgent struct {
	AgentID          string  `json:"agentId"`
	AgentExecutionID *string `json:"agentExecutionId"`
	PollIntervalMs   int64   `json:"pollIntervalMs"`
}

// AgentCompleted is the data of step.completed of an agent's step.
type AgentCompleted struct {
	AgentID              string  `json:"agentId"`
	AgentExecutionID     *string `json:"agentExecutionId"`
	AgentExecutionStatus string  `json:"agentExecutionStatus"`
	Decision             string  `json:"decision"`
	Source               string  `json:"source"`
}

// AgentFailed is the data of step.failed of an agent's step.
type AgentFailed struct {
	Error Reason `json:"error"`
}

// AwaitingCallback is the data of step.awaiting-approval of a webhook's step.
type AwaitingCallback struct {
	CallbackExpected bool `json:"callbackExpected"`
}

// WebhookCompleted is the data of step.completed of a webhook's step.
type WebhookCompleted struct {
	HTTPStatus *int   `json:"httpStatus"`
	Decision   string `json:"decision,omitempty"`
}

// WebhookFailed is the data of step.failed of a webhook's step.
type WebhookFailed struct {
	Error      Reason `json:"error"`
	HTTPStatus *int   `json:"httpStatus"`
	LatencyMs  int64  `json:"latencyMs"`
	RetryClass string `json:"retryClass"`
}

// StatusOrNull is the status of an answer, null where none came.
func StatusOrNull(status int) *int {
	if status == 0 {
		return nil
	}
	return &status
}

// NotificationCompleted is the data of step.completed of a notification's step.
type NotificationCompleted struct {
	Channel   string `json:"channel"`
	Delivered int    `json:"delivered"`
}

// NotificationFailed is the data of step.failed of a notification's step.
type NotificationFailed struct {
	Error      Reason `json:"error"`
	Channel    string `json:"channel"`
	RetryClass string `json:"retryClass"`
}

// Retried is the data of step.retried.
type Retried struct {
	Error      Reason `json:"error"`
	RetryCount int    `json:"retryCount"`
	NextTryAt  int64  `json:"nextTryAt"`
}

// Breached is the data of step.breached.
type Breached struct {
	Reason string `json:"reason"`
	DueAt  int64  `json:"dueAt"`
}

// Cancelled is the data of step.cancelled where the service itself cancels.
type Cancelled struct {
	ActorID string `json:"actorId"`
	Reason  string `json:"reason"`
}
