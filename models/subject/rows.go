package subject

import "time"

// Rows are the rows of this package's table, one of each.
func Rows() []any { return []any{subjectRow{}} }

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
