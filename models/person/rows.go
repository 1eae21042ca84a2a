package person

import "time"

// Rows are the rows of this package's tables, one of each.
func Rows() []any { return []any{exportRow{}} }

// exportRow is a row of exports.
type exportRow struct {
	ID              string
	WorkspaceID     string
	OrganizationKey int64
	UserID          string
	Open            bool
	Comments        int64
	Notifications   int64
	Activities      int64
	Grants          int64
	BlobKey         *string
	FileSize        int64
	ReadyAt         *time.Time
}

// TableName is GORM's hook for the table.
func (exportRow) TableName() string { return "exports" }
