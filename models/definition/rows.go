package definition

import (
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any {
	return []any{
		definitionRow{}, versionRow{}, inboundRow{}, scheduleRow{},
	}
}

// definitionRow is a row of definitions: what lists filter and sort by, and what changes lock.
type definitionRow struct {
	WorkspaceID     string
	DefinitionID    string
	Status          string
	Version         int
	VersionID       string
	OrganizationKey *int64
	DocumentKey     *int64
	Tags            pg.Texts  `gorm:"not null"`
	CreatedAt       time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt       time.Time `gorm:"autoUpdateTime:false"`
	TombstonedAt    *time.Time
}

// TableName is GORM's hook for the table.
func (definitionRow) TableName() string { return "definitions" }

// versionRow is a version of a definition.
type versionRow struct {
	ID                 string
	WorkspaceID        string
	DefinitionID       string
	Version            int
	Name               string
	ScopeLevel         string
	OrganizationKey    *int64
	DocumentKey        *int64
	Snapshot           []byte `gorm:"not null"`
	Compiled           []byte `gorm:"not null"`
	Size               int
	NodeCount          int
	EdgeCount          int
	ReceiverURL        *string
	ReceiverSecret     []byte
	ReceiverEventTypes pg.Texts
	DefinedAt          time.Time
	CreatedAt          time.Time `gorm:"autoCreateTime:false"`
}

// TableName is GORM's hook for the table.
func (versionRow) TableName() string { return "definition_versions" }

// inboundRow is a trigger that requests from outside fire.
type inboundRow struct {
	ID           string
	WorkspaceID  string
	DefinitionID string
	TriggerID    string
	Settings     []byte `gorm:"not null"`
	SecretSealed []byte `gorm:"not null"`
}

// TableName is GORM's hook for the table.
func (inboundRow) TableName() string { return "inbound_triggers" }

// scheduleRow is a trigger that fires by the clock, as Temporal is to have it.
type scheduleRow struct {
	WorkspaceID  string
	DefinitionID string
	TriggerID    string
	Cron         string
	Timezone     string
	Enabled      bool
	Removed      bool
	Revision     int64
}

// TableName is GORM's hook for the table.
func (scheduleRow) TableName() string { return "schedules" }
