package notification

import (
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any {
	return []any{notificationRow{}, recipientRow{}, preferenceRow{}, portionRow{}, settingsRow{}}
}

// notificationRow is a row of notifications.
type notificationRow struct {
	ID            string
	WorkspaceID   string
	AnnotationKey *int64
	CommentSeq    *int64
	OwnID         *string
	Custom        []byte
	ActionUser    []byte    `gorm:"not null"`
	CreatedAt     time.Time `gorm:"default:clock_timestamp()"`
	DocumentKey   int64
}

// TableName is GORM's hook for the table.
func (notificationRow) TableName() string { return "notifications" }

// recipientRow is a user whom a notification is for.
type recipientRow struct {
	NotificationID  string
	UserID          string
	WorkspaceID     string
	Reason          string
	ReadAt          *time.Time
	OrganizationKey int64
	DocumentKey     int64
}

// TableName is GORM's hook for the table.
func (recipientRow) TableName() string { return "notification_recipients" }

// preferenceRow is what a user wants to be told of in an organization, or of one document.
type preferenceRow struct {
	WorkspaceID     string
	OrganizationKey int64
	DocumentKey     *int64
	UserID          string
	Inbox           *string
	Email           *string
	Slack           *string
}

// TableName is GORM's hook for the table.
func (preferenceRow) TableName() string { return "notification_preferences" }

// portionRow is a portion of those whom a job has to notify of a change.
type portionRow struct {
	JobID       string
	N           int
	WorkspaceID string
	Portion     []byte `gorm:"not null"`
}

// TableName is GORM's hook for the table.
func (portionRow) TableName() string { return "notification_portions" }

// settingsRow is what a workspace has set for its notifications.
type settingsRow struct {
	WorkspaceID     string
	Enabled         bool
	Off             pg.Texts `gorm:"not null"`
	Delayed         bool
	DelaySeconds    int
	DocumentBatched bool
	DocumentWindow  int
	DocumentMost    int
	UserBatched     bool
	UserWindow      int
	UserMost        int
}

// TableName is GORM's hook for the table.
func (settingsRow) TableName() string { return "notification_settings" }
