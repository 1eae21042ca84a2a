package agent

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Names returns the names of those of the agents that are registered, disabled ones
// too, within the transaction of the caller.
func Names(ctx context.Context, tx *pg.Tx, workspaceID string, agentIDs []string) (map[string]string, error) {
	names := map[string]string{}
	if len(agentIDs) == 0 {
		return names, nil
	}
	rows, err := tx.Query(ctx, `SELECT agent_id, name FROM agents WHERE workspace_id = $1 AND agent_id = ANY($2)`, workspaceID, agentIDs)
	if err != nil {
		return nil, err
	}
	var agentID, name string
	_, err = pgx.ForEachRow(rows, []any{&agentID, &name}, func() error {
		names[agentID] = name
		return nil
	})
	return names, err
}

// IDs returns the ids of all agents of a workspace.
func (s *Agents) IDs(ctx context.Context, workspaceID string) ([]string, error) {
	rows, err := s.db.Pool.Query(ctx, `SELECT agent_id FROM agents WHERE workspace_id = $1`, workspaceID)
	if err != nil {
		return nil, pg.Translate(err)
	}
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return ids, pg.Translate(err)
}
