package endpoint

import (
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any {
	return []any{
		endpointRow{}, secretRow{}, settingsRow{}, recoveryRow{},
	}
}

// endpointRow is a row of endpoints.
type endpointRow struct {
	ID            string
	WorkspaceID   string
	UID           *string
	URL           string
	Description   *string
	FilterTypes   pg.Texts
	Channels      pg.Texts
	Disabled      bool
	RateLimit     *int
	Metadata      []byte
	FailingSince  *time.Time
	Failures      int
	LastAttemptAt *time.Time
	CreatedAt     time.Time `gorm:"default:clock_timestamp()"`
	UpdatedAt     time.Time `gorm:"default:clock_timestamp();autoUpdateTime:false"`
	DeletedAt     *time.Time
}

// TableName is GORM's hook for the table.
func (endpointRow) TableName() string { return "endpoints" }

// secretRow is a secret of an endpoint.
type secretRow struct {
	ID           string
	EndpointID   string
	WorkspaceID  string
	SecretSealed []byte    `gorm:"not null"`
	CreatedAt    time.Time `gorm:"default:clock_timestamp()"`
	ExpiresAt    *time.Time
}

// TableName is GORM's hook for the table.
func (secretRow) TableName() string { return "endpoint_secrets" }

// settingsRow is what a workspace set for all its endpoints.
type settingsRow struct {
	WorkspaceID string
	Enabled     bool
	Encrypted   bool
	Encoded     bool
	Protected   bool
	PublicKey   string
}

// TableName is GORM's hook for the table.
func (settingsRow) TableName() string { return "webhook_settings" }

// recoveryRow is a row of recoveries.
type recoveryRow struct {
	ID          string
	WorkspaceID string
	EndpointID  string
	Since       time.Time
	Until       time.Time
	Behind      string
	Examined    int64
	Requeued    int64
	Open        bool
}

// TableName is GORM's hook for the table.
func (recoveryRow) TableName() string { return "recoveries" }
