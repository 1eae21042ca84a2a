package pattern

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// States of alerts.
const (
	AlertActive    = "active"
	AlertDismissed = "dismissed"
	AlertActioned  = "actioned"
	AlertEnded     = "ended"
)

// candidate is what stood out in a scope when it was looked through last.
type candidate struct {
	pattern.Alert

	organization *int64
	contentType  *string
}

// raised is a stored alert that has not ended.
type raised struct {
	candidate

	id, status string
	held       bool
}

// is reports whether the alert is the one that was raised before.
func (c *candidate) is(r *raised) bool {
	return !r.held && c.Type == r.Type && c.ReviewerID == r.ReviewerID && same(c.organization, r.organization) && same(c.contentType, r.contentType) &&
		pattern.Overlaps(c.Members, r.Members)
}

func same[T comparable](a, b *T) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// forgetAlerts removes those that are too old, that quote a judgment that is gone, or that are of an organization
// that is.
var forgetAlerts = `
DELETE FROM alerts a WHERE a.workspace_id = $1 AND (a.created_at < clock_timestamp() - interval '365 days'
    OR NOT EXISTS (SELECT FROM judgments j WHERE j.workspace_id = $1 AND j.record_id = a.medoid) OR NOT (` + subject.Shown("a.organization_key", "NULL::bigint") + `))`

// raise brings the alerts of a workspace up to what stood out in its scopes: what still does is renewed, what does not
// has ended, and of what is new the gravest are raised, as many as the workspace wants. Scopes are read one by one: there
// may be many.
func raise(ctx context.Context, tx *pg.Tx, workspaceID string) error {
	if _, err := tx.Exec(ctx, forgetAlerts, workspaceID); err != nil {
		return err
	}
	settings, err := readAlertSettings(ctx, tx, workspaceID, "")
	if err != nil {
		return err
	}
	r := &renewal{workspaceID: workspaceID, settings: settings, b: &pgx.Batch{}}
	if r.known, err = readRaised(ctx, tx, workspaceID); err != nil {
		return err
	}
	if r.room, err = settings.room(ctx, tx, workspaceID); err != nil {
		return err
	}
	if err := eachScope(ctx, tx, workspaceID, r.renew); err != nil {
		return err
	}
	if err := r.end(); err != nil {
		return err
	}
	r.b.Queue(`UPDATE pattern_runs SET ended_at = clock_timestamp() WHERE workspace_id = $1`, workspaceID)
	return tx.SendBatch(ctx, r.b).Close()
}

// renewal is what becomes of the alerts of a workspace.
type renewal struct {
	workspaceID string
	settings    *AlertSettings
	known       []*raised
	// room is how many may be raised; fresh are the gravest so far that are new.
	room  int
	fresh []*candidate
	// said is what stands out in all content of the organization that was read last.
	said []*candidate
	b    *pgx.Batch
}

// renew writes what is known of the alerts of a scope that hold, and keeps what is new.
func (r *renewal) renew(standing []*candidate) {
	if standing[0].contentType == nil {
		r.said = standing
	} else {
		standing = slices.DeleteFunc(standing, r.saidAlready)
	}
	for _, c := range standing {
		at := slices.IndexFunc(r.known, c.is)
		if at < 0 {
			r.fresh = append(r.fresh, c)
			continue
		}
		r.known[at].held = true
		found, _ := json.Marshal(c.Alert) // it was read from such a text
		r.b.Queue(`UPDATE alerts SET severity = $3, found = $4, medoid = $5 WHERE workspace_id = $1 AND id = $2`, r.workspaceID, r.known[at].id, c.Severity, found, c.Medoid)
	}
	r.fresh = r.settings.wanted(r.fresh)
	r.fresh = r.fresh[:min(len(r.fresh), max(r.room, 0))]
}

// saidAlready reports whether what stands out in a content type is the same, of the same judgments, in all content.
func (r *renewal) saidAlready(c *candidate) bool {
	return slices.ContainsFunc(r.said, func(all *candidate) bool {
		return same(all.organization, c.organization) && all.Type == c.Type && all.ReviewerID == c.ReviewerID && all.Votes == c.Votes && slices.Equal(all.Members, c.Members)
	})
}

