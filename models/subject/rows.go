package subject

import "time"

// Rows are the rows of this package's tables, one of each.
func Rows() []any { return []any{subjectRow{}, formerMemberRow{}} }

// subjectRow is a row of subjects.
type subjectRow struct {
	Key           int64
	WorkspaceID   string
	ParentKey     *int64
	ID            string
	Current       bool
	RemovedAt     *time.Time
	JudgmentsGone bool
	SourcesGone   bool
}

// TableName is GORM's hook for the table.
func (subjectRow) TableName() string { return "subjects" }

// formerMemberRow is a user who left an organization.
type formerMemberRow struct {
	OrganizationKey int64
	UserID          string
	WorkspaceID     string
	Through         int64
	Since           time.Time `gorm:"default:clock_timestamp()"`
}

// TableName is GORM's hook for the table.
func (formerMemberRow) TableName() string { return "former_members" }
