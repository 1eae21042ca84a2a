package directory

import (
	"time"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any {
	return []any{
		organizationRow{}, folderRow{}, documentRow{}, migrationRow{}, profileRow{}, grantRow{}, invitationRow{},
	}
}

// organizationRow is a row of organizations. Here as in folders and documents, one
// without an id is deleted.
type organizationRow struct {
	Key            int64 `gorm:"->"`
	WorkspaceID    string
	OrganizationID *string
	Name           string
	Access         *string
	Disabled       bool
	Extra          []byte
	CreatedAt      time.Time `gorm:"default:clock_timestamp()"`
	UpdatedAt      time.Time `gorm:"default:clock_timestamp();autoUpdateTime:false"`
}

// TableName is GORM's hook for the table.
func (organizationRow) TableName() string { return "organizations" }

// folderRow is a row of folders.
type folderRow struct {
	Key             int64 `gorm:"->"`
	WorkspaceID     string
	OrganizationKey int64
	FolderID        *string
	ParentKey       *int64
	Name            string
	Access          *string
	DefaultAccess   string
	CreatedAt       time.Time `gorm:"default:clock_timestamp()"`
	UpdatedAt       time.Time `gorm:"default:clock_timestamp();autoUpdateTime:false"`
}

// TableName is GORM's hook for the table.
func (folderRow) TableName() string { return "folders" }

// documentRow is a row of document_rows.
type documentRow struct {
	Key             int64 `gorm:"->"`
	WorkspaceID     string
	OrganizationKey int64
	DocumentID      *string
	FolderKey       *int64
	Name            string
	Access          *string
	DefaultAccess   string
	Disabled        bool
	Extra           []byte
	CreatedAt       time.Time `gorm:"default:clock_timestamp()"`
	UpdatedAt       time.Time `gorm:"default:clock_timestamp();autoUpdateTime:false"`
}

// TableName is GORM's hook for the table.
func (documentRow) TableName() string { return "document_rows" }

// migrationRow is a document on its way to another id.
type migrationRow struct {
	ID              string
	WorkspaceID     string
	OrganizationKey int64
	DocumentKey     int64
	DocumentID      string
	NewDocumentID   string
	Open            bool `gorm:"default:true"`
}

// TableName is GORM's hook for the table.
func (migrationRow) TableName() string { return "document_migrations" }

// profileRow is a person as known in one organization.
type profileRow struct {
	OrganizationKey int64
	UserID          string
	WorkspaceID     string
	Name            *string
	Email           *string
	Initial         string
	OwnInitial      bool
	PhotoURL        *string
	Extra           []byte
	CreatedAt       time.Time `gorm:"default:clock_timestamp()"`
	UpdatedAt       time.Time `gorm:"default:clock_timestamp();autoUpdateTime:false"`
}

// TableName is GORM's hook for the table.
func (profileRow) TableName() string { return "profiles" }

// grantRow is a role of a user at one level; without folder and document it is on the organization.
type grantRow struct {
	OrganizationKey int64
	UserID          string
	WorkspaceID     string
	FolderKey       *int64
	DocumentKey     *int64
	Role            string
	ExpiresAt       *time.Time
	GrantedAt       time.Time `gorm:"default:clock_timestamp()"`
}

// TableName is GORM's hook for the table.
func (grantRow) TableName() string { return "grants" }

// invitationRow is a row of invitations.
type invitationRow struct {
	ID              string
	WorkspaceID     string
	OrganizationKey int64
	FolderKey       *int64
	DocumentKey     *int64
	Email           string
	EmailKey        string
	Role            string
	Status          string `gorm:"default:PENDING"`
	InvitedBy       []byte
	UserID          *string
	CreatedAt       time.Time `gorm:"default:clock_timestamp()"`
	RespondedAt     *time.Time
	MailedAt        *time.Time
}

// TableName is GORM's hook for the table.
func (invitationRow) TableName() string { return "invitations" }
