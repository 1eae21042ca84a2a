package view

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// EventPage is a page of events, oldest first. The next one begins above the
// number of the last event.
type EventPage = list.Page[EventView, int64]

var oldestEvent = list.Ascending("seq")

// Events reads the events of an execution above a number. Numbers rise in the
// order of commits, so a reader who has seen one finds nothing new below it. A page
// ends early when it becomes larger than 8 MiB; it has one event at least.
// Errors: NOT_FOUND.
func (v *Views) Events(ctx context.Context, workspaceID, executionID string, since int64, size int, internal bool) (*EventPage, error) {
	var events list.Found[EventView, int64]
	var correlation string
	found := false
	query, args := eventQuery(workspaceID, executionID, since, size, internal)
	err := v.db.ReadBatch(ctx, func(b *pgx.Batch) {
		b.Queue(`SELECT correlation_id FROM executions WHERE workspace_id = $1 AND id = $2`, workspaceID, executionID).
			QueryRow(func(row pgx.Row) error {
				err := row.Scan(&correlation)
				if found = err == nil; pg.IsNoRow(err) {
					return nil
				}
				return err
			})
		b.Queue(query, args...).Query(events.Collect(func(row pgx.CollectableRow) (EventView, int64, error) {
			e := EventView{CorrelationID: correlation}
			var at time.Time
			var data []byte
			err := row.Scan(&e.EventID, &e.Seq, &e.Type, &e.StepID, &at, &data, &events.Count, nil, nil)
			e.Timestamp, e.Data = at.UnixMilli(), data
			return e, e.Seq, err
		}))
	})
	if err == nil && !found {
		err = fault.NotFound("execution")
	}
	if err != nil {
		return nil, err
	}
	return events.Page(), nil
}

// eventBytes is about how large an event p is in an answer.
const eventBytes = `300 + coalesce(octet_length(p.data::text), 0)`

func eventQuery(workspaceID, executionID string, since int64, size int, internal bool) (string, []any) {
	q := pg.NewConditions(workspaceID)
	q.And("execution_id = %s", executionID)
	oldestEvent.After(q, since)
	if !internal {
		q.And("NOT internal")
	}
	rows := oldestEvent.First(q, `SELECT id, seq, type, step_id, at, data FROM events WHERE workspace_id = $1`, size)
	return oldestEvent.Fit(q, rows, eventBytes, size), q.Args
}
