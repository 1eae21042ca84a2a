package models

import "context"

// Backlog is what waits in rows at one moment.
type Backlog struct {
	// Executions are owed a start or a poke; Deliveries wait for an attempt or
	// are under way.
	Executions, Deliveries Waiting
	// SlowOrigins are receivers in the slow lane.
	SlowOrigins int64
}

// slowFailures in a row bring an origin into the slow lane; the function
// waiting_origins of the schema has the same number.
const slowFailures = 5

// Waiting is a number of rows, and for how long the oldest that is due has been
// so, in seconds; of deliveries those to origins in the slow lane do not count
// for the age.
type Waiting struct {
	Rows   int64
	Oldest float64
}

// ReadBacklog counts what waits. Every count goes over a partial index of just
// those rows, so it costs what waits and not what is there.
func ReadBacklog(ctx context.Context, db *DB) (Backlog, error) {
	var b Backlog
	err := db.Pool.QueryRow(ctx, `
		SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(poke_at)), 0)::float8
		FROM executions WHERE poke_at IS NOT NULL`).Scan(&b.Executions.Rows, &b.Executions.Oldest)
	if err != nil {
		return b, translate(err)
	}
	err = db.Pool.QueryRow(ctx, `
		SELECT count(*), coalesce(extract(epoch FROM clock_timestamp() - min(d.due_at)
			FILTER (WHERE coalesce(o.failures, 0) < $1)), 0)::float8
		FROM (SELECT destination_id, origin, due_at FROM deliveries WHERE state = 'pending'
			UNION ALL SELECT destination_id, origin, due_at FROM deliveries WHERE state = 'sending') AS d
		LEFT JOIN origins o ON o.destination_id = d.destination_id AND o.origin = d.origin`, slowFailures).
		Scan(&b.Deliveries.Rows, &b.Deliveries.Oldest)
	if err != nil {
		return b, translate(err)
	}
	err = db.Pool.QueryRow(ctx, `SELECT count(*) FROM origins WHERE failures >= $1`, slowFailures).Scan(&b.SlowOrigins)
	b.Executions.Oldest, b.Deliveries.Oldest = max(b.Executions.Oldest, 0), max(b.Deliveries.Oldest, 0)
	return b, translate(err)
}
