package execution

import (
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any {
	return []any{
		executionRow{}, stepRow{}, reviewerRow{}, eventRow{}, callbackRow{}, deletedRow{},
	}
}

// executionRow is a row of executions.
type executionRow struct {
	ID                  string
	WorkspaceID         string
	DefinitionID        string
	DefinitionVersion   int
	VersionRef          string
	DefinitionName      string
	KeySpace            string
	IdempotencyKey      string
	CorrelationID       string
	Status              string
	Attempt             int
	OrganizationKey     *int64
	DocumentKey         *int64
	FolderID            *string
	TriggerContext      []byte
	WebhookAuth         []byte
	ReceiverURL         *string
	ReceiverSecret      []byte
	ReceiverEventTypes  pg.Texts
	ReceiverDestination *string
	ReceiverOrigin      *string
	FailureCode         *string
	FailureMessage      *string
	StartedAt           time.Time
	CompletedAt         *time.Time
	CancelledAt         *time.Time
	PausedAt            *time.Time
	GroupStates         []byte
	Seq                 int64
	Revision            int64
	StepCount           int
	SignatureHash       *string
	RunID               *string
}

// TableName is GORM's hook for the table.
func (executionRow) TableName() string { return "executions" }

// stepRow is a row of steps.
type stepRow struct {
	WorkspaceID     string
	ExecutionID     string
	ID              string
	NodeID          string
	NodeType        string
	NodeName        string
	GroupID         *string
	LoopID          *string
	LoopEntry       bool
	Iteration       int
	Attempt         int
	Ordinal         int
	Status          string
	Decision        string
	EndedBy         string
	EndAction       string
	EndActor        string
	Routed          bool
	Input           []byte
	Output          []byte
	ErrorCode       *string
	ErrorMessage    *string
	CreatedAt       time.Time `gorm:"autoCreateTime:false"`
	StartedAt       *time.Time
	CompletedAt     *time.Time
	DueAt           *time.Time
	Retries         int
	Calls           int
	LockedUntil     *time.Time
	NextTryAt       *time.Time
	QueuedAt        *time.Time
	OrganizationKey *int64
	DocumentKey     *int64
	DefinitionID    string
	TimeoutAt       *time.Time
	Agent           []byte
	AgentVersion    *int
	Callback        []byte
}

// TableName is GORM's hook for the table.
func (stepRow) TableName() string { return "steps" }

// reviewerRow is a reviewer of a step.
type reviewerRow struct {
	WorkspaceID string
	ExecutionID string
	StepID      string
	UserID      string
	Position    int
	Mandatory   bool
	Decision    string
	Reason      *string
	DecidedAt   *time.Time
	Replaces    *string
	Open        bool
	StepCreated time.Time
	StepOrdinal int
}

// TableName is GORM's hook for the table.
func (reviewerRow) TableName() string { return "step_reviewers" }

// callbackRow is a token that opens one step, by its hash.
type callbackRow struct {
	TokenHash   []byte `gorm:"not null"`
	WorkspaceID string
	ExecutionID string
	StepID      string
}

// TableName is GORM's hook for the table.
func (callbackRow) TableName() string { return "callback_tokens" }

// eventRow is an event of an execution.
type eventRow struct {
	WorkspaceID string
	ExecutionID string
	Seq         int64
	ID          string
	Type        string
	Internal    bool
	StepID      *string
	Status      *string
	At          time.Time
	Data        []byte
}

// TableName is GORM's hook for the table.
func (eventRow) TableName() string { return "events" }

// deletedRow is what stays of an execution that was deleted.
type deletedRow struct {
	WorkspaceID    string
	ExecutionID    string
	DefinitionID   string
	KeySpace       string
	IdempotencyKey string
	CorrelationID  string
	SignatureHash  *string
	Purged         bool
}

// TableName is GORM's hook for the table.
func (deletedRow) TableName() string { return "deleted_executions" }
