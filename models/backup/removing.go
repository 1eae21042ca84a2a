package backup

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/models/internal/pg"
)

// filesLock names the lock of the files: shared by those who remove some.
const filesLock = `hashtextextended('files', 0)`

// RemovingFiles lets the caller remove files until release is called; held is true while a
// backup copies them: then none may be removed.
func RemovingFiles(ctx context.Context, db *pg.DB) (release func(), held bool, err error) {
	conn, err := db.Pool.Acquire(ctx)
	if err != nil {
		return nil, false, pg.Translate(err)
	}
	var free bool
	err = conn.QueryRow(ctx, `SELECT pg_try_advisory_lock_shared(`+filesLock+`)`).Scan(&free)
	if err != nil || !free {
		conn.Release()
		return func() {}, err == nil, pg.Translate(err)
	}
	return func() { closeLocked(ctx, conn) }, false, nil
}

// closeLocked ends a connection with the locks that it holds: these at once, while Postgres
// may take a moment to notice the end.
func closeLocked(ctx context.Context, conn *pgxpool.Conn) {
	ctx = context.WithoutCancel(ctx)
	_, _ = conn.Exec(ctx, `SELECT pg_advisory_unlock_all()`)
	_ = conn.Conn().Close(ctx)
	conn.Release()
}
