package models

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/queue"
)

// Backlog is what waits in rows at one moment.
type Backlog struct {
	// Queued is what is due in the queue, by its kind; Deliveries wait for an attempt or are under
	// way.
	Queued     map[queue.Kind]Waiting
	Deliveries Waiting
}

// Waiting is a number of rows, counted up to CountedRows, and for how long the
// oldest that is due has been so, in seconds. What fails in the queue is due since it has failed for the
// first time. Deliveries to destinations with a throttled origin do not count for the age, nor
// does what waits in the queue until its workspace has less in work.
type Waiting struct {
	Rows   int64
	Oldest float64
}

// CountedRows is up to where waiting rows are counted: that there are more is no
// other news, and a count would cost what waits.
const CountedRows = 10_000

// upTo is the text of a count of the rows that a query returns, up to CountedRows.
func upTo(query string) string {
	return `(SELECT count(*) FROM (` + query + ` LIMIT ` + strconv.Itoa(CountedRows) + `) c)`
}

// secondsSince is the text of how many seconds have passed since a time.
func secondsSince(at string) string {
	return `extract(epoch FROM clock_timestamp() - ` + at + `)::float8`
}

// Each statement gives a number of rows and the age of the oldest in seconds. It
// counts by a partial index of just those rows, and finds the oldest by the
// beginning of an index: of the whole table, of each destination or of each workspace.
var (
	countDeliveries = `
WITH RECURSIVE heads AS (
    (SELECT destination_id, due_at FROM open_deliveries ORDER BY destination_id, due_at LIMIT 1)
    UNION ALL
    SELECT n.* FROM heads h CROSS JOIN LATERAL (
        SELECT destination_id, due_at FROM open_deliveries WHERE destination_id > h.destination_id ORDER BY destination_id, due_at LIMIT 1) n
)
SELECT ` + upTo(`SELECT FROM open_deliveries`) + `,
` + secondsSince(`(SELECT min(h.due_at) FROM heads h LEFT JOIN destinations k ON k.id = h.destination_id WHERE k.throttled IS NOT TRUE)`)
)

// backlogCount is a statement that counts, and where its answer goes.
type backlogCount struct {
	note  func(found *Backlog, w Waiting)
	query string
	args  []any
}

// backlogCounts are the statements of a backlog, by what they count.
func backlogCounts() map[string]backlogCount {
	counts := map[string]backlogCount{
		"delivery": {func(found *Backlog, w Waiting) { found.Deliveries = w }, countDeliveries, nil},
	}
	for _, kind := range queue.Kinds() {
		statement, args := queue.Count(kind, CountedRows)
		counts[string(kind)] = backlogCount{func(found *Backlog, w Waiting) { found.Queued[kind] = w }, statement, args}
	}
	return counts
}

// ReadBacklog counts what waits.
func ReadBacklog(ctx context.Context, db *pg.DB) (Backlog, error) {
	found := Backlog{Queued: map[queue.Kind]Waiting{}}
	b := &pgx.Batch{}
	for _, count := range backlogCounts() {
		b.Queue(count.query, count.args...).QueryRow(func(row pgx.Row) error {
			var waiting Waiting
			var age *float64
			err := row.Scan(&waiting.Rows, &age)
			if age != nil {
				waiting.Oldest = max(*age, 0)
			}
			count.note(&found, waiting)
			return err
		})
	}
	return found, pg.Translate(db.Pool.SendBatch(ctx, b).Close())
}
