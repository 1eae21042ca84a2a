package delivery

import (
	"context"
	"math"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
)

// View is a delivery as callers see it; times are epoch milliseconds.
type View struct {
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

// Page is a page of deliveries, newest first. More says that older
// ones follow below the last one's number.
type Page struct {
	Items []View
	More  bool

	found int // up to the size of the page plus one
}

// Filter keeps deliveries of one status; empty means all.
type Filter struct {
	Status string
}

// states gives the row states behind a status.
func (f Filter) states() []string {
	switch f.Status {
	case "":
		return nil
	case Pending:
		return []string{Pending, Sending}
	default:
		return []string{f.Status}
	}
}

// deliveryPage is the rows of a page; both reads of one snapshot begin with it.
// Attempts are counted: redeliveries make any number of them.
var deliveryPage = `
WITH page AS (` + pg.PageThatFits(`
    SELECT d.id, d.workspace_id, d.execution_id, d.seq, d.state, d.attempt, d.begun_at, d.due_at,
           (SELECT count(*) FROM delivery_attempts a WHERE a.delivery_id = d.id) AS tries FROM deliveries d
    WHERE d.workspace_id = $1 AND d.execution_id = $2 AND d.seq < $3 AND ($4::text[] IS NULL OR d.state = ANY ($4))
    ORDER BY d.seq DESC LIMIT $5`, "400 + 150 * p.tries", "p.seq DESC", "$6", "$7") + `
)`

// Of reads the deliveries of an execution, newest first, below the number
// before (0: from the newest). A page ends early when it becomes larger than 8 MiB;
// it has one delivery at least. Errors: NOT_FOUND execution.
func (d *Deliveries) Of(ctx context.Context, workspaceID, executionID string, f Filter, before int64, size int) (*Page, error) {
	if before == 0 {
		before = math.MaxInt64
	}
	page := &Page{Items: []View{}}
	var found bool
	args := []any{workspaceID, executionID, before, f.states(), size + 1, size, pg.AnswerLimit}
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
// gives how many these were. Their deliveries stay with the execution.
func (d *Deliveries) ExpireAttempts(ctx context.Context, days, limit int) (int64, error) {
	tag, err := d.db.Pool.Exec(ctx, `DELETE FROM delivery_attempts WHERE ctid = ANY(ARRAY(
		SELECT ctid FROM delivery_attempts WHERE at < clock_timestamp() - make_interval(days => $1) LIMIT $2))`, days, limit)
	return tag.RowsAffected(), pg.Translate(err)
}

// scan reads the rows; an attempt under way stands in its delivery's row.
func (p *Page) scan(rows pgx.Rows) error {
	for rows.Next() {
		v := View{Attempts: []AttemptView{}}
		var number int
		var begun, due *time.Time
		if err := rows.Scan(&v.id, &v.EventID, &v.Seq, &v.Event, &v.Status, &number, &begun, &due, &p.found); err != nil {
			return err
		}
		if v.Status == Sending {
			v.Status = Pending
			v.Attempts = append(v.Attempts, AttemptView{Attempt: number, At: pg.Millis(begun)})
		} else if due != nil {
			next := due.UnixMilli()
			v.NextAttemptAt = &next
		}
		p.Items = append(p.Items, v)
	}
	return rows.Err()
}

// scanAttempts puts ended attempts, newest first, in front of what is there.
func (p *Page) scanAttempts(rows pgx.Rows) error {
	byID := make(map[int64]*View, len(p.Items))
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