// end ends the alerts that do not hold, and raises those that are new.
func (r *renewal) end() error {
	for _, k := range r.known {
		if !k.held && k.status == AlertActive {
			r.b.Queue(`UPDATE alerts SET status = 'ended' WHERE workspace_id = $1 AND id = $2 AND status = 'active'`, r.workspaceID, k.id)
		}
	}
	for _, c := range r.fresh {
		found, err := json.Marshal(c.Alert)
		if err != nil {
			return err
		}
		r.b.Queue(`INSERT INTO alerts (workspace_id, id, organization_key, content_type, kind, severity, found, reviewer_id, medoid) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
			r.workspaceID, id.New(id.Alert), c.organization, c.contentType, c.Type, c.Severity, found, pg.Optional(c.ReviewerID), c.Medoid)
	}
	return nil
}

// eachScope passes on what stands out, scope by scope: all content of an organization, then its content types. The order
// is that of an index.
func eachScope(ctx context.Context, tx *pg.Tx, workspaceID string, each func([]*candidate)) error {
	rows, err := tx.Query(ctx, `SELECT organization_key, content_type, alerts FROM pattern_scopes WHERE workspace_id = $1 AND alerts IS NOT NULL
ORDER BY organization_key DESC, content_type DESC`, workspaceID)
	if err != nil {
		return err
	}
	var organization *int64
	var contentType *string
	var text []byte
	_, err = pgx.ForEachRow(rows, []any{&organization, &contentType, &text}, func() error {
		var found []pattern.Alert
		if err := json.Unmarshal(text, &found); err != nil || len(found) == 0 {
			return err
		}
		standing := make([]*candidate, len(found))
		for i, a := range found {
			standing[i] = &candidate{a, organization, contentType}
		}
		each(standing)
		return nil
	})
	return err
}

func readRaised(ctx context.Context, tx *pg.Tx, workspaceID string) ([]*raised, error) {
	rows, err := tx.Query(ctx, `SELECT id, status, organization_key, content_type, found FROM alerts WHERE workspace_id = $1 AND status <> 'ended' ORDER BY id`, workspaceID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (*raised, error) {
		r := &raised{}
		var text []byte
		if err := row.Scan(&r.id, &r.status, &r.organization, &r.contentType, &text); err != nil {
			return nil, err
		}
		return r, json.Unmarshal(text, &r.Alert)
	})
}

// room is how many alerts may be raised now.
func (s *AlertSettings) room(ctx context.Context, tx *pg.Tx, workspaceID string) (room int, err error) {
	err = tx.QueryRow(ctx, `SELECT $2::integer - count(*) FROM alerts WHERE workspace_id = $1 AND created_at > clock_timestamp() - interval '7 days'`, workspaceID, s.Weekly).Scan(&room)
	return room, err
}

// wanted are those that the workspace wants, the gravest first, then those of most votes, then the oldest.
func (s *AlertSettings) wanted(fresh []*candidate) []*candidate {
	least := slices.Index(pattern.Severities, s.Severity)
	fresh = slices.DeleteFunc(fresh, func(c *candidate) bool {
		return !s.Enabled || !slices.Contains(s.Kinds, c.Type) || slices.Index(pattern.Severities, c.Severity) < least
	})
	slices.SortStableFunc(fresh, func(a, b *candidate) int { return pattern.Graver(a.Alert, b.Alert) })
	return fresh
}

// Alert is an alert as read.
type Alert struct {
	pattern.Alert

	ID, Status                  string
	OrganizationID, ContentType *string
	CreatedAt                   time.Time
	DismissedAt                 *time.Time
	DismissedBy                 *string
}

// mostAlerts is how many alerts are shown.
const mostAlerts = 50

var listAlerts = `
SELECT a.id, a.status, ` + subject.ID("a.organization_key") + `, a.content_type, a.found, a.created_at, a.dismissed_at, a.dismissed_by
FROM alerts a WHERE a.workspace_id = $1 AND a.status = $2 AND ($3 = '' OR ` + subject.ID("a.organization_key") + ` = $3)
      AND ` + subject.Shown("a.organization_key", "NULL::bigint") + ` ORDER BY a.created_at DESC, a.id DESC LIMIT $4`

// Alerts returns the newest alerts of a status, of one organization where it is named, 50 at most.
func (p *Patterns) Alerts(ctx context.Context, workspaceID, organizationID, status string) ([]Alert, error) {
	rows, err := p.db.Pool.Query(ctx, listAlerts, workspaceID, status, organizationID, mostAlerts)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Alert, error) {
		var a Alert
		var text []byte
		if err := row.Scan(&a.ID, &a.Status, &a.OrganizationID, &a.ContentType, &text, &a.CreatedAt, &a.DismissedAt, &a.DismissedBy); err != nil {
			return a, err
		}
		return a, json.Unmarshal(text, &a.Alert)
	})
	return found, pg.Translate(err)
}

const settleAlert = `
UPDATE alerts SET status = CASE WHEN status = 'ended' THEN status ELSE $3 END,
       dismissed_at = CASE WHEN $3 = 'dismissed' AND status NOT IN ('ended', 'dismissed') THEN clock_timestamp() ELSE dismissed_at END,
       dismissed_by = CASE WHEN $3 = 'dismissed' AND status NOT IN ('ended', 'dismissed') THEN $4 ELSE dismissed_by END
WHERE workspace_id = $1 AND id = $2`

// Settle gives an alert that has not ended another status; by is who dismisses it, empty for nobody. It reports
// whether there is such an alert.
func (p *Patterns) Settle(ctx context.Context, workspaceID, alertID, status, by string) (known bool, err error) {
	n, err := p.db.Exec(ctx, settleAlert, workspaceID, alertID, status, pg.Optional(by))
	return n > 0, err
}

// EraseAlerts removes the alerts about people, in some organizations, nil for all. What stands out is looked for again.
func EraseAlerts(ctx context.Context, tx *pg.Tx, workspaceID string, users []string, organizations []int64) error {
	if _, err := tx.Exec(ctx, `UPDATE pattern_scopes SET alerts = NULL, looked = NULL WHERE workspace_id = $1 AND alerts IS NOT NULL`, workspaceID); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `DELETE FROM alerts WHERE workspace_id = $1 AND reviewer_id = ANY ($2) AND ($3::bigint[] IS NULL OR organization_key = ANY ($3))`, workspaceID, users, organizations)
	return err
}
