package group

import "time"

// Rows are the rows of this package's tables, one of each.
func Rows() []any { return []any{groupRow{}, memberRow{}} }

// groupRow is a user group of an organization; one without an id is deleted.
type groupRow struct {
	Key             int64 `gorm:"->"`
	WorkspaceID     string
	OrganizationKey int64
	GroupID         *string
	Name            string
	CreatedAt       time.Time `gorm:"default:clock_timestamp()"`
}

// TableName is GORM's hook for the table.
func (groupRow) TableName() string { return "user_groups" }

// memberRow is a user who is in a group.
type memberRow struct {
	GroupKey        int64
	UserID          string
	OrganizationKey int64
	WorkspaceID     string
}

// TableName is GORM's hook for the table.
func (memberRow) TableName() string { return "user_group_members" }
