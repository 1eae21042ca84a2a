package delivery

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
)

// recovered is what a look at some of the messages of a recovery did.
type recovered struct {
	// behind is the last message looked at, more whether others may follow it.
	behind string
	more   bool
	// examined are the messages of the window, requeued those of them that were queued.
	examined, requeued int64
}

// idSlack is by how much the time in a message's id may differ from that of its row,
// where it was made by the clock of a process.
const idSlack = time.Minute

// findMissed looks at messages from the oldest on and gives those that match an
// endpoint and of which it has taken none and waits for none. What an open delivery
// waits for is nothing where a cancellation is to end it. A body that is gone, a test
// and what speaks of the endpoint are nothing to be sent.
const findMissed = `
WITH seen AS MATERIALIZED (
    SELECT m.id, m.event, m.tags, m.about, m.test, m.created_at >= $5 AND m.created_at < $6 AS inside
    FROM messages m WHERE m.workspace_id = $1 AND m.id > $3 AND m.id < $4 ORDER BY m.id LIMIT $7
), missed AS (
    SELECT s.id FROM endpoints e LEFT JOIN destinations k ON k.id = e.id CROSS JOIN seen s
    WHERE e.workspace_id = $1 AND e.id = $2 AND s.inside AND NOT s.test AND s.about IS DISTINCT FROM e.id
      AND (e.filter_types IS NULL OR s.event = ANY (e.filter_types)) AND (e.channels IS NULL OR e.channels && s.tags)
      AND EXISTS (SELECT FROM message_bodies b WHERE b.message_id = s.id OFFSET 0)
      AND NOT EXISTS (
          SELECT FROM deliveries d LEFT JOIN open_deliveries w ON w.id = d.id
          WHERE d.message_id = s.id AND d.destination_id = e.id AND (d.state = 'delivered'
             OR w.id IS NOT NULL AND d.round < $8 AND NOT is_cancelled(coalesce(w.number, w.id), w.cause, k.cancel_id, k.cancel_class)) OFFSET 0)
)
SELECT coalesce((SELECT max(id) FROM seen), $3), (SELECT count(*) FROM seen) = $7, (SELECT count(*) FROM seen WHERE inside), ARRAY(SELECT id FROM missed ORDER BY id)`

// queueMissed queues some of what the endpoint of a recovery missed, from the oldest on,
// behind everything else that waits for it. It looks at so many messages.
func (at recoveryRow) queueMissed(ctx context.Context, tx *pg.Tx, atOnce int) (recovered, error) {
	done, ids, err := at.findMissed(ctx, tx, atOnce)
	if err != nil || len(ids) == 0 {
		return done, err
	}
	b := &pgx.Batch{}
	enqueueDestinations(b, at.WorkspaceID, []string{at.EndpointID})
	queueAgain(b, at.WorkspaceID, at.EndpointID, causeRecover, recoveredOrigin, ids)
	tx.Notify(notifier.Destinations, at.EndpointID)
	done.requeued = int64(len(ids))
	return done, tx.SendBatch(ctx, b).Close()
}

func (at recoveryRow) findMissed(ctx context.Context, tx *pg.Tx, atOnce int) (done recovered, ids []string, err error) {
	behind := max(at.Behind, id.First(id.Message, at.Since.Add(-idSlack)))
	until := at.Until.Add(time.Millisecond)
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(pg.InOrder)
	b.Queue(findMissed, at.WorkspaceID, at.EndpointID, behind, id.First(id.Message, until.Add(idSlack)), at.Since, until, atOnce, lastRound).
		QueryRow(func(row pgx.Row) error { return row.Scan(&done.behind, &done.more, &done.examined, &ids) })
	return done, ids, tx.SendBatch(ctx, b).Close()
}
