package delivery

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/webhook"

	"github.com/redline-svc/redline/models/internal/pg"
)

// cancelBatch is how many rows one statement ends.
const cancelBatch = 1000

// cancelClosed cuts what was committed for an endpoint beside the change that
// closed it.
const cancelClosed = `
UPDATE destinations SET cut_id = (SELECT coalesce(max(id), 0) FROM deliveries), cut_class = endpoint_closed(id), cut_at = clock_timestamp()
WHERE id = $1 AND kind = 'endpoint' AND endpoint_closed(id) IS NOT NULL`

// endCancelled ends waiting rows behind the cut; the text of a mail goes with it.
func (d *Deliveries) endCancelled() string {
	return `
WITH cut AS (
    SELECT d.id, k.cut_class FROM destinations k JOIN deliveries d ON d.destination_id = k.id AND d.state = 'pending'
    WHERE k.id = $1 AND k.cut_id IS NOT NULL AND cut_off(d.id, d.cause, k.cut_id, k.cut_class) LIMIT $2 FOR UPDATE OF d SKIP LOCKED
), done AS (
    UPDATE deliveries SET state = 'dead', due_at = NULL, class = (SELECT cut_class FROM cut LIMIT 1) WHERE id = ANY(ARRAY(SELECT id FROM cut))
    RETURNING mail_id, class
), mailed AS (` + d.mails.End + ` 'disabled'
    FROM done d WHERE m.id = d.mail_id AND m.result IS NULL
)
SELECT count(*) FROM done`
}

// forgetCancel removes a cut that has nothing left to end; what is under way may
// come back to it.
const forgetCancel = `
UPDATE destinations k SET cut_id = NULL, cut_class = NULL, cut_at = NULL WHERE k.id = $1 AND k.cut_id IS NOT NULL
AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.destination_id = k.id AND d.state = 'pending' AND cut_off(d.id, d.cause, k.cut_id, k.cut_class))
AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.destination_id = k.id AND d.state = 'sending' AND cut_off(d.id, d.cause, k.cut_id, k.cut_class))`

// EndCancelled ends some of the rows that wait for an endpoint that was deleted or
// disabled, or for what else was switched off. It tells whether there may be
// more.
func (d *Deliveries) EndCancelled(ctx context.Context, destinationID string) (more bool, err error) {
	var ended int
	b := &pgx.Batch{}
	b.Queue(cancelClosed, destinationID)
	b.Queue(d.endCancelled(), destinationID, cancelBatch).QueryRow(func(row pgx.Row) error { return row.Scan(&ended) })
	b.Queue(forgetCancel, destinationID)
	err = d.db.Pool.SendBatch(ctx, b).Close()
	return ended == cancelBatch, pg.Translate(err)
}

// cancelWaiting ends what waits; an attempt under way becomes the last.
func (d *Deliveries) cancelWaiting() string {
	return `
WITH done AS (
    UPDATE deliveries SET state = CASE WHEN state = 'pending' THEN 'dead' ELSE state END,
           due_at = CASE WHEN state = 'pending' THEN NULL ELSE due_at END,
           class = CASE WHEN state = 'pending' THEN $3 ELSE class END,
           round = CASE WHEN state = 'sending' THEN $4 ELSE round END
    WHERE id = ANY(ARRAY(SELECT id FROM deliveries WHERE destination_id = $2 AND workspace_id = $1 AND state IN ('pending', 'sending')
                         ORDER BY id FOR UPDATE))
    RETURNING mail_id, state, class
), mailed AS (` + d.mails.End + ` 'failed'
    FROM done d WHERE m.id = d.mail_id AND d.state = 'dead' AND m.result IS NULL
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
