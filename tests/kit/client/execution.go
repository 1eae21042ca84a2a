package client

import (
	"context"
	"encoding/json"
)

// Dispatch is what executions/dispatch takes.
type Dispatch struct {
	DefinitionID   string `json:"definitionId"`
	IdempotencyKey string `json:"idempotencyKey,omitempty"`
	CorrelationID  string `json:"correlationId,omitempty"`
	TriggerContext any    `json:"triggerContext,omitempty"`
	OrganizationID string `json:"organizationId,omitempty"`
	DocumentID     string `json:"documentId,omitempty"`
	FolderID       string `json:"folderId,omitempty"`
	WebhookURL     string `json:"webhookUrl,omitempty"`
	WebhookSecret  string `json:"webhookSecret,omitempty"`
}

// Dispatched is what executions/dispatch returns.
type Dispatched struct {
	ExecutionID   string `json:"executionId"`
	CorrelationID string `json:"correlationId"`
	Deduplicated  bool   `json:"deduplicated"`
}

// Reason is a failure's or an error's code with its text.
type Reason struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Execution is the published ExecutionView. Times are epoch milliseconds.
type Execution struct {
	ExecutionID       string          `json:"executionId"`
	Status            string          `json:"status"`
	StartedAt         int64           `json:"startedAt"`
	CompletedAt       *int64          `json:"completedAt"`
	CancelledAt       *int64          `json:"cancelledAt"`
	DefinitionID      string          `json:"definitionId"`
	DefinitionVersion int             `json:"definitionVersion"`
	CorrelationID     string          `json:"correlationId"`
	IdempotencyKey    string          `json:"idempotencyKey"`
	FailureReason     *Reason         `json:"failureReason"`
	OrganizationID    *string         `json:"organizationId"`
	DocumentID        *string         `json:"documentId"`
	FolderID          *string         `json:"folderId"`
	Attempt           int             `json:"attempt"`
	PausedAt          *int64          `json:"pausedAt"`
	StepCount         int             `json:"stepCount"`
	Steps             []Step          `json:"steps"`
	TriggerContext    json.RawMessage `json:"triggerContext"`
}

// Step is the published StepView; the last three fields come with steps/list only.
type Step struct {
	StepID        string          `json:"stepId"`
	NodeID        string          `json:"nodeId"`
	NodeType      string          `json:"nodeType"`
	Status        string          `json:"status"`
	GroupID       *string         `json:"groupId"`
	StartedAt     *int64          `json:"startedAt"`
	CompletedAt   *int64          `json:"completedAt"`
	DueAt         *int64          `json:"dueAt"`
	Output        json.RawMessage `json:"output"`
	Error         *Reason         `json:"error"`
	Metadata      StepMetadata    `json:"metadata"`
	ExecutionID   string          `json:"executionId"`
	DefinitionID  string          `json:"definitionId"`
	CorrelationID string          `json:"correlationId"`
}

// StepMetadata is a step's metadata object.
type StepMetadata struct {
	OrganizationID *string `json:"organizationId"`
	DocumentID     *string `json:"documentId"`
	FolderID       *string `json:"folderId"`
	NodeName       *string `json:"nodeName"`
	Iteration      int     `json:"iteration"`
	LoopID         *string `json:"loopId"`
	Attempt        int     `json:"attempt"`
	Reviewers      []struct {
		UserID    string `json:"userId"`
		Mandatory bool   `json:"mandatory"`
	} `json:"reviewers"`
}

// Page is one page of a list; NextCursor is nil where the list has null.
type Page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
	HasMore    bool    `json:"hasMore"`
}

// Event is one entry of getEvents.
type Event struct {
	EventID       string          `json:"eventId"`
	Seq           int64           `json:"seq"`
	Type          string          `json:"type"`
	StepID        *string         `json:"stepId"`
	Timestamp     int64           `json:"timestamp"`
	CorrelationID string          `json:"correlationId"`
	Data          json.RawMessage `json:"data"`
}

// EventPage is one page of getEvents.
type EventPage struct {
	ExecutionID string  `json:"executionId"`
	Events      []Event `json:"events"`
	NextCursor  int64   `json:"nextCursor"`
	HasMore     bool    `json:"hasMore"`
}

// Decision is what steps/recordReviewerDecision takes.
type Decision struct {
	ExecutionID string `json:"executionId"`
	StepID      string `json:"stepId"`
	ReviewerID  string `json:"reviewerId"`
	Decision    string `json:"decision"`
	Reason      string `json:"reason,omitempty"`
}

// Decided is what steps/recordReviewerDecision returns.
type Decided struct {
	Recorded         bool    `json:"recorded"`
	AggregatorStatus string  `json:"aggregatorStatus"`
	ResumeScheduled  bool    `json:"resumeScheduled"`
	RejectionReason  *string `json:"rejectionReason"`
}

// Delivery is one entry of getDeliveries.
type Delivery struct {
	EventID  string `json:"eventId"`
	Seq      int64  `json:"seq"`
	Event    string `json:"event"`
	Status   string `json:"status"`
	Attempts []struct {
		Attempt    int     `json:"attempt"`
		At         int64   `json:"at"`
		HTTPStatus *int    `json:"httpStatus"`
		Error      *string `json:"error"`
		DurationMs *int    `json:"durationMs"`
	} `json:"attempts"`
	NextAttemptAt *int64 `json:"nextAttemptAt"`
}

// Dispatch starts an execution.
func (w *Workspace) Dispatch(ctx context.Context, data Dispatch) (Dispatched, error) {
	return Call[Dispatched](ctx, w.Keyed, StartExecution, data)
}

// Get reads one execution whole.
func (w *Workspace) Get(ctx context.Context, executionID string) (Execution, error) {
	return Call[Execution](ctx, w.Keyed, GetExecution, map[string]any{"executionId": executionID})
}

// Decide records a reviewer's decision.
func (w *Workspace) Decide(ctx context.Context, data Decision) (Decided, error) {
	return Call[Decided](ctx, w.Keyed, RecordDecision, data)
}

// Events reads one page of events.
func (w *Workspace) Events(ctx context.Context, executionID string, since int64, internal bool) (EventPage, error) {
	return Call[EventPage](ctx, w.Keyed, GetEvents, map[string]any{
		"executionId": executionID, "sinceSeq": since, "includeInternal": internal,
	})
}

// AllEvents reads the events from the first to the last one there is.
func (w *Workspace) AllEvents(ctx context.Context, executionID string, internal bool) ([]Event, error) {
	var all []Event
	for since := int64(0); ; {
		page, err := w.Events(ctx, executionID, since, internal)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Events...)
		if since = page.NextCursor; !page.HasMore {
			return all, nil
		}
	}
}
