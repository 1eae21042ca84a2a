package workspace

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/id"

	"github.com/redline-svc/redline/models/internal/pg"
)

// AuditDays is how long an audit row is kept; the table refuses to delete younger
// ones.
const AuditDays = 400

// Outcomes of an audited operation.
const (
	AuditSuccess = "success"
	AuditDenied  = "denied"
)

// publicActor stands in audit rows for a caller without credentials whose
// operation was refused.
const publicActor = "public"

// Audit is one row of the trail: who did what to which thing. It never holds a
// value, only the names of the fields that changed.
type Audit struct {
	ID            string    `json:"id"`
	At            time.Time `json:"at"`
	WorkspaceID   string    `json:"workspaceId,omitempty"`
	Actor         string    `json:"actor"`
	IP            string    `json:"ip,omitempty"`
	Operation     string    `json:"operation"`
	TargetID      string    `json:"targetId,omitempty"`
	ChangedFields []string  `json:"changedFields"`
	RequestID     string    `json:"requestId,omitempty"`
	Outcome       string    `json:"outcome"`
}

// Audit begins the row of a call: target is the thing concerned, fields what
// changes, none for a read of a secret.
func (c Caller) Audit(target string, fields ...string) Audit {
	return Audit{
		WorkspaceID: c.WorkspaceID, Actor: c.Actor(), IP: c.IP, Operation: c.Operation,
		TargetID: target, ChangedFields: fields, RequestID: c.RequestID, Outcome: AuditSuccess,
	}
}

// SentName is a field of a request and whether it was sent.
type SentName struct {
	name string
	sent bool
}

// Sent is a field and whether it was sent.
func Sent(name string, sent bool) SentName { return SentName{name, sent} }

// SentNames are the names of what was sent, for audit rows.
func SentNames(fields ...SentName) []string {
	var names []string
	for _, f := range fields {
		if f.sent {
			names = append(names, f.name)
		}
	}
	return names
}

const insertAudit = `
INSERT INTO audit_rows (id, workspace_id, actor, ip, operation, target_id, changed_fields, request_id, outcome)
VALUES ($1, NULLIF($2, ''), $3, NULLIF($4, ''), $5, NULLIF($6, ''), string_to_array($7, ','), NULLIF($8, ''), $9)`

// values are those of insertAudit. The names of fields are constants of this
// program and have no comma.
func (a Audit) values() []any {
	return []any{
		id.New(id.Audit), a.WorkspaceID, a.Actor, a.IP, a.Operation, a.TargetID,
		strings.Join(a.ChangedFields, ","), a.RequestID, a.Outcome,
	}
}

// write adds the row to the transaction of the change that it records.
func (a Audit) write(ctx context.Context, tx *gorm.DB) error {
	return tx.WithContext(ctx).Exec(insertAudit, a.values()...).Error
}

// Queue is write for a transaction of hand-written SQL.
func (a Audit) Queue(b *pgx.Batch) { b.Queue(insertAudit, a.values()...) }

// Audits reads the trail and keeps refusals.
type Audits struct{ db *pg.DB }

// NewAudits makes the store.
func NewAudits(db *pg.DB) *Audits { return &Audits{db: db} }

// Refused keeps the refusal of a call for lack of rights, in a transaction of
// its own.
func (s *Audits) Refused(ctx context.Context, caller Caller) error {
	row := caller.Audit("")
	row.Outcome = AuditDenied
	if row.Actor == "" {
		row.Actor = publicActor
	}
	return s.db.GormTx(ctx, func(tx *gorm.DB) error { return row.write(ctx, tx) })
}

// AuditFilter narrows a read; an empty field matches all.
type AuditFilter struct {
	WorkspaceID, Actor, Operation string
	Since, Until                  time.Time
	// Before continues after the last row of the page before.
	Before *Audit
	// Limit is how many rows come at most.
	Limit int
}

// auditColumns gives every column as what Audit scans.
const auditColumns = `SELECT id, at, COALESCE(workspace_id, ''), actor, COALESCE(ip, ''), operation,
	COALESCE(target_id, ''), changed_fields, COALESCE(request_id, ''), outcome FROM audit_rows`

// List gives rows newest first.
func (s *Audits) List(ctx context.Context, filter AuditFilter) ([]Audit, error) {
	where := filter.conditions()
	query := auditColumns + " WHERE true" + where.Text() + " ORDER BY at DESC, id DESC LIMIT " + where.Value(filter.Limit)
	rows, err := s.db.Pool.Query(ctx, query, where.Args...)
	if err != nil {
		return nil, pg.Translate(err)
	}
	defer rows.Close()
	found := []Audit{}
	for rows.Next() {
		var a Audit
		if err := rows.Scan(&a.ID, &a.At, &a.WorkspaceID, &a.Actor, &a.IP, &a.Operation,
			&a.TargetID, &a.ChangedFields, &a.RequestID, &a.Outcome); err != nil {
			return nil, pg.Translate(err)
		}
		found = append(found, a)
	}
	return found, pg.Translate(rows.Err())
}

func (f AuditFilter) conditions() *pg.Conditions {
	where := &pg.Conditions{}
	where.Equal("workspace_id", f.WorkspaceID)
	where.Equal("actor", f.Actor)
	where.Equal("operation", f.Operation)
	if !f.Since.IsZero() {
		where.And("at >= %s", f.Since)
	}
	if !f.Until.IsZero() {
		where.And("at < %s", f.Until)
	}
	if f.Before != nil {
		where.And("(at, id) < (%s, %s)", f.Before.At, f.Before.ID)
	}
	return where
}

// Expire removes at most limit rows that are older than AuditDays and gives how
// many it removed.
func (s *Audits) Expire(ctx context.Context, limit int) (int64, error) {
	removed, err := s.db.Pool.Exec(ctx, `
		DELETE FROM audit_rows WHERE id IN (
			SELECT id FROM audit_rows WHERE at < clock_timestamp() - make_interval(days => $1)
			ORDER BY at LIMIT $2)`, AuditDays, limit)
	return removed.RowsAffected(), pg.Translate(err)
}
