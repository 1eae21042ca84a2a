package pattern

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/queue"
	"github.com/redline-svc/redline/models/workspace"
)

// AlertSettings are what a workspace has set for its alerts: which are raised, and Weekly of them in seven days at most.
type AlertSettings struct {
	Enabled  bool
	Weekly   int
	Kinds    []string
	Severity string
}

// readAlertSettings reads the settings, those of a workspace that never set any where there is no row.
func readAlertSettings(ctx context.Context, q pg.RowQueryer, workspaceID, lock string) (*AlertSettings, error) {
	s := &AlertSettings{Enabled: true, Weekly: 3, Kinds: []string{pattern.Drift, pattern.Anomaly, pattern.Emerging}, Severity: pattern.Low}
	err := q.QueryRow(ctx, `SELECT enabled, weekly, kinds, severity FROM alert_settings WHERE workspace_id = $1`+lock, workspaceID).
		Scan(&s.Enabled, &s.Weekly, &s.Kinds, &s.Severity)
	if err != nil && !pg.IsNoRow(err) {
		return nil, pg.Translate(err)
	}
	return s, nil
}

// AlertSettings returns what a workspace has set for its alerts.
func (p *Patterns) AlertSettings(ctx context.Context, workspaceID string) (*AlertSettings, error) {
	return readAlertSettings(ctx, p.db.Pool, workspaceID, "")
}

// AlertChange is what an update sends; nil leaves a setting.
type AlertChange struct {
	Enabled  *bool
	Weekly   *int
	Kinds    []string
	Severity *string
}

// fields are the names of what changes, for the audit row.
func (c AlertChange) fields() []string {
	return workspace.SentNames(
		workspace.Sent("config.enabled", c.Enabled != nil), workspace.Sent("config.maxAlertsPerWeek", c.Weekly != nil),
		workspace.Sent("config.enabledAlertTypes", c.Kinds != nil), workspace.Sent("config.severityThreshold", c.Severity != nil),
	)
}

// SetAlerts changes what is sent and returns the new state.
func (p *Patterns) SetAlerts(ctx context.Context, workspaceID string, caller workspace.Caller, c AlertChange) (after *AlertSettings, err error) {
	err = p.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `INSERT INTO alert_settings (workspace_id) VALUES ($1) ON CONFLICT DO NOTHING`, workspaceID); err != nil {
			return err
		}
		if after, err = readAlertSettings(ctx, tx, workspaceID, " FOR UPDATE"); err != nil {
			return err
		}
		pg.SetIfSent(&after.Enabled, c.Enabled)
		pg.SetIfSent(&after.Weekly, c.Weekly)
		pg.SetIfSent(&after.Severity, c.Severity)
		if c.Kinds != nil {
			after.Kinds = c.Kinds
		}
		b := &pgx.Batch{}
		b.Queue(`UPDATE alert_settings SET enabled = $2, weekly = $3, kinds = $4, severity = $5 WHERE workspace_id = $1`,
			workspaceID, after.Enabled, after.Weekly, after.Kinds, after.Severity)
		caller.Audit(workspaceID, c.fields()...).Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return after, err
}

// What becomes of the wish to look for patterns now.
const (
	RunScheduled = "scheduled"
	RunRunning   = "running"
	RunUnchanged = "unchanged"
)

// triggeredAgain is how soon a caller may have patterns looked for once more.
const triggeredAgain = 10 * time.Minute

var unchanged = `
SELECT coalesce((SELECT ` + fingerprint + ` FROM judgments j JOIN judgment_index i ON i.key = j.key WHERE ` + decided + `), 0)
     = coalesce((SELECT looked FROM pattern_scopes WHERE workspace_id = $1 AND organization_key IS NULL AND content_type IS NULL), 0)`

// Trigger has the patterns of a workspace looked for now, unless no judgment has changed since they were, and returns what
// becomes of it and when they were looked for last, nil for never. force has all of it looked through. Error:
// RESOURCE_EXHAUSTED (consolidation-recent).
func (p *Patterns) Trigger(ctx context.Context, workspaceID string, force bool) (status string, last *time.Time, err error) {
	err = p.db.InTx(ctx, func(tx *pg.Tx) error {
		var open, same bool
		b := &pgx.Batch{}
		b.Queue(`INSERT INTO pattern_runs (workspace_id, job_id, model) SELECT $1, '', `+servingModel+` ON CONFLICT DO NOTHING`, workspaceID)
		b.Queue(`SELECT ended_at, EXISTS (SELECT FROM jobs WHERE workspace_id = $1 AND kind = $2 AND ended_at IS NULL) FROM pattern_runs WHERE workspace_id = $1 FOR UPDATE`,
			workspaceID, job.Detection).QueryRow(func(row pgx.Row) error { return row.Scan(&last, &open) })
		b.Queue(unchanged, workspaceID).QueryRow(func(row pgx.Row) error { return row.Scan(&same) })
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
		switch {
		case open:
			status = RunRunning
			return nil
		case same && !force:
			status = RunUnchanged
			return nil
		default:
			status = RunScheduled
			return schedule(ctx, tx, workspaceID, force)
		}
	})
	return status, last, err
}

func schedule(ctx context.Context, tx *pg.Tx, workspaceID string, force bool) error {
	wait, err := workspace.EnterWindow(ctx, tx, "consolidation/"+workspaceID, triggeredAgain, 1)
	if err != nil {
		return err
	}
	if wait > 0 {
		return fault.ResourceExhausted("consolidation-recent", "patterns were looked for within the last ten minutes", wait)
	}
	queue.Put(tx, queue.Work{Kind: queue.Patterns, Key: workspaceID, WorkspaceID: workspaceID})
	if !force {
		return nil
	}
	_, err = tx.Exec(ctx, `UPDATE pattern_scopes SET looked_at = NULL WHERE workspace_id = $1`, workspaceID)
	return err
}
