package backup

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

//go:embed sessions.sql
var readSessions string

//go:embed objects.sql
var readObjects string

// Vacant returns an error, for the operator, unless nobody but the caller is connected to the
// database and nothing is in it. Nobody else can be told so until release is called.
func Vacant(ctx context.Context, db *pg.DB) (release func(), err error) {
	conn, err := db.Pool.Acquire(ctx)
	if err != nil {
		return nil, pg.Translate(err)
	}
	release = func() { closeLocked(ctx, conn) }
	err = vacant(ctx, conn.Conn())
	for until := time.Now().Add(ending); errors.Is(err, errUsed) && time.Now().Before(until); err = vacant(ctx, conn.Conn()) {
		time.Sleep(ending / 20)
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// ending is how long a session may take to end whose program has ended.
const ending = 2 * time.Second

var errUsed = errors.New("the database is in use")

func vacant(ctx context.Context, conn *pgx.Conn) error {
	var mine bool
	if err := conn.QueryRow(ctx, `SELECT pg_try_advisory_lock(hashtextextended('restore', 0))`).Scan(&mine); err != nil {
		return pg.Translate(err)
	}
	if !mine {
		return fmt.Errorf("%w: another restore into it is under way: wait for its end", errUsed)
	}
	sessions, err := lines(ctx, conn, readSessions)
	if err != nil {
		return err
	}
	if len(sessions) > 0 {
		return fmt.Errorf("%w (%s): stop every api, worker and serve that is connected to it, and whatever else is, then restore",
			errUsed, strings.Join(sessions, "; "))
	}
	objects, err := lines(ctx, conn, readObjects)
	if err != nil {
		return err
	}
	if len(objects) > 0 {
		return fmt.Errorf("the database is not empty (it has %s): create a new one, name it in REDLINE_DATABASE_URL and restore; do not run redline migrate before",
			strings.Join(objects, ", "))
	}
	return nil
}

func lines(ctx context.Context, conn *pgx.Conn, query string) ([]string, error) {
	rows, err := conn.Query(ctx, query)
	if err != nil {
		return nil, pg.Translate(err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return found, pg.Translate(err)
}

// Server is the major version of the server.
func Server(ctx context.Context, db *pg.DB) (major int, err error) {
	err = db.Pool.QueryRow(ctx, `SELECT current_setting('server_version_num')::int / 10000`).Scan(&major)
	return major, pg.Translate(err)
}
