package delivery

import (
	"context"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
)

// Waiting is a destination for which deliveries wait or are under way. Kind is endpoint,
// receiver or mail; an endpoint's destination has its id. Deliveries are counted up to
// CountedUpTo. NextAttemptAt is nil where all of them are under way.
type Waiting struct {
	WorkspaceID   string     `json:"workspaceId"`
	DestinationID string     `json:"destinationId"`
	Kind          string     `json:"kind"`
	Deliveries    int        `json:"deliveries"`
	NextAttemptAt *time.Time `json:"nextAttemptAt"`
}

// CountedUpTo is up to where the deliveries of a destination are counted: a count of all
// would cost what waits.
const CountedUpTo = 10_000

//go:embed waiting.sql
var waiting string

// Waiting returns the destinations for which deliveries wait or are under way, those of one
// workspace or, where it is empty, all.
func (d *Deliveries) Waiting(ctx context.Context, workspaceID string) ([]Waiting, error) {
	rows, err := d.db.Pool.Query(ctx, waiting, pgx.NamedArgs{"workspace": workspaceID, "counted": CountedUpTo})
	if err != nil {
		return nil, pg.Translate(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Waiting])
	return found, pg.Translate(err)
}

// dueBatch is how many deliveries one statement makes due.
const dueBatch = 1000

// makeRowsDue passes over rows that are locked, as claims do: those are being tried.
const makeRowsDue = `
UPDATE open_deliveries SET due_at = clock_timestamp() WHERE id = ANY(ARRAY(
    SELECT id FROM open_deliveries WHERE destination_id = $1 AND locked_until = '-infinity' AND due_at > statement_timestamp()
    ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED))`

// makeDue makes all that waits for a destination due now and returns how much that was. Each
// goes on with its schedule.
func makeDue(ctx context.Context, db *pg.DB, destinationID string) (made int, err error) {
	for {
		tag, err := db.Pool.Exec(ctx, makeRowsDue, destinationID, dueBatch)
		if err != nil {
			return made, pg.Translate(err)
		}
		made += int(tag.RowsAffected())
		if tag.RowsAffected() < dueBatch {
			db.Notify(notifier.Destinations, destinationID)
			return made, nil
		}
	}
}
