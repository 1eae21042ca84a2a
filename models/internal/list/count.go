package list

import (
	"context"
	"strconv"

	"github.com/redline-svc/redline/models/internal/pg"
)

// largeCount is from how many rows on a workspace has one count under way at a time.
const largeCount = 100_000

// Count returns how many rows a statement gives, exactly; $1 is the workspace. One of a
// workspace that goes over many rows waits for another one.
func Count(ctx context.Context, tx *pg.Tx, rows string, args ...any) (n int64, err error) {
	err = tx.QueryRow(ctx, `SELECT count(*) FROM (`+rows+` LIMIT `+strconv.Itoa(largeCount+1)+`) few`, args...).Scan(&n)
	if err != nil || n <= largeCount {
		return n, err
	}
	if _, err = tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('counts/' || $1, 0))`, args[0]); err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `SELECT count(*) FROM (`+rows+`) every`, args...).Scan(&n)
	return n, err
}
