package activity

import "time"

// Rows are the rows of this package's tables, one of each.
func Rows() []any { return []any{activityRow{}} }

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
