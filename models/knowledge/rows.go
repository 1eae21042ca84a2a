package knowledge

import (
	"time"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any {
	return []any{
		sourceRow{},
		versionRow{},
		chunkRow{},
		ruleRow{},
		uploadRow{},
		unclaimedRow{},
		vectorRow{},
		generationRow{},
		copyRow{},
		useRow{},
	}
}

// sourceRow is a row of sources.
type sourceRow struct {
	WorkspaceID     string
	ID              string
	SourceType      string
	OrganizationKey *int64
	DocumentKey     *int64
	CreatedAt       time.Time `gorm:"autoCreateTime:false"`
	Newest          int
	Live            *int
	Removed         bool
}

// TableName is GORM's hook for the table.
func (sourceRow) TableName() string { return "sources" }

// versionRow is a version of a source.
type versionRow struct {
	WorkspaceID    string
	SourceID       string
	Version        int
	State          string
	Stage          string
	Done           int16
	FileName       string
	MimeType       string
	FileSize       int64
	SHA256         []byte `gorm:"not null"`
	OriginalKey    string
	CanonicalKey   *string
	Metadata       []byte `gorm:"not null;default:'{}'"`
	Makers         string
	ChunkCount     int
	RuleCount      int
	FailureReason  *string
	FailureMessage *string
	Indexed        bool
	DedupOf        *string
	Retries        int16
	RetryConverter int
	StartedAt      time.Time
	UpdatedAt      time.Time `gorm:"autoUpdateTime:false"`
	CompletedAt    *time.Time
}

// TableName is GORM's hook for the table.
func (versionRow) TableName() string { return "source_versions" }

// chunkRow is a piece of the text of a version.
type chunkRow struct {
	WorkspaceID string
	SourceID    string
	Version     int
	Ordinal     int
	Path        string
	Content     string
	Tokens      int
	TextHash    []byte
}

// TableName is GORM's hook for the table.
func (chunkRow) TableName() string { return "chunks" }

// ruleRow is a rule that was found in a version.
type ruleRow struct {
	WorkspaceID string
	SourceID    string
	Version     int
	Ordinal     int
	ID          string
	Content     string
	Category    *string
	Identity    []byte `gorm:"not null"`
	TextHash    []byte
}

// TableName is GORM's hook for the table.
func (ruleRow) TableName() string { return "rules" }

// uploadRow is an address for a file.
type uploadRow struct {
	WorkspaceID     string
	Path            string
	TokenHash       []byte `gorm:"not null"`
	MimeType        string
	FileName        string
	FileSize        int64
	OrganizationKey *int64
	DocumentKey     *int64
	State           string
	ExpiresAt       time.Time
	BlobKey         *string
	SHA256          []byte
	SourceID        *string
	PutBy           *string
	PutUntil        *time.Time
}

// TableName is GORM's hook for the table.
func (uploadRow) TableName() string { return "uploads" }

// unclaimedRow is a file that no row names yet.
type unclaimedRow struct {
	WorkspaceID string
	BlobKey     string
	Since       time.Time
}

// TableName is GORM's hook for the table.
func (unclaimedRow) TableName() string { return "unclaimed_files" }

// vectorRow is the vector of a text by one model.
type vectorRow struct {
	WorkspaceID string
	Model       string
	TextHash    []byte `gorm:"not null"`
	Vector      []byte `gorm:"not null"`
}

// TableName is GORM's hook for the table.
func (vectorRow) TableName() string { return "vectors" }

// generationRow is a row of index_generations.
type generationRow struct {
	ID        string
	Suffix    string
	State     string
	Identity  string
	Probe     []byte `gorm:"not null"`
	Model     string
	RetiredAt *time.Time
}

// TableName is GORM's hook for the table.
func (generationRow) TableName() string { return "index_generations" }

// copyRow is a version of which a generation holds all objects.
type copyRow struct {
	WorkspaceID  string
	SourceID     string
	Version      int
	GenerationID string
}

// TableName is GORM's hook for the table.
func (copyRow) TableName() string { return "index_copies" }

// useRow is when the index last had to do with a workspace.
type useRow struct {
	WorkspaceID string
	UsedAt      time.Time
	Released    bool
	WentLive    int64
}

// TableName is GORM's hook for the table.
func (useRow) TableName() string { return "index_uses" }
