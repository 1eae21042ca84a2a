package models

import (
	"context"

	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/knowledge"
)

// Backlog is what waits in rows at one moment.
type Backlog struct {
	// Executions are owed a start or a poke; Deliveries wait for an attempt or
	// are under way; Ingestions are versions of sources that have not ended.
	Executions, Deliveries, Ingestions Waiting
	// SlowOrigins are receivers in the slow lane.
	SlowOrigins int64
}

// Waiting is a number of rows, and for how long the oldest that is due has been
// so, in seconds. An execution and a version that no run has begun are due since
// they were accepted: who asks the engine in vain moves the time of the next look
// on. Deliveries to origins in the slow lane do not count for the age, nor do
// versions that wait until their workspace has fewer in work.
type Waiting struct {
	Rows   int64
	Oldest float64
}

// Each count gives a number of rows and the age of the oldest in seconds. It goes
// over a partial index of just those rows, so it costs what waits and not what is
// there.
const (
	countExecutions = `
SELECT count(*), extract(epoch FROM clock_timestamp() - min(CASE WHEN run_started THEN poke_at ELSE started_at END))
FROM executions WHERE poke_at IS NOT NULL`
	countDeliveries = `
SELECT count(*), extract(epoch FROM clock_timestamp() - min(d.due_at) FILTER (WHERE coalesce(o.failures, 0) < $1))
FROM open_deliveries d
LEFT JOIN origins o ON o.destination_id = d.destination_id AND o.origin = d.origin`
	countIngestions = `
SELECT count(*), extract(epoch FROM clock_timestamp() - min(CASE WHEN v.stage = 'queued' THEN v.started_at ELSE v.drive_after END)
           FILTER (WHERE v.drive_after <= clock_timestamp() AND (v.state = 'staging' OR coalesce(w.taken, 0) < $1)))
FROM source_versions v
LEFT JOIN (SELECT workspace_id, count(*) AS taken FROM source_versions WHERE state = 'staging' GROUP BY workspace_id) AS w
       ON w.workspace_id = v.workspace_id
WHERE v.drive_after IS NOT NULL`
)

// ReadBacklog counts what waits.
func ReadBacklog(ctx context.Context, db *pg.DB) (b Backlog, err error) {
	for _, count := range []struct {
		into  *Waiting
		query string
		args  []any
	}{
		{&b.Executions, countExecutions, nil},
		{&b.Deliveries, countDeliveries, []any{delivery.SlowFailures}},
		{&b.Ingestions, countIngestions, []any{knowledge.WorkingVersions}},
	} {
		var age *float64
		if err := db.Pool.QueryRow(ctx, count.query, count.args...).Scan(&count.into.Rows, &age); err != nil {
			return b, pg.Translate(err)
		}
		if age != nil {
			count.into.Oldest = max(*age, 0)
		}
	}
	err = db.Pool.QueryRow(ctx, `SELECT count(*) FROM origins WHERE failures >= $1`, delivery.SlowFailures).Scan(&b.SlowOrigins)
	return b, pg.Translate(err)
}
