package delivery

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/nudge"
)

// Missed is what an endpoint may have missed: the messages made from Since to Until, both
// to the millisecond, that stand behind a message.
type Missed struct {
	WorkspaceID, EndpointID string
	Since, Until            time.Time
	Behind                  string
}

// MissedPortion is what a look at some of them did.
type MissedPortion struct {
	// Behind is the last message looked at, More whether others may follow it.
	Behind string
	More   bool
	// Examined are the messages of the window, Requeued those of them that were queued.
	Examined, Requeued int64
}

// IDSlack is by how much the time in a message's id may differ from that of its row,
// where it was made by the clock of a process.
const IDSlack = time.Minute

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
             OR w.id IS NOT NULL AND d.round < $8 AND NOT cut_off(coalesce(w.number, w.id), w.cause, k.cut_id, k.cut_class)) OFFSET 0)
)
SELECT coalesce((SELECT max(id) FROM seen), $3), (SELECT count(*) FROM seen) = $7, (SELECT count(*) FROM seen WHERE inside), ARRAY(SELECT id FROM missed ORDER BY id)`

// Recover queues some of what an endpoint missed, from the oldest on, behind everything
// else that waits for it. It looks at so many messages.
func Recover(ctx context.Context, tx *pg.Tx, m Missed, atOnce int) (MissedPortion, error) {
	done, ids, err := m.find(ctx, tx, atOnce)
	if err != nil || len(ids) == 0 {
		return done, err
	}
	b := &pgx.Batch{}
	enqueueDestinations(b, m.WorkspaceID, []string{m.EndpointID})
	queueAgain(b, m.WorkspaceID, m.EndpointID, causeRecover, recoveredOrigin, ids)
	tx.Wake(nudge.Destinations, m.EndpointID)
	done.Requeued = int64(len(ids))
	return done, tx.SendBatch(ctx, b).Close()
}

func (m Missed) find(ctx context.Context, tx *pg.Tx, atOnce int) (done MissedPortion, ids []string, err error) {
	behind := max(m.Behind, id.First(id.Message, m.Since.Add(-IDSlack)))
	until := m.Until.Add(time.Millisecond)
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(pg.InOrder)
	b.Queue(findMissed, m.WorkspaceID, m.EndpointID, behind, id.First(id.Message, until.Add(IDSlack)), m.Since, until, atOnce, lastRound).
		QueryRow(func(row pgx.Row) error { return row.Scan(&done.Behind, &done.More, &done.Examined, &ids) })
	return done, ids, tx.SendBatch(ctx, b).Close()
}
