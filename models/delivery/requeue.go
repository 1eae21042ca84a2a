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
UPDATE deliveries SET destination_id = $3, origin = $4
WHERE id = ANY(ARRAY(SELECT id FROM deliveries WHERE workspace_id = $1 AND execution_id = $2 AND state IN ('pending', 'sending')
                     ORDER BY id FOR UPDATE))`

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

// requeue makes each event's delivery due now with a new schedule. Rows are
// locked in the order of their ids, as everywhere.
const requeue = `
WITH known AS (
    SELECT id FROM deliveries WHERE workspace_id = $1 AND execution_id = $2 AND seq = ANY ($5) ORDER BY id FOR UPDATE
)
INSERT INTO deliveries AS d (workspace_id, execution_id, destination_id, origin, seq, due_at)
SELECT $1, $2, $3, $4, s.seq, (SELECT clock_timestamp())
FROM unnest($5::bigint[]) AS s (seq) WHERE (SELECT count(*) FROM known) >= 0 ORDER BY s.seq
ON CONFLICT ON CONSTRAINT deliveries_once DO UPDATE SET
    destination_id = excluded.destination_id, origin = excluded.origin, round = 0, due_at = excluded.due_at,
    state = CASE WHEN d.state = 'sending' THEN 'sending' ELSE 'pending' END`

// Requeue gives each of the events a new round of attempts, due now, and gives how
// many these are. An attempt under way becomes the first of its new round.
func (to Route) Requeue(ctx context.Context, tx *pg.Tx, workspaceID, executionID string, seqs []int64) (int, error) {
	if len(seqs) == 0 {
		return 0, nil
	}
	tag, err := tx.Exec(ctx, requeue, workspaceID, executionID, to.DestinationID, to.Origin, seqs)
	return int(tag.RowsAffected()), err
}
