package models

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/webhook"
)

// Webhooks stores the endpoints of workspaces, their secrets, what they are told
// by hand (tests), and what a workspace set for all of them.
type Webhooks struct {
	db    *DB
	box   *secret.Box
	quota int
}

// NewWebhooks makes the store; quota is how many endpoints a workspace has at
// most, 0 is no limit.
func NewWebhooks(db *DB, box *secret.Box, quota int) *Webhooks {
	return &Webhooks{db: db, box: box, quota: quota}
}

// WebhookState is what a workspace set for all its endpoints.
type WebhookState struct {
	Enabled, Encrypted, Encoded, Protected bool
	// PublicKey is base64 of DER, empty without one.
	PublicKey string

	// configured: webhooks were switched on once.
	configured bool
}

// WebhookChange is what an update sends; nil leaves a setting.
type WebhookChange struct {
	Enabled, Encrypted, Encoded, Protected *bool
	// PublicKey was read by envelope.ParseKey; empty clears.
	PublicKey *string
}

// Empty tells that nothing was sent.
func (c WebhookChange) Empty() bool { return len(c.fields()) == 0 }

func (c WebhookChange) applied(s WebhookState) WebhookState {
	set(&s.Enabled, c.Enabled)
	set(&s.Encrypted, c.Encrypted)
	set(&s.Encoded, c.Encoded)
	set(&s.Protected, c.Protected)
	set(&s.PublicKey, c.PublicKey)
	return s
}

func (c WebhookChange) fields() []string {
	return namesOf(
		sentField("isEnabled", c.Enabled != nil), sentField("encryptData", c.Encrypted != nil), sentField("encodeData", c.Encoded != nil),
		sentField("publicKey", c.PublicKey != nil), sentField("enableDataProtection", c.Protected != nil),
	)
}

// Config gives the settings; all are off where none was ever set.
func (w *Webhooks) Config(ctx context.Context, workspaceID string) (WebhookState, error) {
	state, err := takeWebhookState(ctx, w.db.Pool, workspaceID, "")
	return state, Translate(err)
}

func takeWebhookState(ctx context.Context, tx RowQueryer, workspaceID, lock string) (WebhookState, error) {
	s := WebhookState{configured: true}
	err := tx.QueryRow(ctx, `SELECT enabled, encrypted, encoded, protected, public_key FROM webhook_settings WHERE workspace_id = $1`+lock, workspaceID).
		Scan(&s.Enabled, &s.Encrypted, &s.Encoded, &s.Protected, &s.PublicKey)
	if IsNoRow(err) {
		return WebhookState{}, nil
	}
	return s, err
}

// Configure changes what is sent and gives the new state. Switching off ends
// what waits for the endpoints. Errors: FAILED_PRECONDITION
// (first-update-must-enable); INVALID_ARGUMENT for encryption without a key.
func (w *Webhooks) Configure(ctx context.Context, workspaceID string, caller Caller, c WebhookChange) (WebhookState, error) {
	var after WebhookState
	var cut []string
	err := w.db.InTx(ctx, func(tx *Tx) error {
		before, err := holdWebhookState(ctx, tx, workspaceID, c)
		if err != nil {
			return err
		}
		after = c.applied(before)
		if after.Encrypted && after.PublicKey == "" {
			return fault.Invalid(fault.Issue{Code: "conflict", Path: []string{"encryptData"}, Message: "needs a publicKey"})
		}
		b := &pgx.Batch{}
		b.Queue(`UPDATE webhook_settings SET enabled = $2, encrypted = $3, encoded = $4, protected = $5, public_key = $6 WHERE workspace_id = $1`,
			workspaceID, after.Enabled, after.Encrypted, after.Encoded, after.Protected, after.PublicKey)
		if before.Enabled && !after.Enabled {
			if cut, err = livingEndpoints(ctx, tx, workspaceID); err != nil {
				return err
			}
			cutDestinations(tx, b, workspaceID, cut, webhook.WebhooksDisabled)
		}
		caller.audit(workspaceID, c.fields()...).queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return WebhookState{}, err
	}
	return after, awaitStarts(ctx, w.db, cut)
}

// holdWebhookState gives the settings and holds them; the first update makes
// the row, and must switch webhooks on.
func holdWebhookState(ctx context.Context, tx *Tx, workspaceID string, c WebhookChange) (WebhookState, error) {
	const hold = " FOR UPDATE"
	state, err := takeWebhookState(ctx, tx, workspaceID, hold)
	if err != nil || state.configured {
		return state, err
	}
	if c.Enabled == nil || !*c.Enabled {
		return state, fault.Precondition("first-update-must-enable", "webhooks were never switched on; the first update must carry isEnabled: true")
	}
	if _, err := tx.Exec(ctx, `INSERT INTO webhook_settings (workspace_id, enabled) VALUES ($1, true) ON CONFLICT DO NOTHING`, workspaceID); err != nil {
		return state, err
	}
	return takeWebhookState(ctx, tx, workspaceID, hold)
}

func livingEndpoints(ctx context.Context, tx *Tx, workspaceID string) ([]string, error) {
	rows, err := tx.Query(ctx, `SELECT id FROM endpoints WHERE workspace_id = $1 AND deleted_at IS NULL`, workspaceID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// gate refuses operations on endpoints while webhooks are off.
func gate(ctx context.Context, tx RowQueryer, workspaceID, lock string) error {
	state, err := takeWebhookState(ctx, tx, workspaceID, lock)
	switch {
	case err != nil:
		return err
	case !state.configured:
		return fault.Precondition("webhooks-not-configured", "webhooks were never switched on for this workspace; use advancedwebhookconfig/update")
	case !state.Enabled:
		return fault.Precondition("webhooks-disabled", "webhooks are switched off for this workspace; use advancedwebhookconfig/update")
	default:
		return nil
	}
}
