package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

// MaxAgents is how many agents a workspace has at most.
const MaxAgents = 1000

// Agents stores the agents of workspaces.
type Agents struct {
	db  *pg.DB
	box *secret.Box
}

// New makes the store; box seals and opens the secrets.
func New(db *pg.DB, box *secret.Box) *Agents { return &Agents{db: db, box: box} }

// NewAgent is what an agent is made from. ID is the caller's own.
type NewAgent struct {
	ID, Name, URL, Secret string
	Description           *string
	Disabled              bool
	// Behaviour is that of version 1.
	Behaviour Behaviour
}

// View is an agent as callers see it: without its secret.
type View struct {
	ID, Name             string
	Description          *string
	URL                  string
	Disabled             bool
	CreatedAt, UpdatedAt time.Time
}

const insertAgent = `
INSERT INTO agents (workspace_id, agent_id, name, description, url, disabled) VALUES ($1, $2, $3, $4, $5, $6)
RETURNING created_at, updated_at`

// Create registers an agent. Errors: INVALID_ARGUMENT where the behaviour is too large; ALREADY_EXISTS (agent-exists);
// RESOURCE_EXHAUSTED (agent-quota) beyond MaxAgents.
func (s *Agents) Create(ctx context.Context, workspaceID string, caller workspace.Caller, n NewAgent) (View, error) {
	v := View{ID: n.ID, Name: n.Name, Description: n.Description, URL: n.URL, Disabled: n.Disabled}
	if err := n.Behaviour.check(); err != nil {
		return v, err
	}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := admit(ctx, tx, workspaceID, n.ID); err != nil {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(insertAgent, workspaceID, n.ID, n.Name, n.Description, n.URL, n.Disabled).
			QueryRow(func(row pgx.Row) error { return row.Scan(&v.CreatedAt, &v.UpdatedAt) })
		queueVersion(b, workspaceID, n.ID, 1, n.Behaviour)
		s.queueSecret(b, workspaceID, n.ID, n.Secret)
		caller.Audit(n.ID, "agent", "secret").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return v, err
}

// admit lets one create of a workspace at a time pass, so that two cannot share an
// id nor the last room in the quota. The advisory lock has no row, and is taken by
// hand.
func admit(ctx context.Context, tx *pg.Tx, workspaceID, agentID string) error {
	if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('agents/' || $1, 0))`, workspaceID); err != nil {
		return err
	}
	var taken bool
	var registered int
	err := tx.QueryRow(ctx, `SELECT coalesce(bool_or(agent_id = $2), false), count(*) FROM agents WHERE workspace_id = $1`, workspaceID, agentID).
		Scan(&taken, &registered)
	switch {
	case err != nil:
		return err
	case taken:
		return fault.AlreadyExists("agent-exists", fmt.Sprintf("an agent has the id %q", agentID))
	case registered >= MaxAgents:
		return fault.ResourceExhausted("agent-quota", fmt.Sprintf("the workspace has %d agents, which is the limit", MaxAgents), 0)
	}
	return nil
}

// Get reads an agent. Errors: NOT_FOUND.
func (s *Agents) Get(ctx context.Context, workspaceID, agentID string) (View, error) {
	row, err := find(ctx, s.db.Gorm, workspaceID, agentID)
	return row.view(), pg.Translate(err)
}

func find(ctx context.Context, orm *gorm.DB, workspaceID, agentID string, lock ...clause.Expression) (agentRow, error) {
	row, err := gorm.G[agentRow](orm, lock...).Scopes(pg.Tenant(workspaceID)).Where("agent_id = ?", agentID).Take(ctx)
	if pg.IsNoRow(err) {
		return row, fault.NotFound("agent")
	}
	return row, err
}

// Position is where a page of agents ended: at the creation and the id of its last
// one.
type Position = list.Position

// Page is a page of agents, newest first.
type Page = list.Page[View, Position]

var newest = list.Descending("created_at", "agent_id")

// List reads a page of agents, newest first; disabled narrows it unless it is nil.
func (s *Agents) List(ctx context.Context, workspaceID string, disabled *bool, after *Position, size int) (*Page, error) {
	q := pg.NewConditions(workspaceID)
	if disabled != nil {
		q.And("disabled = %s", *disabled)
	}
	if after != nil {
		newest.After(q, after.Values()...)
	}
	rows, err := s.db.Pool.Query(ctx, newest.First(q,
		`SELECT `+agentColumns+` FROM agents WHERE workspace_id = $1`, size), q.Args...)
	if err != nil {
		return nil, pg.Translate(err)
	}
	var found list.Found[View, Position]
	if err := found.Collect(scan)(rows); err != nil {
		return nil, pg.Translate(err)
	}
	found.Cut(size)
	return found.Page(), nil
}

const agentColumns = `agent_id, name, description, url, disabled, created_at, updated_at`

func scan(row pgx.CollectableRow) (View, Position, error) {
	var v View
	err := row.Scan(&v.ID, &v.Name, &v.Description, &v.URL, &v.Disabled, &v.CreatedAt, &v.UpdatedAt)
	return v, list.PositionOf(v.CreatedAt, v.ID), err
}
