package annotation

import (
	"context"
	"slices"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/agent"
	"github.com/redline-svc/redline/models/annotation/change"
	"github.com/redline-svc/redline/models/internal/pg"
)

// serviceAgents are the agents of the service among the authors of comments.
func (a *authorship) serviceAgents() []*change.Agent {
	var found []*change.Agent
	for _, c := range a.sent {
		if c.Agent != nil && c.Agent.Source == change.AgentOfService {
			found = append(found, c.Agent)
		}
	}
	return found
}

// checkAgents names the agents of the service, and refuses those that are neither
// registered nor built in. A registered one counts before a built-in one of its id.
func (a *authorship) checkAgents(ctx context.Context, tx *pg.Tx) error {
	agents := a.serviceAgents()
	ids := make([]string, len(agents))
	for i, author := range agents {
		ids[i] = author.ID
	}
	registered, err := agent.Names(ctx, tx, a.change.WorkspaceID, ids)
	if err != nil {
		return err
	}
	var unknown []string
	for _, author := range agents {
		if !author.Find(registered) && !slices.Contains(unknown, author.ID) {
			unknown = append(unknown, author.ID)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	missing := fault.MissingResource("agent", unknown[0])
	missing.Details.AgentIDs = unknown
	return missing
}
