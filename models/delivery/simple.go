package delivery

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/workspace"
)

// SimpleReceiver is the one receiver of a workspace that is told of its comments in a form of its own. It is an
// endpoint with its own switch, whatever the others are.
type SimpleReceiver struct {
	// EndpointID is empty where nothing was ever set.
	EndpointID string
	Enabled    bool
	URL        string
	HasToken   bool
	// Off are the events of which it is not told.
	Off []string
}

// SimpleChange is what an update sends; nil leaves a setting, an empty text clears it.
type SimpleChange struct {
	Enabled    *bool
	URL, Token *string
	Triggers   map[string]bool
}

// fields are the names of what changes, for the audit row.
func (c SimpleChange) fields() []string {
	return workspace.SentNames(
		workspace.Sent("useWebhookService", c.Enabled != nil),
		workspace.Sent("webhookServiceConfig.rawNotificationUrl", c.URL != nil),
		workspace.Sent("webhookServiceConfig.authToken", c.Token != nil),
		workspace.Sent("webhookServiceConfig.triggers", len(c.Triggers) > 0),
	)
}

// simpleOff are the events of which a simple receiver is told only when it is asked for.
var simpleOff = []string{envelope.SuggestionAccept, envelope.SuggestionReject}

// without are the events of a simple receiver but for some.
func without(some []string) []string {
	return slices.DeleteFunc(envelope.SimpleEvents(), func(event string) bool { return slices.Contains(some, event) })
}

func (row endpointRow) simple() SimpleReceiver {
	return SimpleReceiver{row.ID, !row.Disabled, row.URL, row.TokenSealed != nil, without(row.FilterTypes)}
}

// Simple returns the simple receiver, as it is where nothing was ever set if there is none.
func (w *Endpoints) Simple(ctx context.Context, workspaceID string) (SimpleReceiver, error) {
	row, err := gorm.G[endpointRow](w.db.Gorm).Scopes(pg.Tenant(workspaceID)).Where("simple").Take(ctx)
	if pg.IsNoRow(err) {
		return SimpleReceiver{Off: simpleOff}, nil
	}
	return row.simple(), pg.Translate(err)
}

// updateSimple ends the failure streak where $7 says so.
const updateSimple = `
UPDATE endpoints SET url = $3, disabled = $4, filter_types = $5, token_sealed = $6,
       failing_since = CASE WHEN $7 THEN NULL ELSE failing_since END, failures = CASE WHEN $7 THEN 0 ELSE failures END,
       last_attempt_at = CASE WHEN $7 THEN NULL ELSE last_attempt_at END, updated_at = clock_timestamp()
WHERE workspace_id = $1 AND id = $2`

// simpleOn has messages stored from now on, whether or not webhooks are switched on.
const simpleOn = `INSERT INTO webhook_settings (workspace_id, configured, enabled) VALUES ($1, false, false) ON CONFLICT DO NOTHING`

// ConfigureSimple changes what is sent of the simple receiver and returns the new state. Changes of a workspace
// follow one another. Switching off ends what waits for it, and no attempt starts after it returns. Another origin
// drops the token, so that it cannot be sent there. Errors: FAILED_PRECONDITION (no-webhook-url) where it would be
// on without an address.
func (w *Endpoints) ConfigureSimple(ctx context.Context, workspaceID string, caller workspace.Caller, c SimpleChange) (after SimpleReceiver, err error) {
	var ended []string
	err = w.db.InTx(ctx, func(tx *pg.Tx) error {
		ended = nil
		b := &pgx.Batch{}
		row, err := w.lockSimple(ctx, tx, b, workspaceID)
		if err != nil {
			return err
		}
		was := row
		w.applySimple(&row, c)
		if !row.Disabled && row.URL == "" {
			return fault.FailedPrecondition("no-webhook-url", "the receiver needs a rawNotificationUrl to be on")
		}
		after = row.simple()
		if !row.Disabled {
			b.Queue(simpleOn, workspaceID)
			tx.Notify(notifier.Destinations, row.ID)
		}
		b.Queue(updateSimple, workspaceID, row.ID, row.URL, row.Disabled, []string(row.FilterTypes), row.TokenSealed, c.Enabled != nil && *c.Enabled)
		if row.Disabled && !was.Disabled {
			ended = []string{row.ID}
			CancelPending(tx, b, workspaceID, ended, webhook.EndpointDisabled)
		}
		caller.Audit(row.ID, c.fields()...).Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return SimpleReceiver{}, err
	}
	return after, AwaitStarts(ctx, w.db, ended)
}

// lockSimple returns the row of the simple receiver, locked; the first change makes it, and gives it a secret in the batch.
func (w *Endpoints) lockSimple(ctx context.Context, tx *pg.Tx, b *pgx.Batch, workspaceID string) (endpointRow, error) {
	first := endpointRow{ID: id.New(id.Endpoint), WorkspaceID: workspaceID, Simple: true, Disabled: true, FilterTypes: without(simpleOff)}
	if err := gorm.G[endpointRow](tx.Gorm(), clause.OnConflict{DoNothing: true}).Create(ctx, &first); err != nil {
		return endpointRow{}, err
	}
	row, err := gorm.G[endpointRow](tx.Gorm(), lockToChange).Scopes(pg.Tenant(workspaceID)).Where("simple").Take(ctx)
	if err == nil && row.ID == first.ID {
		w.queueSecret(b, workspaceID, row.ID)
	}
	return row, err
}

func (w *Endpoints) applySimple(row *endpointRow, c SimpleChange) {
	if c.Enabled != nil {
		row.Disabled = !*c.Enabled
	}
	if c.URL != nil && row.URL != "" && guard.Origin(*c.URL, guard.Endpoint) != guard.Origin(row.URL, guard.Endpoint) {
		row.TokenSealed = nil
	}
	pg.SetIfSent(&row.URL, c.URL)
	switch {
	case c.Token == nil:
	case *c.Token == "":
		row.TokenSealed = nil
	default:
		row.TokenSealed = w.box.Seal(endpointTokenBinding(row.WorkspaceID, row.ID), []byte(*c.Token))
	}
	row.FilterTypes = without(pg.SwitchedOff(without(row.FilterTypes), c.Triggers))
}
