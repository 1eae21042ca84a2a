package activity

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

// Settings are what a workspace has set for its activities.
type Settings struct {
	Enabled bool
	// EnabledAt is when it was last switched on, nil where it never was off.
	EnabledAt *time.Time
	// Immutable says that nobody changes or deletes what the service writes from then on.
	Immutable bool
	// Off are the actions of which nothing is written.
	Off []string
}

// Writes reports whether the service writes a record of an action that asks for one.
func (s *Settings) Writes(action string) bool { return s.Enabled && !slices.Contains(s.Off, action) }

// disabled refuses to add records.
func disabled() error {
	return fault.FailedPrecondition("activities-disabled", "the workspace has switched its activities off (activityconfig)")
}

// ReadSettings reads the settings, those of a workspace that never set any where there is no row. lock
// is empty or locks the row.
func ReadSettings(ctx context.Context, q pg.RowQueryer, workspaceID, lock string) (*Settings, error) {
	s := &Settings{Enabled: true, Immutable: true}
	err := q.QueryRow(ctx, `SELECT enabled, enabled_at, immutable, off FROM activity_settings WHERE workspace_id = $1`+lock, workspaceID).
		Scan(&s.Enabled, &s.EnabledAt, &s.Immutable, &s.Off)
	if err != nil && !pg.IsNoRow(err) {
		return nil, pg.Translate(err)
	}
	return s, nil
}

// SettingsChange is what an update sends; nil leaves a setting. Triggers are those named, with whether they
// shall be on.
type SettingsChange struct {
	Enabled, Immutable *bool
	Triggers           map[string]bool
}

// Settings returns what a workspace has set.
func (s *Activities) Settings(ctx context.Context, workspaceID string) (*Settings, error) {
	return ReadSettings(ctx, s.db.Pool, workspaceID, "")
}

const writeSettings = `
UPDATE activity_settings SET enabled_at = CASE WHEN $2 AND NOT enabled THEN clock_timestamp() ELSE enabled_at END, enabled = $2, immutable = $3, off = $4
WHERE workspace_id = $1 RETURNING enabled_at`

// Configure changes what is sent and returns the new state. Changes of a workspace follow one another.
func (s *Activities) Configure(ctx context.Context, workspaceID string, caller workspace.Caller, c SettingsChange) (after *Settings, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO activity_settings (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING`, workspaceID); err != nil {
			return err
		}
		if after, err = ReadSettings(ctx, tx, workspaceID, " FOR UPDATE"); err != nil {
			return err
		}
		pg.SetIfSent(&after.Enabled, c.Enabled)
		pg.SetIfSent(&after.Immutable, c.Immutable)
		after.Off = pg.SwitchedOff(after.Off, c.Triggers)
		b := &pgx.Batch{}
		b.Queue(writeSettings, workspaceID, after.Enabled, after.Immutable, after.Off).QueryRow(func(row pgx.Row) error { return row.Scan(&after.EnabledAt) })
		caller.Audit(workspaceID, c.fields()...).Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return after, err
}

// fields are the names of what changes, for the audit row.
func (c SettingsChange) fields() []string {
	return workspace.SentNames(
		workspace.Sent("activityServiceConfig.isEnabled", c.Enabled != nil),
		workspace.Sent("activityServiceConfig.immutable", c.Immutable != nil),
		workspace.Sent("activityServiceConfig.triggers", len(c.Triggers) > 0),
	)
}
