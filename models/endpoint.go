package models

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/secret"
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

// EndpointView is an endpoint as callers see it.
type EndpointView struct {
	ID string
	NewEndpoint
	CreatedAt, UpdatedAt time.Time
}

// endpointColumns are those of EndpointView.
const endpointColumns = `id, url, description, filter_types, channels, disabled, rate_limit, uid, metadata, created_at, updated_at`

func scanEndpoint(row pgx.CollectableRow) (EndpointView, error) {
	var e EndpointView
	err := row.Scan(&e.ID, &e.URL, &e.Description, &e.FilterTypes, &e.Channels, &e.Disabled, &e.RateLimit, &e.UID, &e.Metadata,
		&e.CreatedAt, &e.UpdatedAt)
	return e, err
}

// findEndpoint gives a living endpoint by its id or its uid, held as lock says;
// an id goes before a uid that reads the same.
func findEndpoint(ctx context.Context, tx queryer, workspaceID, ref, lock string) (EndpointView, error) {
	rows, err := tx.Query(ctx, `SELECT `+endpointColumns+` FROM endpoints WHERE workspace_id = $1 AND deleted_at IS NULL AND (id = $2 OR uid = $2)
ORDER BY (id = $2) DESC LIMIT 1`+lock, workspaceID, ref)
	if err != nil {
		return EndpointView{}, err
	}
	e, err := pgx.CollectExactlyOneRow(rows, scanEndpoint)
	if isNoRow(err) {
		err = fault.Missing("endpoint")
	}
	return e, err
}

// admitted is findEndpoint behind the gate.
func admitted(ctx context.Context, tx pgx.Tx, workspaceID, ref, lock string) (EndpointView, error) {
	if err := gate(ctx, tx, workspaceID, ""); err != nil {
		return EndpointView{}, err
	}
	return findEndpoint(ctx, tx, workspaceID, ref, lock)
}

// Create makes an endpoint with its first secret. Errors: FAILED_PRECONDITION
// (the gate); ALREADY_EXISTS (uid-taken); RESOURCE_EXHAUSTED (endpoint-quota).
func (w *Webhooks) Create(ctx context.Context, workspaceID string, caller Caller, n NewEndpoint) (EndpointView, error) {
	e := EndpointView{ID: id.New(id.Endpoint), NewEndpoint: n}
	err := w.db.pgTx(ctx, func(tx pgx.Tx) error {
		// The row of the settings is held, so that creates of a workspace count one by one.
		if err := gate(ctx, tx, workspaceID, " FOR NO KEY UPDATE"); err != nil {
			return err
		}
		if err := w.mayCreate(ctx, tx, workspaceID, n.UID); err != nil {
			return err
		}
		b := &pgx.Batch{}
		b.Queue(`INSERT INTO endpoints (id, workspace_id, uid, url, description, filter_types, channels, disabled, rate_limit, metadata)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING created_at, updated_at`, e.ID, workspaceID, n.UID, n.URL, n.Description,
			n.FilterTypes, n.Channels, n.Disabled, n.RateLimit, metadataOrNil(n.Metadata)).
			QueryRow(func(row pgx.Row) error { return row.Scan(&e.CreatedAt, &e.UpdatedAt) })
		w.queueSecret(b, workspaceID, e.ID)
		caller.audit(e.ID, "endpoint", "secret").queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return e, err
}

const judgeEndpoint = `
SELECT EXISTS (SELECT 1 FROM endpoints WHERE workspace_id = $1 AND uid = $2 AND deleted_at IS NULL),
       (SELECT count(*) FROM endpoints WHERE workspace_id = $1 AND deleted_at IS NULL),
       coalesce((SELECT value FROM limit_overrides WHERE workspace_id = $1 AND name = $3), $4)`

func (w *Webhooks) mayCreate(ctx context.Context, tx pgx.Tx, workspaceID string, uid *string) error {
	var taken bool
	var living, most int
	if err := tx.QueryRow(ctx, judgeEndpoint, workspaceID, uid, LimitEndpoints, w.quota).Scan(&taken, &living, &most); err != nil {
		return err
	}
	if taken {
		return fault.Exists("uid-taken", "an endpoint of this workspace has the uid")
	}
	if most > 0 && living >= most {
		return fault.Exhausted("endpoint-quota", "the workspace has as many endpoints as it may", 0)
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

// Of an endpoint's secret: what it begins with, and the length of its key.
const (
	endpointSecretPrefix = "whsec_"
	endpointKeySize      = 32
	// secretID begins the ids of secrets; they are never shown.
	secretID = "sec"
)

func endpointSecretPlace(workspaceID, secretRow string) secret.Binding {
	return secret.Binding{Table: "endpoint_secrets", Column: "secret_sealed", Row: secretRow, Workspace: workspaceID}
}

// queueSecret gives an endpoint a fresh secret.
func (w *Webhooks) queueSecret(b *pgx.Batch, workspaceID, endpointID string) {
	row := id.New(secretID)
	plain := endpointSecretPrefix + base64.StdEncoding.EncodeToString(id.Random(endpointKeySize))
	b.Queue(`INSERT INTO endpoint_secrets (id, endpoint_id, workspace_id, secret_sealed) VALUES ($1, $2, $3, $4)`,
		row, endpointID, workspaceID, w.box.Seal(endpointSecretPlace(workspaceID, row), []byte(plain)))
}

// Secret gives the id and the newest secret of an endpoint, and keeps that it
// was read. Errors: the gate; NOT_FOUND.
func (w *Webhooks) Secret(ctx context.Context, workspaceID string, caller Caller, ref string) (endpointID, plain string, err error) {
	err = w.db.pgTx(ctx, func(tx pgx.Tx) error {
		e, err := admitted(ctx, tx, workspaceID, ref, " FOR KEY SHARE")
		if err != nil {
			return err
		}
		var row string
		var sealed []byte
		if err := tx.QueryRow(ctx, `SELECT id, secret_sealed FROM endpoint_secrets WHERE endpoint_id = $1
ORDER BY created_at DESC, id DESC LIMIT 1`, e.ID).Scan(&row, &sealed); err != nil {
			return err
		}
		opened, err := w.box.Open(endpointSecretPlace(workspaceID, row), sealed)
		if err != nil {
			return fault.Unexpected(err)
		}
		endpointID, plain = e.ID, string(opened)
		b := &pgx.Batch{}
		caller.audit(e.ID).queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return endpointID, plain, err
}
