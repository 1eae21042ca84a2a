package delivery

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
)

// expireBatch is how many locks that ran out are ended together.
const expireBatch = 100

// expired reads attempts whose lock ran out: the process died during them. The
// address is the endpoint's present one.
const expired = `
SELECT q.id, d.workspace_id, q.origin, d.attempt - 1, coalesce(d.mail_id, ''), coalesce(d.message_id, ''), coalesce(m.event, ''), d.cause = 'test', coalesce(e.url, '')
FROM (SELECT id, origin FROM open_deliveries WHERE destination_id = $1 AND held_until <= clock_timestamp() ORDER BY id LIMIT $2) q
CROSS JOIN LATERAL (SELECT * FROM deliveries WHERE id = q.id OFFSET 0) d
LEFT JOIN messages m ON m.id = d.message_id LEFT JOIN endpoints e ON e.id = d.destination_id ORDER BY q.id`

// ExpireLocks ends the attempts at a destination that were interrupted, like any other
// outcome, and gives how many these were.
func (d *Deliveries) ExpireLocks(ctx context.Context, destinationID string) (int, error) {
	total := 0
	for {
		outcomes, err := d.interrupted(ctx, destinationID)
		if err != nil {
			return total, err
		}
		done, err := d.Record(ctx, outcomes)
		total += done.Kept
		if err != nil || len(outcomes) < expireBatch || done.Kept == 0 {
			return total, err
		}
	}
}

// interrupted gives attempts whose lock ran out, as outcomes.
func (d *Deliveries) interrupted(ctx context.Context, destinationID string) ([]Outcome, error) {
	rows, err := d.db.Pool.Query(ctx, expired, destinationID, expireBatch)
	if err != nil {
		return nil, pg.Translate(err)
	}
	outcomes, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (Outcome, error) {
		c, m := &Claimed{DestinationID: destinationID}, &ClaimedMessage{}
		err := row.Scan(&c.ID, &c.WorkspaceID, &c.Origin, &c.Attempt, &c.MailID, &m.ID, &m.Event, &m.Test, &c.URL)
		if m.ID != "" {
			c.Message = m
		}
		return Outcome{Claimed: c, Class: webhook.Interrupted}, err
	})
	return outcomes, pg.Translate(err)
}

func newAttemptIDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		ids[i] = id.New(id.Attempt)
	}
	return ids
}
