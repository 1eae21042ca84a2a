package view

import (
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// Views reads executions, their steps and their events.
type Views struct {
	db *pg.DB
}

// New makes the store.
func New(db *pg.DB) *Views { return &Views{db: db} }

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

	Input         json.RawMessage `json:"input,omitempty" doc:"what it began with, number-exact; executions/get with includeInput only"`
	Output        json.RawMessage `json:"output"`
	OutputOmitted bool            `json:"outputOmitted,omitempty" doc:"true when the answer would be too large: input, output and reviewers are left out; read the step by stepIds"`
	Error         *ReasonView     `json:"error"`
	Metadata      StepMetadata    `json:"metadata"`
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

// executionColumns are read by scanExecution; e is the table.
var executionColumns = `e.id, e.status, e.started_at, e.completed_at, e.cancelled_at, e.definition_id, e.definition_version,
       e.correlation_id, e.idempotency_key, e.failure_code, e.failure_message,
       ` + subject.ID("e.organization_key") + `, ` + subject.ID("e.document_key") + `, e.folder_id,
       e.attempt, e.paused_at, e.step_count`

func scanExecution(row pgx.Row, more ...any) (ExecutionView, error) {
	var v ExecutionView
	var started time.Time
	var completed, cancelled, paused *time.Time
	var code, message *string
	err := row.Scan(append([]any{
		&v.ExecutionID, &v.Status, &started, &completed, &cancelled, &v.DefinitionID, &v.DefinitionVersion,
		&v.CorrelationID, &v.IdempotencyKey, &code, &message, &v.OrganizationID, &v.DocumentID, &v.FolderID,
		&v.Attempt, &paused, &v.StepCount,
	}, more...)...)
	v.StartedAt, v.CompletedAt, v.CancelledAt, v.PausedAt = started.UnixMilli(), pg.OptionalMillis(completed), pg.OptionalMillis(cancelled), pg.OptionalMillis(paused)
	v.FailureReason = reasonOf(code, message)
	v.Steps = []StepView{}
	return v, err
}

// stepColumns are read by scanStep; s is the steps' table. What the execution is
// about is read with the execution.
const stepColumns = stepHead + `, CASE WHEN s.node_type = 'human' THEN ` + stepReviewers + ` END`

// What stepColumns are made of: what each step has, and its reviewers as JSON.
const (
	stepHead = `s.id, s.node_id, s.node_type, s.status, s.group_id, s.started_at, s.completed_at, s.due_at, s.error_code,
       s.error_message, s.node_name, s.iteration, s.loop_id, s.attempt`
	stepReviewers = `(
           SELECT json_agg(json_build_object('userId', r.user_id, 'mandatory', r.mandatory) ORDER BY r.position)
           FROM step_reviewers r WHERE r.workspace_id = s.workspace_id AND r.execution_id = s.execution_id AND r.step_id = s.id)`
)

// in notes what the execution is about that the step stands in. While that one is
// paused nobody knows when a live step will be due.
func (s *StepView) in(e *ExecutionView) {
	m := &s.Metadata
	m.OrganizationID, m.DocumentID, m.FolderID = e.OrganizationID, e.DocumentID, e.FolderID
	if e.PausedAt != nil && interpreter.StepStatus(s.Status).Live() {
		s.DueAt = nil
	}
}

func scanStep(row pgx.Row, more ...any) (StepView, error) {
	var v StepView
	var started, completed, due *time.Time
	var code, message *string
	var reviewers []byte
	m := &v.Metadata
	err := row.Scan(append([]any{
		&v.StepID, &v.NodeID, &v.NodeType, &v.Status, &v.GroupID, &started, &completed, &due, &code,
		&message, &m.NodeName, &m.Iteration, &m.LoopID, &m.Attempt, &reviewers,
	}, more...)...)
	if err != nil {
		return v, err
	}
	v.StartedAt, v.CompletedAt, v.DueAt = pg.OptionalMillis(started), pg.OptionalMillis(completed), pg.OptionalMillis(due)
	v.Error, v.Output = reasonOf(code, message), json.RawMessage(`{}`)
	if reviewers != nil {
		err = json.Unmarshal(reviewers, &m.Reviewers)
	}
	return v, err
}

func reasonOf(code, message *string) *ReasonView {
	if code == nil {
		return nil
	}
	v := &ReasonView{Code: *code}
	if message != nil {
		v.Message = *message
	}
	return v
}
