package execution

import (
	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/agent"
)

// pinAgent reads what a run of one agent begins with: its name, and whether it is registered and may be called.
var pinAgent = `
SELECT a.name, coalesce(a.disabled, false), ` + webhooksConfigured + `, ` + mailsEnabled + `, clock_timestamp()
FROM (SELECT 1) one LEFT JOIN agents a ON a.workspace_id = $1 AND a.agent_id = $2`

func (p *pinnedVersion) scanAgent(row pgx.Row) error {
	var name *string
	err := row.Scan(&name, &p.agentDisabled, &p.webhooksConfigured, &p.mailsEnabled, &p.now)
	if p.found = name != nil; p.found {
		p.name = *name
	}
	return err
}

// checkAgent refuses an agent that cannot run, and pins the version that stands for its run.
func (p *pinnedVersion) checkAgent(agentID string) error {
	p.ref, p.version = definition.RunVersion(agentID), 1
	switch builtIn := agent.BuiltIn[agentID]; {
	case p.found && p.agentDisabled:
		return fault.FailedPrecondition("agent-disabled", "the agent is disabled")
	case p.found:
	case agentID == definition.MockAgent:
		p.name = builtIn
	case builtIn != "":
		return fault.FailedPrecondition("agent-not-registered", "the agent is a built-in name; what runs has to be registered under it")
	default:
		return fault.NotFoundResource("agent", agentID)
	}
	return nil
}
