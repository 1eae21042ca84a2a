package delivery

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

var (
	// removeWaiting removes what waits or is under way of executions.
	//
	//go:embed remove_waiting.sql
	removeWaiting string
	// removeAttempts and removeDeliveries remove some of what is left of executions.
	//
	//go:embed remove_attempts.sql
	removeAttempts string
	//go:embed remove_deliveries.sql
	removeDeliveries string
)

// EndOfExecutions queues that the deliveries of executions, which are locked, are sent no more:
// one that is under way ends and is not recorded.
func EndOfExecutions(b *pgx.Batch, workspaceID string, executionIDs []string) {
	b.Queue(removeWaiting, workspaceID, executionIDs)
}

// RemoveOfExecutions removes some of the attempts and deliveries of executions that are gone and
// returns how many rows these were, limit at most; 0 when none are left.
func RemoveOfExecutions(ctx context.Context, db *pg.DB, workspaceID string, executionIDs []string, limit int) (removed int64, err error) {
	for _, statement := range []string{removeAttempts, removeDeliveries} {
		if removed, err = db.Exec(ctx, statement, workspaceID, executionIDs, limit); err != nil || removed > 0 {
			return removed, err
		}
	}
	return 0, nil
}
