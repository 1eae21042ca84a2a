package delivery

import (
	"context"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
)

// reviveBatch is how many expired holds one statement ends.
const reviveBatch = 100

// reviveRows ends holds that ran out: the process died during the attempt. The
// row is due again at once and has used up no step of its schedule.
const reviveRows = `
WITH lapsed AS (
    SELECT id FROM deliveries WHERE destination_id = $1 AND state = 'sending' AND held_until <= clock_timestamp()
    ORDER BY id LIMIT cardinality($2::text[]) FOR UPDATE SKIP LOCKED
), back AS (
    UPDATE deliveries SET state = 'pending', held_until = NULL, class = $3 WHERE id = ANY(ARRAY(SELECT id FROM lapsed))
    RETURNING id, workspace_id, destination_id, message_id, attempt, cause, begun_at, due_at
), kept AS (`

// The end of reviveRows keeps the attempt that was interrupted; of mails nothing
// is kept. The address is the endpoint's present one.
const (
	revivedEvents = `
    INSERT INTO delivery_attempts (delivery_id, attempt, id, workspace_id, at, class)
    SELECT id, attempt - 1, ($2::text[])[row_number() OVER ()], workspace_id, begun_at, $3 FROM back
) SELECT 1 FROM back`
	revivedMessages = `
    INSERT INTO endpoint_attempts (id, workspace_id, endpoint_id, message_id, event, attempt, cause, succeeded, class, started_at, next_attempt_at, url)
    SELECT ($2::text[])[row_number() OVER ()], b.workspace_id, b.destination_id, b.message_id, m.event, b.attempt, b.cause, false, $3,
           b.begun_at, b.due_at, e.url
    FROM back b JOIN messages m ON m.id = b.message_id JOIN endpoints e ON e.id = b.destination_id
) SELECT 1 FROM back`
)

// Revive makes the rows of a destination whose attempts were interrupted pending
// again and gives how many these were.
func (d *Deliveries) Revive(ctx context.Context, kind, destinationID string) (int, error) {
	total := 0
	for {
		tag, err := d.db.Pool.Exec(ctx, d.policyOf(kind).revive, destinationID, newAttemptIDs(reviveBatch), webhook.Interrupted)
		if err != nil {
			return total, pg.Translate(err)
		}
		if total += int(tag.RowsAffected()); tag.RowsAffected() < reviveBatch {
			return total, nil
		}
	}
}

func newAttemptIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = id.New(id.Attempt)
	}
	return ids
}
