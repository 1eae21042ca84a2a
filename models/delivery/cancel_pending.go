package delivery

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
)

// cancelBatch is how many rows one statement ends.
const cancelBatch = 1000

// A cancellation is a mark on the destination: cancel_id is the highest delivery that
// it covers, cancel_class why, cancel_at when; the function is_cancelled says whether a
// delivery is covered. CancelPending sets the mark in the transaction of the
// change, however many rows wait; EndCancelled ends the rows in batches and then
// removes the mark. What is queued again has a number of its own from the sequence
// of the ids, so a mark that is still there does not cover it and a later one does.

// lastNumber is the highest number that a delivery has had.
const lastNumber = `(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM deliveries_id_seq)`

// cancelClosed renews the mark of an endpoint that is closed, so that it covers
// deliveries which were committed at the same time as the change that closed it.
const cancelClosed = `
UPDATE destinations SET cancel_id = ` + lastNumber + `, cancel_class = endpoint_closed(id), cancel_at = clock_timestamp()
WHERE id = $1 AND kind = 'endpoint' AND endpoint_closed(id) IS NOT NULL`

// endCancelled ends pending rows that the mark covers; the text of a mail is
// erased with its delivery. A mail that an operator ends has failed.
func (d *Deliveries) endCancelled() string {
	return `
WITH cancelled AS (
    SELECT d.id, k.cancel_class FROM destinations k JOIN open_deliveries d ON d.destination_id = k.id AND d.locked_until = '-infinity'
    WHERE k.id = $1 AND k.cancel_id IS NOT NULL AND is_cancelled(coalesce(d.number, d.id), d.cause, k.cancel_id, k.cancel_class) LIMIT $2 FOR UPDATE OF d SKIP LOCKED
), closed AS (
    DELETE FROM open_deliveries WHERE id = ANY(ARRAY(SELECT id FROM cancelled)) RETURNING id
), done AS (
    UPDATE deliveries SET state = 'dead', class = (SELECT cancel_class FROM cancelled LIMIT 1) WHERE id = ANY(ARRAY(SELECT id FROM closed))
    RETURNING mail_id, class
), mailed AS (` + d.mails.End + ` CASE WHEN d.class = '` + string(webhook.Cancelled) + `' THEN 'failed' ELSE 'disabled' END
    FROM done d WHERE m.id = d.mail_id AND m.result IS NULL` + d.mails.Lock + `
)
SELECT count(*) FROM done`
}

// forgetCancel removes the mark once it covers no row that is pending or being
// sent: an attempt that fails makes its row pending again, which then has to end.
const forgetCancel = `
UPDATE destinations k SET cancel_id = NULL, cancel_class = NULL, cancel_at = NULL WHERE k.id = $1 AND k.cancel_id IS NOT NULL
AND NOT EXISTS (SELECT FROM open_deliveries d WHERE d.destination_id = k.id AND is_cancelled(coalesce(d.number, d.id), d.cause, k.cancel_id, k.cancel_class))`

// EndCancelled ends some of the rows that wait for an endpoint that was deleted or
// disabled, or for anything else that was switched off. more says that others may
// be left.
func (d *Deliveries) EndCancelled(ctx context.Context, destinationID string) (more bool, err error) {
	ended, err := d.endSome(ctx, destinationID)
	return ended == cancelBatch, err
}

// endSome is EndCancelled, and returns how many it ended.
func (d *Deliveries) endSome(ctx context.Context, destinationID string) (ended int, err error) {
	b := &pgx.Batch{}
	b.Queue(cancelClosed, destinationID)
	b.Queue(d.endCancelled(), destinationID, cancelBatch).QueryRow(func(row pgx.Row) error { return row.Scan(&ended) })
	b.Queue(forgetCancel, destinationID)
	err = d.db.Pool.SendBatch(ctx, b).Close()
	return ended, pg.Translate(err)
}

// markCancelled marks what waits for a destination as ended by an operator. From its
// commit on nothing of it is claimed.
const markCancelled = `
UPDATE destinations SET cancel_id = (SELECT coalesce(max(id), 0) FROM deliveries), cancel_class = $3, cancel_at = clock_timestamp()
WHERE workspace_id = $1 AND id = $2`

// lastAttempts makes the attempts under way the last ones.
const lastAttempts = `
WITH mine AS (
    SELECT id FROM open_deliveries WHERE destination_id = $1 AND locked_until > '-infinity' ORDER BY id FOR UPDATE
)
UPDATE deliveries SET round = $2 WHERE id = ANY(ARRAY(SELECT id FROM mine))`

// forgetOperators removes an operator's mark once nothing waits that it covers: what is
// under way ends by itself, and what is asked for again shall be sent.
const forgetOperators = `
UPDATE destinations k SET cancel_id = NULL, cancel_class = NULL, cancel_at = NULL WHERE k.id = $1 AND k.cancel_class = $2
AND NOT EXISTS (SELECT FROM open_deliveries d WHERE d.destination_id = k.id AND d.locked_until = '-infinity' AND is_cancelled(d.id, d.cause, k.cancel_id, k.cancel_class))`

// lastRound is above every schedule: the attempt under way is the last.
const lastRound = 1000

// CancelWaiting ends what waits for a destination, as an operator asked. An attempt under
// way may still succeed, it just is the last one; it counts in what is given. However
// much waits, it ends in batches, so that outcomes of others are stored meanwhile, and
// a repetition goes on where this was broken off.
func (d *Deliveries) CancelWaiting(ctx context.Context, workspaceID, destinationID string) (total int, err error) {
	marked, err := d.db.Pool.Exec(ctx, markCancelled, workspaceID, destinationID, webhook.Cancelled)
	if err != nil || marked.RowsAffected() == 0 {
		return 0, pg.Translate(err)
	}
	last, err := d.db.Pool.Exec(ctx, lastAttempts, destinationID, lastRound)
	if err != nil {
		return 0, pg.Translate(err)
	}
	total = int(last.RowsAffected())
	for ended := cancelBatch; ended == cancelBatch; total += ended {
		if ended, err = d.endSome(ctx, destinationID); err != nil {
			return total, err
		}
	}
	_, err = d.db.Pool.Exec(ctx, forgetOperators, destinationID, webhook.Cancelled)
	return total, pg.Translate(err)
}
