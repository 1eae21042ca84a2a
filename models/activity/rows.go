package activity

import (
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any { return []any{activityRow{}, settingsRow{}} }

// activityRow is a row of activities. AnnotationID is what it is about, whatever that
// is; 0 and empty are nothing.
type activityRow struct {
	ID              string
	WorkspaceID     string
	OrganizationKey int64
	DocumentKey     int64
	FeatureType     string
	ActionType      string
	ActionUser      []byte `gorm:"not null"`
	AnnotationKey   int64
	AnnotationID    string
	CommentID       int64
	TargetSub       *string
	Changes         []byte
	EntityData      []byte
	EntityTarget    []byte
	Immutable       bool
	Template        string
	TemplateData    []byte
	Message         string
	Icon            string
	CreatedAt       time.Time `gorm:"autoCreateTime:false"`
}

// TableName is GORM's hook for the table.
func (activityRow) TableName() string { return "activities" }

// settingsRow is what a workspace has set for its activities.
type settingsRow struct {
	WorkspaceID string
	Enabled     bool
	EnabledAt   *time.Time
	Immutable   bool
	Off         pg.Texts `gorm:"not null"`
}

// TableName is GORM's hook for the table.
func (settingsRow) TableName() string { return "activity_settings" }
