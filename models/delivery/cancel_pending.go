package delivery

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
)

// cancelBatch is how many rows one statement ends.
const cancelBatch = 1000

// A cancellation is a mark on the destination: cut_id is the highest delivery that
// it covers, cut_class why, cut_at when; the function cut_off says whether a
// delivery is covered. CancelPending sets the mark in the transaction of the
// change, however many rows wait; EndCancelled ends the rows in batches and then
// removes the mark.

// cancelClosed renews the mark of an endpoint that is closed, so that it covers
// deliveries which were committed at the same time as the change that closed it.
const cancelClosed = `
UPDATE destinations SET cut_id = (SELECT coalesce(max(id), 0) FROM deliveries), cut_class = endpoint_closed(id), cut_at = clock_timestamp()
WHERE id = $1 AND kind = 'endpoint' AND endpoint_closed(id) IS NOT NULL`

// endCancelled ends pending rows that the mark covers; the text of a mail is
// erased with its delivery.
func (d *Deliveries) endCancelled() string {
	return `
WITH cancelled AS (
    SELECT d.id, k.cut_class FROM destinations k JOIN open_deliveries d ON d.destination_id = k.id AND d.held_until IS NULL
    WHERE k.id = $1 AND k.cut_id IS NOT NULL AND cut_off(d.id, d.cause, k.cut_id, k.cut_class) LIMIT $2 FOR UPDATE OF d SKIP LOCKED
), closed AS (
    DELETE FROM open_deliveries WHERE id = ANY(ARRAY(SELECT id FROM cancelled)) RETURNING id
), done AS (
    UPDATE deliveries SET state = 'dead', class = (SELECT cut_class FROM cancelled LIMIT 1) WHERE id = ANY(ARRAY(SELECT id FROM closed))
    RETURNING mail_id, class
), mailed AS (` + d.mails.End + ` 'disabled'
    FROM done d WHERE m.id = d.mail_id AND m.result IS NULL` + d.mails.Lock + `
)
SELECT count(*) FROM done`
}

// forgetCancel removes the mark once it covers no row that is pending or being
// sent: an attempt that fails makes its row pending again, which then has to end.
const forgetCancel = `
UPDATE destinations k SET cut_id = NULL, cut_class = NULL, cut_at = NULL WHERE k.id = $1 AND k.cut_id IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM open_deliveries d WHERE d.destination_id = k.id AND d.held_until IS NULL AND cut_off(d.id, d.cause, k.cut_id, k.cut_class))
AND NOT EXISTS (SELECT 1 FROM open_deliveries d WHERE d.destination_id = k.id AND d.held_until IS NOT NULL AND cut_off(d.id, d.cause, k.cut_id, k.cut_class))`

// EndCancelled ends some of the rows that wait for an endpoint that was deleted or
// disabled, or for anything else that was switched off. more says that others may
// be left.
func (d *Deliveries) EndCancelled(ctx context.Context, destinationID string) (more bool, err error) {
	var ended int
	b := &pgx.Batch{}
	b.Queue(cancelClosed, destinationID)
	b.Queue(d.endCancelled(), destinationID, cancelBatch).QueryRow(func(row pgx.Row) error { return row.Scan(&ended) })
	b.Queue(forgetCancel, destinationID)
	err = d.db.Pool.SendBatch(ctx, b).Close()
	return ended == cancelBatch, pg.Translate(err)
}

// cancelWaiting ends what waits; an attempt under way becomes the last one.
func (d *Deliveries) cancelWaiting() string {
	return `
WITH mine AS (
    SELECT id, held_until IS NULL AS waits FROM open_deliveries
    WHERE destination_id = $2 AND EXISTS (SELECT 1 FROM destinations WHERE workspace_id = $1 AND id = $2) ORDER BY id FOR UPDATE
), closed AS (
    DELETE FROM open_deliveries WHERE id = ANY(ARRAY(SELECT id FROM mine WHERE waits))
), done AS (
    UPDATE deliveries SET state = CASE WHEN state = 'pending' THEN 'dead' ELSE state END,
           class = CASE WHEN state = 'pending' THEN $3 ELSE class END,
           round = CASE WHEN state = 'sending' THEN $4 ELSE round END
    WHERE id = ANY(ARRAY(SELECT id FROM mine))
    RETURNING mail_id, state, class
), mailed AS (` + d.mails.End + ` 'failed'
    FROM done d WHERE m.id = d.mail_id AND d.state = 'dead' AND m.result IS NULL` + d.mails.Lock + `
)
SELECT count(*) FROM done`
}

// lastRound is above every schedule: the attempt under way is the last.
const lastRound = 1000

// CancelWaiting ends what waits for a destination, as an operator asked. An
// attempt under way may still succeed, it just is the last one.
func (d *Deliveries) CancelWaiting(ctx context.Context, workspaceID, destinationID string) (int, error) {
	var n int
	err := d.db.Pool.QueryRow(ctx, d.cancelWaiting(), workspaceID, destinationID, webhook.Cancelled, lastRound).Scan(&n)
	return n, pg.Translate(err)
}
