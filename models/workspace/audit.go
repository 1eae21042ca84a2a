package workspace

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/list"
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

// insertAudit is SQL by hand because most rows travel in the batch of their change:
// it saves a trip.
const insertAudit = `
INSERT INTO audit_rows (id, workspace_id, actor, ip, operation, target_id, changed_fields, request_id, outcome)
VALUES ($1, NULLIF($2, ''), $3, NULLIF($4, ''), $5, NULLIF($6, ''), coalesce($7::text[], '{}'), NULLIF($8, ''), $9)`

func (a Audit) values() []any {
	return []any{id.New(id.Audit), a.WorkspaceID, a.Actor, a.IP, a.Operation, a.TargetID, a.ChangedFields, a.RequestID, a.Outcome}
}

// write adds the row to the transaction of the change that it records.
func (a Audit) write(ctx context.Context, tx *pg.Tx) error {
	_, err := tx.Exec(ctx, insertAudit, a.values()...)
	return err
}

// Queue is write with the batch of the change.
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
	return s.db.InTx(ctx, func(tx *pg.Tx) error { return row.write(ctx, tx) })
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

var newestAudit = list.Descending("at", "id")

// List returns rows newest first.
func (s *Audits) List(ctx context.Context, filter AuditFilter) ([]Audit, error) {
	order := newestAudit.Scope()
	if filter.Before != nil {
		order = newestAudit.Scope(filter.Before.At, filter.Before.ID)
	}
	rows, err := filter.narrow(gorm.G[auditRow](s.db.Gorm).Scopes(order).Limit(filter.Limit)).Find(ctx)
	found := make([]Audit, len(rows))
	for i, row := range rows {
		found[i] = row.view()
	}
	return found, pg.Translate(err)
}

func (f AuditFilter) narrow(q gorm.ChainInterface[auditRow]) gorm.ChainInterface[auditRow] {
	if f.WorkspaceID != "" {
		q = q.Where("workspace_id = ?", f.WorkspaceID)
	}
	if f.Actor != "" {
		q = q.Where("actor = ?", f.Actor)
	}
	if f.Operation != "" {
		q = q.Where("operation = ?", f.Operation)
	}
	if !f.Since.IsZero() {
		q = q.Where("at >= ?", f.Since)
	}
	if !f.Until.IsZero() {
		q = q.Where("at < ?", f.Until)
	}
	return q
}

func (row auditRow) view() Audit {
	return Audit{
		ID: row.ID, At: row.At, WorkspaceID: pg.Present(row.WorkspaceID), Actor: row.Actor, IP: pg.Present(row.IP), Operation: row.Operation,
		TargetID: pg.Present(row.TargetID), ChangedFields: row.ChangedFields, RequestID: pg.Present(row.RequestID), Outcome: row.Outcome,
	}
}

// Expire removes rows that are older than AuditDays, so many at once, and returns how
// many it removed.
func (s *Audits) Expire(ctx context.Context, atOnce int) (int64, error) {
	return s.db.RemoveAged(ctx, pg.Aged{Remove: `DELETE FROM audit_rows`, At: "at"}, pg.Days(AuditDays), atOnce)
}
