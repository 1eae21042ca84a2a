package workspace

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Confirmation is how far the owner of a workspace has confirmed the address that it was
// made with.
type Confirmation struct {
	// OwnerEmail is the address as it was sent.
	OwnerEmail string
	// ConfirmedAt is nil until it is confirmed, SentAt until a mail asked for that.
	ConfirmedAt, SentAt *time.Time
	CreatedAt           time.Time
	// Closed says that the interface is closed for the workspace.
	Closed bool
}

// ReadConfirmation returns how far the owner of a workspace has confirmed. Error: NOT_FOUND.
func ReadConfirmation(ctx context.Context, q pg.RowQueryer, workspaceID string) (*Confirmation, error) {
	var c Confirmation
	err := q.QueryRow(ctx, `SELECT owner_email, confirmed_at, confirmation_sent_at, created_at, suspended_at IS NOT NULL OR deleted_at IS NOT NULL
		FROM workspaces WHERE id = $1`, workspaceID).Scan(&c.OwnerEmail, &c.ConfirmedAt, &c.SentAt, &c.CreatedAt, &c.Closed)
	if pg.IsNoRow(err) {
		return nil, fault.NotFound("workspace")
	}
	return &c, pg.Translate(err)
}

// QueueConfirmationSent notes with a batch that a mail was queued that asks the owner.
func QueueConfirmationSent(b *pgx.Batch, workspaceID string) {
	b.Queue(`UPDATE workspaces SET confirmation_sent_at = clock_timestamp() WHERE id = $1`, workspaceID)
}

// Confirm notes that the owner has confirmed the address. It reports whether nobody had
// before.
func Confirm(ctx context.Context, tx *pg.Tx, workspaceID string) (changed bool, err error) {
	tag, err := tx.Exec(ctx, `UPDATE workspaces SET confirmed_at = clock_timestamp() WHERE id = $1 AND confirmed_at IS NULL`, workspaceID)
	return tag.RowsAffected() > 0, err
}
