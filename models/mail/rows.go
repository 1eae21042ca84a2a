package mail

import (
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any {
	return []any{
		mailRow{}, batchRow{}, settingsRow{}, stepMailRow{},
	}
}

// mailRow is a row of mails.
type mailRow struct {
	ID             string
	WorkspaceID    string
	Template       string
	Recipient      string
	RecipientName  string
	UserID         string
	OrganizationID string
	AnnotationKey  *int64
	CommentSeq     *int64
	Thread         string
	Subject        *string
	BodyText       *string
	BodyHTML       *string
	Counted        bool
	Relayed        bool
	Result         *string
	Class          *string
	LeavesAt       *time.Time
	BatchID        *string
	CreatedAt      time.Time `gorm:"default:clock_timestamp()"`
	EndedAt        *time.Time
}

// TableName is GORM's hook for the table.
func (mailRow) TableName() string { return "mails" }

// batchRow is a mail by which mails of one person leave together.
type batchRow struct {
	MailID         string
	WorkspaceID    string
	OrganizationID string
	DocumentKey    *int64
	UserID         string
	Items          int
	Most           int
	Closed         bool
}

// TableName is GORM's hook for the table.
func (batchRow) TableName() string { return "mail_batches" }

// settingsRow is how a workspace sends mails.
type settingsRow struct {
	WorkspaceID    string
	Enabled        bool
	Type           string
	Host           string
	Port           *int
	Security       string
	Username       string
	PasswordSealed []byte
	FromEmail      string
	FromCompany    string
	Off            pg.Texts `gorm:"not null"`
	FailedAt       *time.Time
	FailedClass    *string
	MailDay        *time.Time
	MailsUsed      int
	RelayUsed      int

	SenderConfirmedAt *time.Time
	CodeMail          *string
	CodeSentAt        *time.Time
	CodeMisses        int16
}

// TableName is GORM's hook for the table.
func (settingsRow) TableName() string { return "email_settings" }

// stepMailRow is a recipient of a step that sends mails by itself.
type stepMailRow struct {
	WorkspaceID string
	ExecutionID string
	StepID      string
	Position    int
	Counted     bool
	Relayed     bool
	Class       *string
	SettledAt   *time.Time
}

// TableName is GORM's hook for the table.
func (stepMailRow) TableName() string { return "step_mails" }
