package pattern

import (
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any { return []any{patternRow{}, runRow{}, scopeRow{}, alertRow{}, alertSettingsRow{}} }

// patternRow is a row of patterns.
type patternRow struct {
	ID              string
	WorkspaceID     string
	OrganizationKey *int64
	ContentType     *string
	Decision        string
	Description     string
	Category        string
	Confidence      float64
	Votes           int
	Agreeing        int
	UniqueReviewers int
	Members         pg.Texts  `gorm:"not null"`
	Top             pg.Texts  `gorm:"not null"`
	DiscoveredAt    time.Time `gorm:"autoCreateTime:false"`
	UpdatedAt       time.Time `gorm:"autoUpdateTime:false"`
}

// TableName is GORM's hook for the table.
func (patternRow) TableName() string { return "patterns" }

// runRow is a row of pattern_runs.
type runRow struct {
	WorkspaceID, JobID, Model string
	EndedAt                   *time.Time
}

// TableName is GORM's hook for the table.
func (runRow) TableName() string { return "pattern_runs" }

// scopeRow is a row of pattern_scopes.
type scopeRow struct {
	Key             int64
	WorkspaceID     string
	OrganizationKey *int64
	ContentType     *string
	Fingerprint     int64
	JobID           *string
	Looked          *int64
	LookedAt        *time.Time
	Alerts          []byte
}

// TableName is GORM's hook for the table.
func (scopeRow) TableName() string { return "pattern_scopes" }

// alertRow is a row of alerts.
type alertRow struct {
	ID              string
	WorkspaceID     string
	OrganizationKey *int64
	ContentType     *string
	Kind            string
	Severity        string
	Found           []byte `gorm:"not null"`
	ReviewerID      *string
	Medoid          string
	Status          string    `gorm:"default:active"`
	CreatedAt       time.Time `gorm:"default:clock_timestamp()"`
	DismissedAt     *time.Time
	DismissedBy     *string
}

// TableName is GORM's hook for the table.
func (alertRow) TableName() string { return "alerts" }

// alertSettingsRow is what a workspace has set for its alerts.
type alertSettingsRow struct {
	WorkspaceID string
	Enabled     bool
	Weekly      int
	Kinds       pg.Texts `gorm:"not null"`
	Severity    string
}

// TableName is GORM's hook for the table.
func (alertSettingsRow) TableName() string { return "alert_settings" }
