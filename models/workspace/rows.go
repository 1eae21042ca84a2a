package workspace

import (
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any {
	return []any{
		ownerRow{}, workspaceRow{}, apiKeyRow{}, tokenRow{}, domainRow{}, limitRow{}, auditRow{}, keyCheckRow{}, rateBucketRow{}, rateUseRow{}, figureRow{}, providerRow{},
	}
}

// ownerRow is one e-mail address as ownership compares it.
type ownerRow struct {
	ID        string
	EmailKey  string
	CreatedAt time.Time `gorm:"default:clock_timestamp()"`
}

// TableName is GORM's hook for the table.
func (ownerRow) TableName() string { return "owners" }

// workspaceRow is a row of workspaces. A new one has the settings that the table gives it.
type workspaceRow struct {
	ID                 string
	OwnerID            string
	Name               string
	NameKey            string
	OwnerEmail         string
	OwnerName          string
	OwnerAvatar        *string
	Plan               string
	TokenMac           []byte `gorm:"not null"`
	HashKeyID          string
	TokenSealed        []byte `gorm:"not null"`
	SuspendedAt        *time.Time
	StoppedAt          *time.Time
	DeletedAt          *time.Time
	CreatedAt          time.Time `gorm:"default:clock_timestamp()"`
	ConfirmedAt        *time.Time
	ConfirmationSentAt *time.Time
	DefaultAccess      string `gorm:"<-:update"`
	PrivateComments    bool   `gorm:"<-:update"`
	AutoMembers        bool   `gorm:"<-:update"`
	AdvancedQueries    bool   `gorm:"<-:update"`
}

// TableName is GORM's hook for the table.
func (workspaceRow) TableName() string { return "workspaces" }

// apiKeyRow is a row of api_keys.
type apiKeyRow struct {
	ID          string
	WorkspaceID string
	Name        string
	Type        string
	OwnerEmail  string
	DisabledAt  *time.Time
	CreatedAt   time.Time `gorm:"default:clock_timestamp()"`
}

// TableName is GORM's hook for the table.
func (apiKeyRow) TableName() string { return "api_keys" }

// tokenRow is a row of auth_tokens.
type tokenRow struct {
	APIKeyID    string `gorm:"primaryKey"`
	WorkspaceID string
	Name        string
	TokenMac    []byte `gorm:"not null"`
	HashKeyID   string
	TokenSealed []byte    `gorm:"not null"`
	CreatedAt   time.Time `gorm:"default:clock_timestamp()"`
}

// TableName is GORM's hook for the table.
func (tokenRow) TableName() string { return "auth_tokens" }

// domainRow is an allowed domain of a key, in its normal form.
type domainRow struct {
	WorkspaceID string    `gorm:"primaryKey"`
	APIKeyID    string    `gorm:"primaryKey"`
	Domain      string    `gorm:"primaryKey"`
	Position    int64     `gorm:"->"`
	AddedAt     time.Time `gorm:"default:clock_timestamp()"`
}

// TableName is GORM's hook for the table.
func (domainRow) TableName() string { return "api_key_domains" }

// limitRow is a row of limit_overrides.
type limitRow struct {
	WorkspaceID string `gorm:"primaryKey"`
	Name        string `gorm:"primaryKey"`
	Value       int64
	SetAt       time.Time `gorm:"default:clock_timestamp()"`
}

// TableName is GORM's hook for the table.
func (limitRow) TableName() string { return "limit_overrides" }

// auditRow is a row of the trail.
type auditRow struct {
	ID            string
	At            time.Time `gorm:"default:clock_timestamp()"`
	WorkspaceID   *string
	Actor         string
	IP            *string
	Operation     string
	TargetID      *string
	ChangedFields pg.Texts `gorm:"not null"`
	RequestID     *string
	Outcome       string
}

// TableName is GORM's hook for the table.
func (auditRow) TableName() string { return "audit_rows" }

// keyCheckRow is the row that proves the keys of a process.
type keyCheckRow struct {
	ID        int    `gorm:"autoIncrement:false"`
	Sealed    []byte `gorm:"not null"`
	Mac       []byte `gorm:"not null"`
	HashKeyID string
}

// TableName is GORM's hook for the table.
func (keyCheckRow) TableName() string { return "secret_canary" }

// rateBucketRow is a bucket of tokens.
type rateBucketRow struct {
	Bucket   string
	Tokens   float64
	Granted  int
	FilledAt time.Time
}

// TableName is GORM's hook for the table.
func (rateBucketRow) TableName() string { return "rate_buckets" }

// rateUseRow is a use in a sliding window.
type rateUseRow struct {
	ID      int64 `gorm:"->"`
	Subject string
	At      time.Time
}

// TableName is GORM's hook for the table.
func (rateUseRow) TableName() string { return "rate_uses" }

// figureRow is a figure that one process counts for all.
type figureRow struct {
	Name  string
	DueAt time.Time
	Found []byte
}

// TableName is GORM's hook for the table.
func (figureRow) TableName() string { return "figures" }

// providerRow is the permission provider of a workspace.
type providerRow struct {
	WorkspaceID string
	Enabled     bool
	URL         string
	TokenSealed []byte
}

// TableName is GORM's hook for the table.
func (providerRow) TableName() string { return "permission_providers" }
