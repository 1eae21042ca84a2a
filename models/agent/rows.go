package agent

import (
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Rows are the rows of this package's tables, one of each.
func Rows() []any { return []any{agentRow{}, versionRow{}, secretRow{}, groupRow{}} }

// agentRow is a row of agents.
type agentRow struct {
	WorkspaceID string
	AgentID     string
	Name        string
	Description *string
	URL         string
	Disabled    bool
	Version     int       `gorm:"default:1"`
	CreatedAt   time.Time `gorm:"default:clock_timestamp()"`
	UpdatedAt   time.Time `gorm:"default:clock_timestamp();autoUpdateTime:false"`
}

// TableName is GORM's hook for the table.
func (agentRow) TableName() string { return "agents" }

func (row agentRow) view() View {
	return View{
		ID: row.AgentID, Name: row.Name, Description: row.Description, URL: row.URL, Disabled: row.Disabled,
		CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}

// versionRow is a version of an agent's behaviour.
type versionRow struct {
	WorkspaceID string
	AgentID     string
	Version     int
	Behaviour   []byte    `gorm:"not null"`
	CreatedAt   time.Time `gorm:"default:clock_timestamp()"`
}

// TableName is GORM's hook for the table.
func (versionRow) TableName() string { return "agent_versions" }

// secretRow is a secret of an agent.
type secretRow struct {
	ID           string
	WorkspaceID  string
	AgentID      string
	SecretSealed []byte    `gorm:"not null"`
	CreatedAt    time.Time `gorm:"default:clock_timestamp()"`
	ExpiresAt    *time.Time
}

// TableName is GORM's hook for the table.
func (secretRow) TableName() string { return "agent_secrets" }

// groupRow is a row of agent_groups.
type groupRow struct {
	ID          string
	WorkspaceID string
	Name        string
	Description *string
	AgentIDs    pg.Texts `gorm:"not null"`
	Metadata    []byte
	CreatedAt   time.Time `gorm:"default:clock_timestamp()"`
	UpdatedAt   time.Time `gorm:"default:clock_timestamp();autoUpdateTime:false"`
}

// TableName is GORM's hook for the table.
func (groupRow) TableName() string { return "agent_groups" }

func (row groupRow) view() Group {
	return Group{
		ID: row.ID, Name: row.Name, Description: row.Description, AgentIDs: row.AgentIDs, Metadata: row.Metadata,
		CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}
}
