package notification

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
	mails "github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/workspace"
)

// Batch says whether mails about comments leave together: those of a window, Most of them at most.
type Batch struct {
	Enabled             bool
	WindowSeconds, Most int
}

// Settings are what a workspace has set for its notifications.
type Settings struct {
	Enabled bool
	// Off are the reasons by which nobody is notified.
	Off []string
	// Delayed says that mails about comments leave DelaySeconds after what they are about.
	Delayed      bool
	DelaySeconds int
	// Document and User join the mails of a person: about one document, and in one organization. The latter counts
	// where both do.
	Document, User Batch
}

// Names reports whether somebody is notified for a reason.
func (s *Settings) Names(reason string) bool { return !slices.Contains(s.Off, reason) }

// disabled refuses to notify.
func disabled() error {
	return fault.FailedPrecondition("notifications-disabled", "the workspace has switched its notifications off (notificationconfig)")
}

// readSettings reads the row; lock is empty or locks it.
const readSettings = `
SELECT enabled, off, delayed, delay_seconds, document_batched, document_window, document_most, user_batched, user_window, user_most
FROM notification_settings WHERE workspace_id = $1`

// ReadSettings reads the settings, those of a workspace that never set any where there is no row. lock
// is empty or locks the row.
func ReadSettings(ctx context.Context, q pg.RowQueryer, workspaceID, lock string) (*Settings, error) {
	s := &Settings{Enabled: true, DelaySeconds: 300, Document: Batch{false, 300, 10}, User: Batch{false, 300, 10}}
	err := q.QueryRow(ctx, readSettings+lock, workspaceID).Scan(&s.Enabled, &s.Off, &s.Delayed, &s.DelaySeconds,
		&s.Document.Enabled, &s.Document.WindowSeconds, &s.Document.Most, &s.User.Enabled, &s.User.WindowSeconds, &s.User.Most)
	if err != nil && !pg.IsNoRow(err) {
		return nil, pg.Translate(err)
	}
	return s, nil
}

// BatchChange is what an update sends of a Batch; nil leaves a setting.
type BatchChange struct {
	Enabled             *bool
	WindowSeconds, Most *int
}

func (c BatchChange) apply(to *Batch) {
	pg.SetIfSent(&to.Enabled, c.Enabled)
	pg.SetIfSent(&to.WindowSeconds, c.WindowSeconds)
	pg.SetIfSent(&to.Most, c.Most)
}

func (c BatchChange) isSent() bool {
	return c.Enabled != nil || c.WindowSeconds != nil || c.Most != nil
}

// SettingsChange is what an update sends; nil leaves a setting. Triggers are the reasons named, with whether they
// shall be on.
type SettingsChange struct {
	Enabled, Delayed *bool
	DelaySeconds     *int
	Document, User   BatchChange
	Triggers         map[string]bool
}

// IsEmpty reports whether nothing is sent.
func (c SettingsChange) IsEmpty() bool { return len(c.fields()) == 0 }

func (c SettingsChange) apply(s *Settings) {
	pg.SetIfSent(&s.Enabled, c.Enabled)
	pg.SetIfSent(&s.Delayed, c.Delayed)
	pg.SetIfSent(&s.DelaySeconds, c.DelaySeconds)
	c.Document.apply(&s.Document)
	c.User.apply(&s.User)
	s.Off = pg.SwitchedOff(s.Off, c.Triggers)
}

// fields are the names of what changes, for the audit row.
func (c SettingsChange) fields() []string {
	const config = "notificationServiceConfig"
	return workspace.SentNames(
		workspace.Sent("useNotificationService", c.Enabled != nil),
		workspace.Sent(config+".triggers", len(c.Triggers) > 0),
		workspace.Sent(config+".delayConfig.isEnabled", c.Delayed != nil),
		workspace.Sent(config+".delayConfig.delaySeconds", c.DelaySeconds != nil),
		workspace.Sent(config+".batchConfig.document", c.Document.isSent()),
		workspace.Sent(config+".batchConfig.user", c.User.isSent()),
	)
}

// Settings returns what a workspace has set.
func (s *Notifications) Settings(ctx context.Context, workspaceID string) (*Settings, error) {
	return ReadSettings(ctx, s.db.Pool, workspaceID, "")
}

const firstSettings = `INSERT INTO notification_settings (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING`

const writeSettings = `
UPDATE notification_settings SET enabled = $2, off = $3, delayed = $4, delay_seconds = $5, document_batched = $6, document_window = $7, document_most = $8,
       user_batched = $9, user_window = $10, user_most = $11 WHERE workspace_id = $1`

// Configure changes what is sent and returns the new state. Changes of a workspace follow one another. What waits by a delay
// or in a batch that is switched off leaves now.
func (s *Notifications) Configure(ctx context.Context, workspaceID string, caller workspace.Caller, c SettingsChange) (after *Settings, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, firstSettings, workspaceID); err != nil {
			return err
		}
		if after, err = ReadSettings(ctx, tx, workspaceID, " FOR UPDATE"); err != nil {
			return err
		}
		before := *after
		c.apply(after)
		b := &pgx.Batch{}
		b.Queue(writeSettings, workspaceID, after.Enabled, after.Off, after.Delayed, after.DelaySeconds, after.Document.Enabled, after.Document.WindowSeconds,
			after.Document.Most, after.User.Enabled, after.User.WindowSeconds, after.User.Most)
		caller.Audit(workspaceID, c.fields()...).Queue(b)
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		return mails.Release(ctx, tx, workspaceID, before.Delayed && !after.Delayed,
			before.Document.Enabled && !after.Document.Enabled || before.User.Enabled && !after.User.Enabled)
	})
	return after, err
}
