package delivery

import (
	"context"
	"encoding/base64"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

// Of an endpoint's secret: what it begins with, and the length of its key.
const (
	endpointSecretPrefix = "whsec_"
	endpointKeySize      = 32
	// secretID begins the ids of secrets; they are never shown.
	secretID = "sec"
	// maxFormer is how many replaced secrets sign at once, so that a header stays
	// small however often a secret is rotated.
	maxFormer = 4
)

// queueSecret gives an endpoint a fresh secret, in the batch that makes or changes
// the endpoint.
func (w *Endpoints) queueSecret(b *pgx.Batch, workspaceID, endpointID string) (plain string) {
	row := id.New(secretID)
	plain = endpointSecretPrefix + base64.StdEncoding.EncodeToString(id.Random(endpointKeySize))
	b.Queue(`INSERT INTO endpoint_secrets (id, endpoint_id, workspace_id, secret_sealed) VALUES ($1, $2, $3, $4)`,
		row, endpointID, workspaceID, w.box.Seal(endpointSecretBinding(workspaceID, row), []byte(plain)))
	return plain
}

// Secret returns the id and the newest secret of an endpoint, and keeps that it
// was read. Errors: the gate, but of the simple receiver; NOT_FOUND.
func (w *Endpoints) Secret(ctx context.Context, workspaceID string, caller workspace.Caller, ref string) (endpointID, plain string, err error) {
	err = w.db.InTx(ctx, func(tx *pg.Tx) error {
		e, err := findSigned(ctx, tx, workspaceID, ref, lockToKeep)
		if err != nil {
			return err
		}
		row, err := gorm.G[secretRow](tx.Gorm()).Scopes(pg.Tenant(workspaceID)).Where("endpoint_id = ?", e.ID).
			Order("created_at DESC, id DESC").Take(ctx)
		if err != nil {
			return err
		}
		opened, err := w.box.Open(endpointSecretBinding(workspaceID, row.ID), row.SecretSealed)
		if err != nil {
			return fault.Internal(err)
		}
		endpointID, plain = e.ID, string(opened)
		b := &pgx.Batch{}
		caller.Audit(e.ID).Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return endpointID, plain, err
}

// Rotated is what a rotation did. FormerUntil is when the secrets of before end, nil
// where they have.
type Rotated struct {
	EndpointID, Secret string
	FormerUntil        *time.Time
}

// Rotate makes a new secret for an endpoint. Those of before sign beside it for the grace
// period at most. Errors: the gate, but of the simple receiver; NOT_FOUND.
func (w *Endpoints) Rotate(ctx context.Context, workspaceID string, caller workspace.Caller, ref string, grace time.Duration) (Rotated, error) {
	var done Rotated
	err := w.db.InTx(ctx, func(tx *pg.Tx) error {
		e, err := findSigned(ctx, tx, workspaceID, ref, lockToChange)
		if err != nil {
			return err
		}
		done.EndpointID = e.ID
		b := &pgx.Batch{}
		queueExpiry(b, e.ID, grace).QueryRow(func(row pgx.Row) error { return row.Scan(&done.FormerUntil) })
		done.Secret = w.queueSecret(b, workspaceID, e.ID)
		caller.Audit(e.ID, "secret").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return done, err
}

// queueExpiry ends the present secrets of an endpoint after the grace period, or when
// they were to end if that is sooner, and removes those that have ended and those that
// are too many, the oldest first. It gives when the last of the others ends.
func queueExpiry(b *pgx.Batch, endpointID string, grace time.Duration) *pgx.QueuedQuery {
	b.Queue(`UPDATE endpoint_secrets SET expires_at = least(expires_at, clock_timestamp() + $2::interval) WHERE endpoint_id = $1`, endpointID, grace)
	b.Queue(`DELETE FROM endpoint_secrets WHERE endpoint_id = $1 AND (expires_at <= clock_timestamp() OR id = ANY(ARRAY(
	SELECT id FROM endpoint_secrets WHERE endpoint_id = $1 ORDER BY created_at DESC, id DESC OFFSET $2)))`, endpointID, maxFormer)
	return b.Queue(`SELECT max(expires_at) FROM endpoint_secrets WHERE endpoint_id = $1`, endpointID)
}
