package delivery

import (
	"context"
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

// takeTurn moves the pace of a destination on where it allows a row now, and gives for
// how long it does not, in seconds. It takes as much time of the pace as a claim takes
// for a row. The statement sees the pace as it was before, so who waited for the row of
// another turn reads a time that has passed.
const takeTurn = `
WITH taken AS (
    UPDATE destinations SET paced_until = clock_timestamp() + make_interval(secs => 1.05 / $3::integer)
    WHERE workspace_id = $1 AND id = $2 AND (paced_until IS NULL OR paced_until <= clock_timestamp()) RETURNING 1
)
SELECT EXISTS (SELECT FROM taken), coalesce(extract(epoch FROM paced_until - clock_timestamp())::float8, 0)
FROM destinations WHERE workspace_id = $1 AND id = $2`

// leastWait is how soon a turn is asked for again.
const leastWait = 10 * time.Millisecond

// TakeMailTurn takes the turn of one mail in the pace that all mails of a workspace share,
// whoever hands them over. Without a turn it gives after how long to ask again.
func TakeMailTurn(ctx context.Context, db *pg.DB, workspaceID, destinationID string) (wait time.Duration, err error) {
	var taken bool
	var left float64
	if err := db.Pool.QueryRow(ctx, takeTurn, workspaceID, destinationID, mailsPerSecond).Scan(&taken, &left); err != nil {
		return 0, pg.Translate(err)
	}
	if taken {
		return 0, nil
	}
	return max(leastWait, time.Duration(left*float64(time.Second))), nil
}
