package models

import (
	"context"
	"time"

	"github.com/redline-svc/redline/internal/fault"
)

// StartWithin is for how long a draw lets attempts at an endpoint, and mails,
// start, counted from before the draw; one that comes later asks again
// (StartLate). So who closes an endpoint or switches mails off knows when no
// attempt that was drawn before starts any more, whichever process drew it.
const StartWithin = 500 * time.Millisecond

// startLate renews the beginning of an attempt beside no cut: the row of the
// destination is locked until the commit.
const startLate = `
WITH k AS (SELECT cut_id, cut_class FROM destinations WHERE id = $1 FOR SHARE)
UPDATE deliveries d SET begun_at = clock_timestamp() FROM k
WHERE d.id = $2 AND d.attempt = $3 AND d.held_until IS NOT NULL AND NOT cut_off(d.id, d.cause, k.cut_id, k.cut_class)`

// StartLate tells whether a drawn row may still be sent, for as long again as a
// draw gives.
func (d *Deliveries) StartLate(ctx context.Context, row *Drawn) (bool, error) {
	tag, err := d.db.Pool.Exec(ctx, startLate, row.DestinationID, row.ID, row.Attempt+1)
	return tag.RowsAffected() > 0, translate(err)
}

// lastStart is in how many seconds the last attempt begun at some destinations
// can start no more.
const lastStart = `
SELECT coalesce(extract(epoch FROM max(begun_at) + $2::interval - clock_timestamp()), 0)::float8
FROM deliveries WHERE destination_id = ANY($1) AND state = 'sending'`

// startPoll is how often it is looked whether the attempts begun have ended.
const startPoll = 20 * time.Millisecond

// awaitStarts returns when no attempt starts any more at destinations that were
// cut by a transaction that is committed: most have ended within milliseconds.
// What is on its way then still ends.
func (db *DB) awaitStarts(ctx context.Context, destinationIDs []string) error {
	for len(destinationIDs) > 0 {
		var left float64
		if err := db.Pool.QueryRow(ctx, lastStart, destinationIDs, StartWithin).Scan(&left); err != nil {
			return fault.Late(err)
		}
		if left <= 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return fault.Late(ctx.Err())
		case <-time.After(min(startPoll, time.Duration(left*float64(time.Second)))):
		}
	}
	return nil
}
