package workspace

import (
	"context"
	"time"

	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Plans of a workspace.
const (
	PlanFree = "free"
	PlanPaid = "paid"
)

// Workspace is a tenant as its owner sees it, its token in the clear.
type Workspace struct {
	ID        string
	Name      string
	Owner     Owner
	AuthToken string
	// Keys are all API keys, oldest first.
	Keys      []APIKey
	Plan      string
	CreatedAt time.Time
}

// Workspaces creates and reads tenants.
type Workspaces struct {
	db  *pg.DB
	box *secret.Box
}

// NewWorkspaces makes the store.
func NewWorkspaces(db *pg.DB, box *secret.Box) *Workspaces { return &Workspaces{db: db, box: box} }

// Get returns the caller's workspace. It shows the token, so it leaves an audit row.
func (s *Workspaces) Get(ctx context.Context, workspaceID string, caller Caller) (*Workspace, error) {
	var found *Workspace
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		row, err := takeWorkspace(ctx, tx, workspaceID)
		if err != nil {
			return err
		}
		if found, err = s.view(ctx, tx, row); err != nil {
			return err
		}
		return caller.Audit(workspaceID).write(ctx, tx)
	})
	return found, err
}

// view opens the token and adds the keys.
func (s *Workspaces) view(ctx context.Context, tx *pg.Tx, row workspaceRow) (*Workspace, error) {
	token, err := row.openToken(s.box)
	if err != nil {
		return nil, err
	}
	keys, err := gorm.G[apiKeyRow](tx.Gorm()).Scopes(pg.Tenant(row.ID)).Order("created_at, id").Find(ctx)
	if err != nil {
		return nil, err
	}
	view := &Workspace{
		ID: row.ID, Name: row.Name, AuthToken: token, Plan: row.Plan, CreatedAt: row.CreatedAt,
		Owner: Owner{ID: row.OwnerID, Email: row.OwnerEmail, Name: row.OwnerName, Avatar: row.OwnerAvatar},
	}
	for _, key := range keys {
		view.Keys = append(view.Keys, key.view())
	}
	return view, nil
}

// takeWorkspace reads a tenant's own row, whose id is the tenant.
func takeWorkspace(ctx context.Context, tx *pg.Tx, workspaceID string) (workspaceRow, error) {
	row, err := gorm.G[workspaceRow](tx.Gorm()).Where("id = ?", workspaceID).Take(ctx)
	if pg.IsNoRow(err) {
		return row, fault.NotFound("workspace")
	}
	return row, err
}

// withNewToken returns the row with another token, and the token in the clear.
func (row workspaceRow) withNewToken(box *secret.Box) (workspaceRow, string) {
	token := id.Token(workspaceTokenPrefix)
	row.TokenMac = tokenMAC(box, workspaceTokenUse, row.ID, token)
	row.HashKeyID = box.HashKeyID()
	row.TokenSealed = box.Seal(workspaceTokenBinding(row.ID), []byte(token))
	return row, token
}
