package agent

import (
	"context"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

// Change is what an update sends; nil leaves a field.
type Change struct {
	Name, Description, URL, Secret *string
	Disabled                       *bool
	// ClearsDescription unsets the description.
	ClearsDescription bool
}

func (c Change) applied(row *agentRow) {
	pg.SetIfSent(&row.Name, c.Name)
	pg.SetIfSent(&row.URL, c.URL)
	pg.SetIfSent(&row.Disabled, c.Disabled)
	if c.Description != nil || c.ClearsDescription {
		row.Description = c.Description
	}
}

func (c Change) fields() []string {
	return workspace.SentNames(
		workspace.Sent("name", c.Name != nil), workspace.Sent("description", c.Description != nil || c.ClearsDescription),
		workspace.Sent("url", c.URL != nil), workspace.Sent("secret", c.Secret != nil), workspace.Sent("disabled", c.Disabled != nil),
	)
}

var lockToChange = clause.Locking{Strength: clause.LockingStrengthUpdate}

const updateAgent = `
UPDATE agents SET name = $3, description = $4, url = $5, disabled = $6, updated_at = clock_timestamp()
WHERE workspace_id = $1 AND agent_id = $2 RETURNING updated_at`

// Update changes what is sent and returns the agent. Calls that begin afterwards go by
// it, the next try of a step too. Errors: NOT_FOUND.
func (s *Agents) Update(ctx context.Context, workspaceID string, caller workspace.Caller, agentID string, c Change) (View, error) {
	var row agentRow
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		var err error
		if row, err = find(ctx, tx.Gorm(), workspaceID, agentID, lockToChange); err != nil {
			return err
		}
		c.applied(&row)
		b := &pgx.Batch{}
		b.Queue(updateAgent, workspaceID, agentID, row.Name, row.Description, row.URL, row.Disabled).
			QueryRow(func(r pgx.Row) error { return r.Scan(&row.UpdatedAt) })
		if c.Secret != nil {
			queueExpiry(b, workspaceID, agentID)
			s.queueSecret(b, workspaceID, agentID, *c.Secret)
		}
		caller.Audit(agentID, c.fields()...).Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return row.view(), err
}

// leaveGroups takes an agent out of its groups, unless a built-in one of its id takes its place. The
// groups are locked in the order of their ids.
const leaveGroups = `
UPDATE agent_groups SET agent_ids = array_remove(agent_ids, $2), updated_at = clock_timestamp()
WHERE id = ANY (ARRAY(SELECT id FROM agent_groups WHERE workspace_id = $1 AND $2 = ANY (agent_ids) AND NOT $3 ORDER BY id FOR UPDATE))`

// Delete removes an agent with its secrets, and takes it out of its groups. Steps that wait for it wait on. Errors:
// NOT_FOUND.
func (s *Agents) Delete(ctx context.Context, workspaceID string, caller workspace.Caller, agentID string) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := find(ctx, tx.Gorm(), workspaceID, agentID, lockToChange); err != nil {
			return err
		}
		b := &pgx.Batch{} // one trip with the audit row
		b.Queue(`DELETE FROM agents WHERE workspace_id = $1 AND agent_id = $2`, workspaceID, agentID)
		b.Queue(leaveGroups, workspaceID, agentID, BuiltIn[agentID] != "")
		caller.Audit(agentID, "agent", "secret").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
}
