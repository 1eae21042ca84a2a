package delivery

import (
	"context"

	"gorm.io/gorm"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Route is where an execution's deliveries go.
type Route struct {
	DestinationID, Origin string
}

// moveWaiting moves what waits, and what is under way, to the new receiver: an
// attempt under way ends at the old one, the next goes to the new.
const moveWaiting = `
WITH moved AS (
    UPDATE open_deliveries SET destination_id = $3, origin = $4 WHERE id = ANY(ARRAY(
        SELECT id FROM open_deliveries WHERE id = ANY(ARRAY(
            SELECT id FROM deliveries WHERE workspace_id = $1 AND execution_id = $2 AND state IN ('pending', 'sending')))
        ORDER BY id FOR UPDATE))
    RETURNING id
)
UPDATE deliveries SET destination_id = $3 WHERE id = ANY(ARRAY(SELECT id FROM moved))`

// Take moves what waits for an execution's receiver to this route.
func (to Route) Take(ctx context.Context, tx *pg.Tx, workspaceID, executionID string) error {
	_, err := tx.Exec(ctx, moveWaiting, workspaceID, executionID, to.DestinationID, to.Origin)
	return err
}

// FailedEvents gives the numbers of the events of an execution whose delivery
// failed for good.
func FailedEvents(ctx context.Context, tx *pg.Tx, workspaceID, executionID string) (seqs []int64, err error) {
	err = gorm.G[deliveryRow](tx.Gorm()).Select("seq").Scopes(pg.Tenant(workspaceID)).
		Where("execution_id = ? AND state IN ('dead', 'refused')", executionID).Scan(ctx, &seqs)
	return seqs, err
}

// requeue makes each event's delivery due now with a new schedule. The execution's
// row is locked, so nobody else makes these rows; those that are open are locked
// before their deliveries change, in the order of their ids, as everywhere.
const requeue = `
WITH made AS (
    INSERT INTO deliveries (workspace_id, execution_id, destination_id, seq)
    SELECT $1, $2, $3, s.seq FROM unnest($5::bigint[]) AS s (seq) ORDER BY s.seq
    ON CONFLICT (workspace_id, execution_id, seq) WHERE execution_id IS NOT NULL DO NOTHING RETURNING id
), known AS (
    SELECT id FROM deliveries WHERE workspace_id = $1 AND execution_id = $2 AND seq = ANY ($5)
), opened AS (
    INSERT INTO open_deliveries (id, destination_id, origin, due_at)
    SELECT id, $3, $4, (SELECT clock_timestamp()) FROM (SELECT id FROM known UNION ALL SELECT id FROM made) AS each (id) ORDER BY id
    ON CONFLICT (id) DO UPDATE SET destination_id = excluded.destination_id, origin = excluded.origin, due_at = excluded.due_at
    RETURNING id
), renewed AS (
    UPDATE deliveries SET destination_id = $3, round = 0, interrupted = 0, state = CASE WHEN state = 'sending' THEN 'sending' ELSE 'pending' END
    WHERE id = ANY(ARRAY(SELECT id FROM opened WHERE id IN (SELECT id FROM known)))
)
SELECT 1 FROM opened`

// Requeue gives each of the events a new round of attempts, due now, and gives how
// many these are. An attempt under way becomes the first of its new round.
func (to Route) Requeue(ctx context.Context, tx *pg.Tx, workspaceID, executionID string, seqs []int64) (int, error) {
	if len(seqs) == 0 {
		return 0, nil
	}
	tag, err := tx.Exec(ctx, requeue, workspaceID, executionID, to.DestinationID, to.Origin, seqs)
	return int(tag.RowsAffected()), err
}
