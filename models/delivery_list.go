package models

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/webhook"
)

// DeliveryView is a delivery as callers see it; times are epoch milliseconds.
type DeliveryView struct {
	EventID  string        `json:"eventId"`
	Seq      int64         `json:"seq"`
	Event    string        `json:"event"`
	Status   string        `json:"status"`
	Attempts []AttemptView `json:"attempts"`
	// NextAttemptAt is nil for what has ended and while an attempt is under way.
	NextAttemptAt *int64 `json:"nextAttemptAt"`

	id int64
}

// AttemptView is one attempt. Status, error and duration are nil while it is
// under way; an attempt without an answer has no status, a good one no error.
type AttemptView struct {
	Attempt    int     `json:"attempt"`
	At         int64   `json:"at"`
	HTTPStatus *int    `json:"httpStatus"`
	Error      *string `json:"error"`
	DurationMs *int    `json:"durationMs"`
}

// DeliveryPage is a page of deliveries, newest first. More says that older
// ones follow below the last one's number.
type DeliveryPage struct {
	Items []DeliveryView
	More  bool

	found int // as many as the page may have, and one that follows
}

// DeliveryFilter keeps deliveries of one status; empty means all.
type DeliveryFilter struct {
	Status string
}

// states gives the row states behind a status.
func (f DeliveryFilter) states() []string {
	switch f.Status {
	case "":
		return nil
	case DeliveryPending:
		return []string{DeliveryPending, DeliverySending}
	default:
		return []string{f.Status}
	}
}

// deliveryPage is the rows of a page; both reads of one snapshot begin with it.
// Attempts are counted: redeliveries make any number of them.
var deliveryPage = `
WITH page AS (` + fitting(`
    SELECT d.id, d.workspace_id, d.execution_id, d.seq, d.state, d.attempt, d.begun_at, d.due_at,
           (SELECT count(*) FROM delivery_attempts a WHERE a.delivery_id = d.id) AS tries FROM deliveries d
    WHERE d.workspace_id = $1 AND d.execution_id = $2 AND d.seq < $3 AND ($4::text[] IS NULL OR d.state = ANY ($4))
    ORDER BY d.seq DESC LIMIT $5`, "400 + 150 * p.tries", "p.seq DESC", "$6", "$7") + `
)`

// Of reads the deliveries of an execution, newest first, below the number
// before (0: from the newest). A page ends early when it becomes larger than 8 MiB;
// it has one delivery at least. Errors: NOT_FOUND execution.
func (d *Deliveries) Of(ctx context.Context, workspaceID, executionID string, f DeliveryFilter, before int64, size int) (*DeliveryPage, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	page := &DeliveryPage{Items: []DeliveryView{}}
	var found bool
	args := []any{workspaceID, executionID, before, f.states(), size + 1, size, answerLimit}
	err := d.db.Snapshot(ctx, func(b *pgx.Batch) {
		b.Queue(`SELECT EXISTS (SELECT 1 FROM executions WHERE workspace_id = $1 AND id = $2)`, workspaceID, executionID).
			QueryRow(func(row pgx.Row) error { return row.Scan(&found) })
		b.Queue(deliveryPage+`
SELECT p.id, e.id, p.seq, e.type, p.state, p.attempt - 1, p.begun_at, p.due_at, p.found FROM page p
JOIN events e ON e.workspace_id = p.workspace_id AND e.execution_id = p.execution_id AND e.seq = p.seq ORDER BY p.seq DESC`, args...).Query(page.scan)
		b.Queue(deliveryPage+`
SELECT a.delivery_id, a.attempt, a.at, a.http_status, a.class, a.duration_ms FROM page p
JOIN delivery_attempts a ON a.delivery_id = p.id ORDER BY a.delivery_id, a.attempt DESC`, args...).Query(page.scanAttempts)
	})
	if err == nil && !found {
		err = fault.Missing("execution")
	}
	if err != nil {
		return nil, err
	}
	page.More = len(page.Items) < page.found
	return page, nil
}

// ExpireAttempts removes at most limit attempts older than so many days and
// tells how many these were. Their deliveries stay with the execution.
func (d *Deliveries) ExpireAttempts(ctx context.Context, days, limit int) (int64, error) {
	tag, err := d.db.Pool.Exec(ctx, `DELETE FROM delivery_attempts WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM delivery_attempts WHERE at < clock_timestamp() - make_interval(days => $1) LIMIT $2))`, days, limit)
	return tag.RowsAffected(), Translate(err)
}

// scan reads the rows; an attempt under way stands in its delivery's row.
func (p *DeliveryPage) scan(rows pgx.Rows) error {
	for rows.Next() {
		v := DeliveryView{Attempts: []AttemptView{}}
		var number int
		var begun, due *time.Time
		if err := rows.Scan(&v.id, &v.EventID, &v.Seq, &v.Event, &v.Status, &number, &begun, &due, &p.found); err != nil {
			return err
		}
		if v.Status == DeliverySending {
			v.Status = DeliveryPending
			v.Attempts = append(v.Attempts, AttemptView{Attempt: number, At: millis(begun)})
		} else if due != nil {
			next := due.UnixMilli()
			v.NextAttemptAt = &next
		}
		p.Items = append(p.Items, v)
	}
	return rows.Err()
}

// scanAttempts puts ended attempts, newest first, in front of what is there.
func (p *DeliveryPage) scanAttempts(rows pgx.Rows) error {
	byID := make(map[int64]*DeliveryView, len(p.Items))
	for i := range p.Items {
		byID[p.Items[i].id] = &p.Items[i]
	}
	var deliveryID int64
	var a AttemptView
	var at time.Time
	var class string
	_, err := pgx.ForEachRow(rows, []any{&deliveryID, &a.Attempt, &at, &a.HTTPStatus, &class, &a.DurationMs}, func() error {
		v, ended := byID[deliveryID], a
		ended.At = at.UnixMilli()
		if class != string(webhook.OK) {
			text := class
			ended.Error = &text
		}
		v.Attempts = append([]AttemptView{ended}, v.Attempts...)
		return nil
	})
	return err
}
