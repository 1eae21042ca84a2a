package execution

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

// EventPage is one page of events, oldest first. Next is the highest number of
// the page, or where it began when it is empty.
type EventPage struct {
	Events []EventView
	Next   int64
	More   bool

	found int // as many as the page may have, and one that follows
}

// Events reads the events of an execution above a number. Numbers rise in the
// order of commits, so a reader who has seen one finds nothing new below it. A page
// ends early when it becomes larger than 8 MiB; it has one event at least.
// Errors: NOT_FOUND.
func (e *Executions) Events(ctx context.Context, workspaceID, executionID string, since int64, size int, internal bool) (*EventPage, error) {
	page := &EventPage{Events: []EventView{}, Next: since}
	var correlation string
	found := false
	err := e.db.Snapshot(ctx, func(b *pgx.Batch) {
		b.Queue(`SELECT correlation_id FROM executions WHERE workspace_id = $1 AND id = $2`, workspaceID, executionID).
			QueryRow(func(row pgx.Row) error {
				err := row.Scan(&correlation)
				if found = err == nil; pg.IsNoRow(err) {
					return nil
				}
				return err
			})
		condition := ` AND NOT internal`
		if internal {
			condition = ``
		}
		b.Queue(pg.PageThatFits(`SELECT id, seq, type, step_id, at, data FROM events WHERE workspace_id = $1 AND execution_id = $2 AND seq > $3`+
			condition+` ORDER BY seq LIMIT $4`, eventBytes, "p.seq", "$5", "$6"), workspaceID, executionID, since, size+1, size, pg.AnswerLimit).
			Query(page.scan)
	})
	if err == nil && !found {
		err = fault.Missing("execution")
	}
	if err != nil {
		return nil, err
	}
	page.finish(correlation)
	return page, nil
}

// eventBytes is about how large an event p is in an answer.
const eventBytes = `300 + coalesce(octet_length(p.data::text), 0)`

func (p *EventPage) scan(rows pgx.Rows) error {
	for rows.Next() {
		var v EventView
		var at time.Time
		var data []byte
		if err := rows.Scan(&v.EventID, &v.Seq, &v.Type, &v.StepID, &at, &data, &p.found, nil, nil); err != nil {
			return err
		}
		v.Timestamp, v.Data = at.UnixMilli(), data
		p.Events = append(p.Events, v)
	}
	return rows.Err()
}

func (p *EventPage) finish(correlation string) {
	p.More = len(p.Events) < p.found
	for i := range p.Events {
		p.Events[i].CorrelationID = correlation
		p.Next = p.Events[i].Seq
	}
}
