package delivery

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/list"
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

// Page is a page of deliveries, newest first. The next one begins below the
// number of the last one.
type Page = list.Page[View, int64]

// Filter keeps deliveries of one status; empty means all.
type Filter struct {
	Status string
}

// states returns the row states behind a status.
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

var newestDelivery = list.Descending("d.seq")

// pageQuery begins both reads of one snapshot: the rows of a page. Attempts are
// counted: redeliveries make any number of them.
func pageQuery(workspaceID, executionID string, f Filter, after int64, size int) (string, []any) {
	q := pg.NewConditions(workspaceID)
	q.And("d.execution_id = %s", executionID)
	newestDelivery.After(q, after)
	q.And("(%[1]s::text[] IS NULL OR d.state = ANY (%[1]s))", f.states())
	rows := newestDelivery.First(q, `
    SELECT d.id, d.workspace_id, d.execution_id, d.seq, d.state, d.attempt, d.begun_at,
           (SELECT due_at FROM open_deliveries WHERE id = d.id) AS due_at,
           (SELECT count(*) FROM attempts a WHERE a.delivery_id = d.id) AS tries FROM deliveries d
    WHERE d.workspace_id = $1`, size)
	return `
WITH page AS (` + newestDelivery.Fit(q, rows, "400 + 150 * p.tries", size) + `
)`, q.Args
}

// Of reads the deliveries of an execution, newest first, below the number
// after; nil begins at the newest. A page ends early when it becomes larger than 8 MiB;
// it has one delivery at least. Errors: NOT_FOUND execution.
func (d *Deliveries) Of(ctx context.Context, workspaceID, executionID string, f Filter, after *int64, size int) (*Page, error) {
	newest := int64(math.MaxInt64)
	if after == nil {
		after = &newest
	}
	var deliveries list.Found[View, int64]
	var found bool
	page, args := pageQuery(workspaceID, executionID, f, *after, size)
	err := d.db.Read(ctx, func(tx *pg.Tx) error {
		return tx.Send(ctx, func(b *pgx.Batch) {
			b.Queue(`SELECT EXISTS (SELECT 1 FROM executions WHERE workspace_id = $1 AND id = $2)`, workspaceID, executionID).
				QueryRow(func(row pgx.Row) error { return row.Scan(&found) })
			b.Queue(page+`
	SELECT p.id, e.id, p.seq, e.type, p.state, p.attempt - 1, p.begun_at, p.due_at, p.found FROM page p
	JOIN events e ON e.workspace_id = p.workspace_id AND e.execution_id = p.execution_id AND e.seq = p.seq ORDER BY p.seq DESC`, args...).
				Query(deliveries.Collect(func(row pgx.CollectableRow) (View, int64, error) {
					v, err := scanDelivery(row, &deliveries.Count)
					return v, v.Seq, err
				}))
			b.Queue(page+`
	SELECT a.delivery_id, a.attempt - 1, a.started_at, a.http_status, a.class, a.duration_ms FROM page p
	JOIN attempts a ON a.delivery_id = p.id ORDER BY a.delivery_id, a.attempt DESC`, args...).
				Query(func(rows pgx.Rows) error { return scanAttempts(rows, deliveries.Items) })
		})
	})
	if err == nil && !found {
		err = fault.NotFound("execution")
	}
	if err != nil {
		return nil, err
	}
	return deliveries.Page(), nil
}

// scanDelivery reads a row; an attempt under way stands in its delivery's row.
func scanDelivery(row pgx.Row, count *int) (View, error) {
	v := View{Attempts: []AttemptView{}}
	var number int
	var begun, due *time.Time
	err := row.Scan(&v.id, &v.EventID, &v.Seq, &v.Event, &v.Status, &number, &begun, &due, count)
	if v.Status == Sending {
		v.Status = Pending
		v.Attempts = append(v.Attempts, AttemptView{Attempt: number, At: pg.Millis(begun)})
	} else {
		v.NextAttemptAt = pg.OptionalMillis(due)
	}
	return v, err
}

// scanAttempts adds ended attempts, newest first, to what is there, and turns the order
// round: there may be very many.
func scanAttempts(rows pgx.Rows, deliveries []View) error {
	byID := make(map[int64]*View, len(deliveries))
	for i := range deliveries {
		byID[deliveries[i].id] = &deliveries[i]
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
		v.Attempts = append(v.Attempts, ended)
		return nil
	})
	for _, v := range deliveries {
		slices.Reverse(v.Attempts)
	}
	return err
}
