package delivery

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

// NewEndpoint is what an endpoint is made from; nil and empty are unset.
type NewEndpoint struct {
	URL                   string
	Description           *string
	FilterTypes, Channels []string
	Disabled              bool
	RateLimit             *int
	UID                   *string
	Metadata              map[string]string
}

// Endpoint is an endpoint as callers see it.
type Endpoint struct {
	ID string
	NewEndpoint
	CreatedAt, UpdatedAt time.Time

	// simple: it is the simple receiver.
	simple bool
}

func (row endpointRow) view() (Endpoint, error) {
	e := Endpoint{
		ID: row.ID, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt, simple: row.Simple,
		NewEndpoint: NewEndpoint{
			URL: row.URL, Description: row.Description, FilterTypes: row.FilterTypes, Channels: row.Channels,
			Disabled: row.Disabled, RateLimit: row.RateLimit, UID: row.UID,
		},
	}
	if row.Metadata == nil {
		return e, nil
	}
	return e, json.Unmarshal(row.Metadata, &e.Metadata)
}

// Locks on an endpoint's row: to change or delete it, or to keep it from deletion.
var (
	lockToChange = clause.Locking{Strength: clause.LockingStrengthUpdate}
	lockToKeep   = clause.Locking{Strength: "KEY SHARE"}
)

// findEndpoint returns an endpoint that is not deleted by its id or its uid; an id
// takes precedence over an equal uid.
func findEndpoint(ctx context.Context, tx *pg.Tx, workspaceID, ref string, lock ...clause.Expression) (Endpoint, error) {
	byID := clause.OrderBy{Expression: gorm.Expr("(id = ?) DESC", ref)}
	row, err := gorm.G[endpointRow](tx.Gorm(), lock...).Scopes(pg.Tenant(workspaceID)).
		Where("deleted_at IS NULL AND (id = ? OR uid = ?)", ref, ref).Order(byID).Take(ctx)
	if pg.IsNoRow(err) {
		return Endpoint{}, fault.NotFound("endpoint")
	}
	if err != nil {
		return Endpoint{}, err
	}
	return row.view()
}

// findEnabled is findEndpoint behind the gate.
func findEnabled(ctx context.Context, tx *pg.Tx, workspaceID, ref string, lock ...clause.Expression) (Endpoint, error) {
	if err := requireEnabled(ctx, tx.Gorm(), workspaceID); err != nil {
		return Endpoint{}, err
	}
	return findEndpoint(ctx, tx, workspaceID, ref, lock...)
}

// findListed is findEnabled without the simple receiver, which has operations of its own.
func findListed(ctx context.Context, tx *pg.Tx, workspaceID, ref string, lock ...clause.Expression) (Endpoint, error) {
	e, err := findEnabled(ctx, tx, workspaceID, ref, lock...)
	if err == nil && e.simple {
		return Endpoint{}, fault.NotFound("endpoint")
	}
	return e, err
}

// findSigned is findEnabled, with the simple receiver also while webhooks are off.
func findSigned(ctx context.Context, tx *pg.Tx, workspaceID, ref string, lock clause.Expression) (Endpoint, error) {
	e, err := findEndpoint(ctx, tx, workspaceID, ref, lock)
	if err == nil && e.simple {
		return e, nil
	}
	if off := requireEnabled(ctx, tx.Gorm(), workspaceID); off != nil {
		return Endpoint{}, off
	}
	return e, err
}

// insertEndpoint goes with the first secret and the audit row in one batch.
const insertEndpoint = `
INSERT INTO endpoints (id, workspace_id, uid, url, description, filter_types, channels, disabled, rate_limit, metadata)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING created_at, updated_at`

// Create makes an endpoint with its first secret. Errors: FAILED_PRECONDITION
// (the gate); ALREADY_EXISTS (uid-taken); RESOURCE_EXHAUSTED (endpoint-quota).
func (w *Endpoints) Create(ctx context.Context, workspaceID string, caller workspace.Caller, n NewEndpoint) (Endpoint, error) {
	e := Endpoint{ID: id.New(id.Endpoint), NewEndpoint: n}
	err := w.db.InTx(ctx, func(tx *pg.Tx) error {
		// The row of the settings is held, so that creates of a workspace count one by one.
		if err := requireEnabled(ctx, tx.Gorm(), workspaceID, clause.Locking{Strength: "NO KEY UPDATE"}); err != nil {
			return err
		}
		if err := w.mayCreate(ctx, tx, workspaceID, n.UID); err != nil {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(insertEndpoint, e.ID, workspaceID, n.UID, n.URL, n.Description,
			n.FilterTypes, n.Channels, n.Disabled, n.RateLimit, metadataOrNil(n.Metadata)).
			QueryRow(func(row pgx.Row) error { return row.Scan(&e.CreatedAt, &e.UpdatedAt) })
		w.queueSecret(b, workspaceID, e.ID)
		caller.Audit(e.ID, "endpoint", "secret").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return e, err
}

// checkEndpoint answers its three questions in one trip: the row of the settings is
// held meanwhile.
const checkEndpoint = `
SELECT EXISTS (SELECT 1 FROM endpoints WHERE workspace_id = $1 AND uid = $2 AND deleted_at IS NULL),
       (SELECT count(*) FROM endpoints WHERE workspace_id = $1 AND deleted_at IS NULL AND NOT simple),
       coalesce((SELECT value FROM limit_overrides WHERE workspace_id = $1 AND name = $3), $4)`

func (w *Endpoints) mayCreate(ctx context.Context, tx *pg.Tx, workspaceID string, uid *string) error {
	var taken bool
	var living, most int
	if err := tx.QueryRow(ctx, checkEndpoint, workspaceID, uid, workspace.LimitEndpoints, w.quota).Scan(&taken, &living, &most); err != nil {
		return err
	}
	if taken {
		return fault.AlreadyExists("uid-taken", "an endpoint of this workspace has the uid")
	}
	if most > 0 && living >= most {
		return fault.ResourceExhausted("endpoint-quota", "the workspace has as many endpoints as it may", 0)
	}
	return nil
}

func metadataOrNil(metadata map[string]string) *string {
	if metadata == nil {
		return nil
	}
	text, _ := json.Marshal(metadata) // texts are always written
	written := string(text)
	return &written
}
