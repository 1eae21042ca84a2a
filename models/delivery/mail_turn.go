package delivery

import (
	"context"
	_ "embed"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

//go:embed mail_turn.sql
var takeTurn string

// leastWait is how soon a turn is asked for again.
const leastWait = 10 * time.Millisecond

// TakeMailTurn takes the turn of one mail in the pace that all mails of a workspace share,
// whoever hands them over. Without a turn it gives after how long to ask again.
func TakeMailTurn(ctx context.Context, db *pg.DB, workspaceID, destinationID string) (wait time.Duration, err error) {
	var taken bool
	var left float64
	args := pgx.NamedArgs{"workspace": workspaceID, "destination": destinationID, "mails_per_second": mailsPerSecond}
	if err := db.Pool.QueryRow(ctx, takeTurn, args).Scan(&taken, &left); err != nil {
		return 0, pg.Translate(err)
	}
	if taken {
		return 0, nil
	}
	return max(leastWait, time.Duration(left*float64(time.Second))), nil
}
