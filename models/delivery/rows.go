package delivery

import (
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any {
	return []any{
		messageRow{},
		messageBodyRow{},
		deliveryRow{},
		openDeliveryRow{},
		attemptRow{},
		destinationRow{},
		endpointRow{},
		secretRow{},
		settingsRow{},
		recoveryRow{},
	}
}

// messageRow is an event that endpoints are told of.
type messageRow struct {
	ID          string
	WorkspaceID string
	Sequence    int64
	Event       string
	Tags        pg.Texts  `gorm:"not null"`
	CreatedAt   time.Time `gorm:"autoCreateTime:false"`
	About       *string
	Test        bool
	Simple      bool
}

// TableName is GORM's hook for the table.
func (messageRow) TableName() string { return "messages" }

// messageBodyRow is what a message says.
type messageBodyRow struct {
	MessageID   string
	WorkspaceID string
	Body        []byte `gorm:"not null"`
	Simple      []byte
	CreatedAt   time.Time `gorm:"autoCreateTime:false"`
}

// TableName is GORM's hook for the table.
func (messageBodyRow) TableName() string { return "message_bodies" }

// deliveryRow is a row of deliveries.
type deliveryRow struct {
	ID            int64 `gorm:"->"`
	WorkspaceID   string
	DestinationID string
	ExecutionID   *string
	Seq           *int64
	State         string
	Attempt       int
	Round         int
	BegunAt       *time.Time
	Class         *string
	MessageID     *string
	MailID        *string
	Cause         string
	Interrupted   int
	TraceParent   *string
}

// TableName is GORM's hook for the table.
func (deliveryRow) TableName() string { return "deliveries" }

// openDeliveryRow says when and where a delivery that has not ended is tried next.
type openDeliveryRow struct {
	ID            int64
	DestinationID string
	Origin        string
	Cause         string
	DueAt         time.Time
	LockedUntil   time.Time `gorm:"default:-infinity"`
	Number        *int64
}

// TableName is GORM's hook for the table.
func (openDeliveryRow) TableName() string { return "open_deliveries" }

// attemptRow is an attempt that ended.
type attemptRow struct {
	DeliveryID    int64
	Attempt       int
	ID            string
	WorkspaceID   string
	DestinationID string
	MessageID     *string
	Event         *string
	Cause         string
	Class         string
	HTTPStatus    *int
	DurationMs    *int
	StartedAt     time.Time
	NextAttemptAt *time.Time
	URL           *string
	ResponseBody  *string
}

// TableName is GORM's hook for the table.
func (attemptRow) TableName() string { return "attempts" }

// destinationRow is a row of destinations.
type destinationRow struct {
	ID           string
	WorkspaceID  string
	Kind         string
	Slot         *int16
	LockedBy     *string
	LockedUntil  *time.Time
	CancelID     *int64
	CancelClass  *string
	CancelAt     *time.Time
	PacedUntil   *time.Time
	ClaimedUntil *time.Time
	Throttled    bool
}

// TableName is GORM's hook for the table.
func (destinationRow) TableName() string { return "destinations" }

// endpointRow is a row of endpoints.
type endpointRow struct {
	ID            string
	WorkspaceID   string
	UID           *string
	Simple        bool
	URL           string
	TokenSealed   []byte
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
	Configured  bool
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
