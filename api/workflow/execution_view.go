package workflow

import (
	"encoding/json"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/models/execution/view"
)

// ExecutionView is an execution. Times are epoch milliseconds; what is not set is
// null.
type ExecutionView struct {
	ExecutionID string `json:"executionId"`
	Status      string `json:"status" enum:"pending,running,completed,failed,cancelled"`

	StartedAt   int64  `json:"startedAt" doc:"epoch ms of the acceptance; never changes"`
	CompletedAt *int64 `json:"completedAt"`
	CancelledAt *int64 `json:"cancelledAt"`

	DefinitionID      string      `json:"definitionId"`
	DefinitionVersion int         `json:"definitionVersion"`
	CorrelationID     string      `json:"correlationId"`
	IdempotencyKey    string      `json:"idempotencyKey"`
	FailureReason     *ReasonView `json:"failureReason"`

	OrganizationID *string `json:"organizationId"`
	DocumentID     *string `json:"documentId"`
	FolderID       *string `json:"folderId"`
	Attempt        int     `json:"attempt"`
	PausedAt       *int64  `json:"pausedAt"`

	StepCount      int             `json:"stepCount"`
	Steps          []StepView      `json:"steps"`
	TriggerContext json.RawMessage `json:"triggerContext,omitempty" doc:"as sent, number-exact; executions/get only"`
}

func viewExecution(e view.Execution) ExecutionView {
	return ExecutionView{
		ExecutionID: e.ExecutionID, Status: e.Status, StartedAt: e.StartedAt, CompletedAt: e.CompletedAt, CancelledAt: e.CancelledAt,
		DefinitionID: e.DefinitionID, DefinitionVersion: e.DefinitionVersion, CorrelationID: e.CorrelationID, IdempotencyKey: e.IdempotencyKey,
		FailureReason: (*ReasonView)(e.FailureReason), OrganizationID: e.OrganizationID, DocumentID: e.DocumentID, FolderID: e.FolderID,
		Attempt: e.Attempt, PausedAt: e.PausedAt, StepCount: e.StepCount, Steps: rpc.Each(e.Steps, viewStep), TriggerContext: e.TriggerContext,
	}
}

// ReasonView is why an execution or a step failed.
type ReasonView struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// StepView is a step of an execution.
type StepView struct {
	StepID   string  `json:"stepId"`
	NodeID   string  `json:"nodeId"`
	NodeType string  `json:"nodeType" enum:"human,agent,webhook,notification"`
	Status   string  `json:"status" enum:"pending,running,waiting,completed,failed,breached,cancelled,skipped"`
	GroupID  *string `json:"groupId"`

	StartedAt   *int64 `json:"startedAt"`
	CompletedAt *int64 `json:"completedAt"`
	DueAt       *int64 `json:"dueAt"`

	Output        json.RawMessage `json:"output"`
	OutputOmitted bool            `json:"outputOmitted,omitempty" doc:"true when the answer would be too large: output and reviewers are left out; read the step by stepIds"`
	Error         *ReasonView     `json:"error"`
	Metadata      StepMetadata    `json:"metadata"`
}

func viewStep(s view.Step) StepView {
	return StepView{
		StepID: s.StepID, NodeID: s.NodeID, NodeType: s.NodeType, Status: s.Status, GroupID: s.GroupID,
		StartedAt: s.StartedAt, CompletedAt: s.CompletedAt, DueAt: s.DueAt,
		Output: s.Output, OutputOmitted: s.OutputOmitted, Error: (*ReasonView)(s.Error), Metadata: StepMetadata(s.Metadata),
	}
}

// StepMetadata says where in the execution a step is.
type StepMetadata struct {
	OrganizationID *string `json:"organizationId"`
	DocumentID     *string `json:"documentId"`
	FolderID       *string `json:"folderId"`

	NodeName  string                `json:"nodeName"`
	Iteration int                   `json:"iteration"`
	LoopID    *string               `json:"loopId"`
	Attempt   int                   `json:"attempt"`
	Reviewers []definition.Reviewer `json:"reviewers,omitempty" doc:"human steps only"`
}

// ListedStep is a step in a list over many executions, with what it belongs to.
type ListedStep struct {
	StepView
	ExecutionID   string `json:"executionId"`
	DefinitionID  string `json:"definitionId"`
	CorrelationID string `json:"correlationId"`
}

func viewListedStep(s view.ListedStep) ListedStep {
	return ListedStep{viewStep(s.Step), s.ExecutionID, s.DefinitionID, s.CorrelationID}
}

// EventView is one event of an execution. Timestamp is epoch milliseconds.
type EventView struct {
	EventID string  `json:"eventId"`
	Seq     int64   `json:"seq"`
	Type    string  `json:"type"`
	StepID  *string `json:"stepId"`

	Timestamp     int64           `json:"timestamp"`
	CorrelationID string          `json:"correlationId"`
	Data          json.RawMessage `json:"data,omitempty"`
}

func viewEvent(e view.Event) EventView { return EventView(e) }
