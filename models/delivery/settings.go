package delivery

import (
	"context"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

// Endpoints stores the endpoints of workspaces, their secrets, the messages that
// test them, and what a workspace set for all of them.
type Endpoints struct {
	db    *pg.DB
	box   *secret.Box
	quota int
}

// NewEndpoints makes the store; quota is how many endpoints a workspace has at
// most, 0 is no limit.
func NewEndpoints(db *pg.DB, box *secret.Box, quota int) *Endpoints {
	return &Endpoints{db: db, box: box, quota: quota}
}

// Settings is what a workspace set for all its endpoints.
type Settings struct {
	Enabled, Encrypted, Encoded, Protected bool
	// PublicKey is base64 of DER, empty without one.
	PublicKey string

	// configured says that webhooks were switched on once, whatever the simple receiver is.
	configured bool
}

// SettingsChange is what an update sends; nil leaves a setting.
type SettingsChange struct {
	Enabled, Encrypted, Encoded, Protected *bool
	// PublicKey was read by envelope.ParseKey; empty clears.
	PublicKey *string
}

// Empty reports whether nothing was sent.
func (c SettingsChange) Empty() bool { return len(c.fields()) == 0 }

func (c SettingsChange) applied(s Settings) Settings {
	pg.SetIfSent(&s.Enabled, c.Enabled)
	pg.SetIfSent(&s.Encrypted, c.Encrypted)
	pg.SetIfSent(&s.Encoded, c.Encoded)
	pg.SetIfSent(&s.Protected, c.Protected)
	pg.SetIfSent(&s.PublicKey, c.PublicKey)
	return s
}

func (c SettingsChange) fields() []string {
	return workspace.SentNames(
		workspace.Sent("isEnabled", c.Enabled != nil), workspace.Sent("encryptData", c.Encrypted != nil), workspace.Sent("encodeData", c.Encoded != nil),
		workspace.Sent("publicKey", c.PublicKey != nil), workspace.Sent("enableDataProtection", c.Protected != nil),
	)
}

// Config returns the settings; all are off where none was ever set.
func (w *Endpoints) Config(ctx context.Context, workspaceID string) (Settings, error) {
	state, err := takeSettings(ctx, w.db.Gorm, workspaceID)
	return state, pg.Translate(err)
}

func takeSettings(ctx context.Context, orm *gorm.DB, workspaceID string, lock ...clause.Expression) (Settings, error) {
	row, err := gorm.G[settingsRow](orm, lock...).Scopes(pg.Tenant(workspaceID)).Take(ctx)
	if pg.IsNoRow(err) {
		return Settings{}, nil
	}
	return Settings{
		Enabled: row.Enabled, Encrypted: row.Encrypted, Encoded: row.Encoded, Protected: row.Protected, PublicKey: row.PublicKey,
		configured: row.Configured,
	}, err
}

// updateSettings goes in one trip with what follows from the change.
const updateSettings = `
UPDATE webhook_settings SET configured = true, enabled = $2, encrypted = $3, encoded = $4, protected = $5, public_key = $6 WHERE workspace_id = $1`

// Configure changes what is sent and gives the new state. Switching off ends
// what waits for the endpoints. Errors: FAILED_PRECONDITION
// (first-update-must-enable); INVALID_ARGUMENT for encryption without a key.
func (w *Endpoints) Configure(ctx context.Context, workspaceID string, caller workspace.Caller, c SettingsChange) (Settings, error) {
	var after Settings
	var closed []string
	err := w.db.InTx(ctx, func(tx *pg.Tx) error {
		before, err := lockSettings(ctx, tx, workspaceID, c)
		if err != nil {
			return err
		}
		after = c.applied(before)
		if after.Encrypted && after.PublicKey == "" {
			return fault.InvalidArgument(fault.Issue{Code: "conflict", Path: []string{"encryptData"}, Message: "needs a publicKey"})
		}
		b := &pgx.Batch{}
		b.Queue(updateSettings, workspaceID, after.Enabled, after.Encrypted, after.Encoded, after.Protected, after.PublicKey)
		if before.Enabled && !after.Enabled {
			if closed, err = currentEndpoints(ctx, tx, workspaceID); err != nil {
				return err
			}
			CancelPending(tx, b, workspaceID, closed, webhook.WebhooksDisabled)
		}
		caller.Audit(workspaceID, c.fields()...).Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return Settings{}, err
	}
	return after, AwaitStarts(ctx, w.db, closed)
}

// lockSettings returns the settings and locks them; the first update makes
// the row, and must switch webhooks on.
func lockSettings(ctx context.Context, tx *pg.Tx, workspaceID string, c SettingsChange) (Settings, error) {
	hold := clause.Locking{Strength: clause.LockingStrengthUpdate}
	state, err := takeSettings(ctx, tx.Gorm(), workspaceID, hold)
	if err != nil || state.configured {
		return state, err
	}
	if c.Enabled == nil || !*c.Enabled {
		return state, fault.FailedPrecondition("first-update-must-enable", "webhooks were never switched on; the first update must carry isEnabled: true")
	}
	first := settingsRow{WorkspaceID: workspaceID, Configured: true, Enabled: true}
	if err := gorm.G[settingsRow](tx.Gorm(), clause.OnConflict{DoNothing: true}).Create(ctx, &first); err != nil {
		return state, err
	}
	return takeSettings(ctx, tx.Gorm(), workspaceID, hold)
}

func currentEndpoints(ctx context.Context, tx *pg.Tx, workspaceID string) (ids []string, err error) {
	err = gorm.G[endpointRow](tx.Gorm()).Select("id").Scopes(pg.Tenant(workspaceID)).Where("deleted_at IS NULL AND NOT simple").Scan(ctx, &ids)
	return ids, err
}

// requireEnabled refuses operations on endpoints while webhooks are off.
func requireEnabled(ctx context.Context, orm *gorm.DB, workspaceID string, lock ...clause.Expression) error {
	state, err := takeSettings(ctx, orm, workspaceID, lock...)
	switch {
	case err != nil:
		return err
	case !state.configured:
		return fault.FailedPrecondition("webhooks-not-configured", "webhooks were never switched on for this workspace; use advancedwebhookconfig/update")
	case !state.Enabled:
		return fault.FailedPrecondition("webhooks-disabled", "webhooks are switched off for this workspace; use advancedwebhookconfig/update")
	default:
		return nil
	}
}
