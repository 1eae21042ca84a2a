package job

import "time"

// Rows are the rows of this package's tables, one of each.
func Rows() []any { return []any{row{}} }

// row is a row of jobs.
type row struct {
	ID           string
	WorkspaceID  string
	Kind         string
	Input        []byte `gorm:"not null"`
	Done         int64
	ErrorCode    *string
	ErrorMessage *string
	CreatedAt    time.Time `gorm:"default:clock_timestamp()"`
	StartedAt    *time.Time
	EndedAt      *time.Time
}

// TableName is GORM's hook for the table.
func (row) TableName() string { return "jobs" }
