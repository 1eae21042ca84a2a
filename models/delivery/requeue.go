package delivery

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Route is where an execution's deliveries go.
type Route struct {
	DestinationID, Origin string
}

//go:embed move_waiting.sql
var moveWaiting string

func (to Route) args(workspaceID, executionID string) pgx.NamedArgs {
	return pgx.NamedArgs{"workspace": workspaceID, "execution": executionID, "destination": to.DestinationID, "origin": to.Origin}
}

// Take moves what waits for an execution's receiver to this route.
func (to Route) Take(ctx context.Context, tx *pg.Tx, workspaceID, executionID string) error {
	_, err := tx.Exec(ctx, moveWaiting, to.args(workspaceID, executionID))
	return err
}

// FailedEvents returns the numbers of the events of an execution whose delivery
// failed for good.
func FailedEvents(ctx context.Context, tx *pg.Tx, workspaceID, executionID string) (seqs []int64, err error) {
	err = gorm.G[deliveryRow](tx.Gorm()).Select("seq").Scopes(pg.Tenant(workspaceID)).
		Where("execution_id = ? AND state IN ('dead', 'refused')", executionID).Scan(ctx, &seqs)
	return seqs, err
}

//go:embed requeue.sql
var requeue string

// Requeue gives each of the events a new round of attempts, due now, and returns how
// many these are. An attempt under way becomes the first of its new round.
func (to Route) Requeue(ctx context.Context, tx *pg.Tx, workspaceID, executionID string, seqs []int64) (int, error) {
	if len(seqs) == 0 {
		return 0, nil
	}
	args := to.args(workspaceID, executionID)
	args["seqs"] = seqs
	tag, err := tx.Exec(ctx, requeue, args)
	return int(tag.RowsAffected()), err
}
