package agent

import "time"

// Rows are the rows of this package's tables, one of each.
func Rows() []any { return []any{agentRow{}, secretRow{}} }

// agentRow is a row of agents.
type agentRow struct {
	WorkspaceID string
	AgentID     string
	Name        string
	Description *string
	URL         string
	Disabled    bool
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
