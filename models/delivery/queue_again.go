package delivery

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
)

// queueAgainRows queues messages for an endpoint, in their order. A delivery that was
// never made is made, one that has ended begins a new schedule, due now. One that
// waits is due now and goes on with its schedule, one under way goes on as it is;
// either begins anew where a cancellation was to end it. Open rows are locked
// before their deliveries change, in the order of their ids, as everywhere.
const queueAgainRows = `
WITH mark AS (
    SELECT cancel_id, cancel_class FROM destinations WHERE id = $2
), made AS (
    INSERT INTO deliveries (workspace_id, destination_id, message_id, cause)
    SELECT $1, $2, m.id, $4 FROM unnest($3::text[]) WITH ORDINALITY AS m (id, n) ORDER BY m.n
    ON CONFLICT (message_id, destination_id) WHERE message_id IS NOT NULL DO NOTHING RETURNING id
), known AS (
    SELECT d.id, w.id IS NULL OR d.round >= $5 OR is_cancelled(coalesce(w.number, w.id), w.cause, k.cancel_id, k.cancel_class) AS again
    FROM mark k CROSS JOIN unnest($3::text[]) AS m (id)
    CROSS JOIN LATERAL (SELECT id, round FROM deliveries WHERE message_id = m.id AND destination_id = $2 OFFSET 0) d
    LEFT JOIN LATERAL (SELECT id, cause, number FROM open_deliveries WHERE id = d.id OFFSET 0) w ON true
), opened AS (
    INSERT INTO open_deliveries AS w (id, destination_id, origin, cause, due_at, number)
    SELECT e.id, $2, $6, $4, (SELECT clock_timestamp()), CASE WHEN k.cancel_id IS NOT NULL THEN nextval('deliveries_id_seq') END
    FROM mark k CROSS JOIN (SELECT id FROM known UNION ALL SELECT id FROM made) AS e (id) ORDER BY e.id
    ON CONFLICT (id) DO UPDATE SET due_at = least(w.due_at, excluded.due_at), origin = excluded.origin,
        number = CASE WHEN w.id = ANY(ARRAY(SELECT id FROM known WHERE again)) THEN excluded.number ELSE w.number END,
        cause = CASE WHEN w.id = ANY(ARRAY(SELECT id FROM known WHERE again)) THEN excluded.cause ELSE w.cause END
    RETURNING id
), renewed AS (
    UPDATE deliveries d SET round = 0, interrupted = 0, cause = $4, state = CASE WHEN d.state = 'sending' THEN 'sending' ELSE 'pending' END
    WHERE d.id = ANY(ARRAY(SELECT id FROM opened)) AND d.id = ANY(ARRAY(SELECT id FROM known))
      AND (d.id = ANY(ARRAY(SELECT id FROM known WHERE again)) OR d.state NOT IN ('pending', 'sending'))
)
SELECT count(*) FROM opened`

// resend queues a message for an endpoint again, whatever has become of it and
// whatever the endpoint's filters are. Errors: NOT_FOUND message, also where its body is
// gone; FAILED_PRECONDITION where it speaks of the endpoint.
func resend(ctx context.Context, tx *pg.Tx, b *pgx.Batch, workspaceID, messageID, endpointID string) error {
	var about *string
	err := tx.QueryRow(ctx, `SELECT m.about FROM messages m JOIN message_bodies b ON b.message_id = m.id
		WHERE m.workspace_id = $1 AND m.id = $2 FOR KEY SHARE`, workspaceID, messageID).Scan(&about)
	switch {
	case pg.IsNoRow(err):
		return fault.NotFound("message")
	case err != nil:
		return err
	case about != nil && *about == endpointID:
		return fault.FailedPrecondition("speaks-of-endpoint", "the message is about this endpoint, which never gets it")
	}
	enqueueDestinations(b, workspaceID, []string{endpointID})
	queueAgain(b, workspaceID, endpointID, causeResend, ownOrigin, []string{messageID})
	tx.Notify(notifier.Destinations, endpointID)
	return nil
}

// queueAgain adds queueAgainRows to a commit's batch, behind enqueueDestinations.
func queueAgain(b *pgx.Batch, workspaceID, endpointID, cause, origin string, messageIDs []string) {
	b.Queue(pg.ByKeys)
	b.Queue(queueAgainRows, workspaceID, endpointID, messageIDs, cause, lastRound, origin)
}
