package backup

import (
	"context"
	_ "embed"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/models/internal/pg"
)

//go:embed files.sql
var readFiles string

// Snapshot is the state of the rows that is backed up. Close ends it.
type Snapshot struct {
	// ID is the name by which others read the same state, until Dumped.
	ID   string
	conn *pgxpool.Conn
}

// Begin waits for who removes files, holds these off until Close, and takes the snapshot.
func Begin(ctx context.Context, db *pg.DB) (*Snapshot, error) {
	conn, err := db.Pool.Acquire(ctx)
	if err != nil {
		return nil, pg.Translate(err)
	}
	s := &Snapshot{conn: conn}
	for _, statement := range []string{
		`SELECT pg_advisory_lock(` + filesLock + `)`, `BEGIN READ ONLY ISOLATION LEVEL REPEATABLE READ`,
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			s.Close(ctx)
			return nil, pg.Translate(err)
		}
	}
	if err := conn.QueryRow(ctx, `SELECT pg_export_snapshot()`).Scan(&s.ID); err != nil {
		s.Close(ctx)
		return nil, pg.Translate(err)
	}
	return s, nil
}

// Files returns the keys of the files that the rows name, in their order.
func (s *Snapshot) Files(ctx context.Context) ([]string, error) {
	rows, err := s.conn.Query(ctx, readFiles)
	if err != nil {
		return nil, pg.Translate(err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return keys, pg.Translate(err)
}

// Dumped gives the snapshot up, which keeps Postgres from cleaning; the files stay held.
func (s *Snapshot) Dumped(ctx context.Context) error {
	_, err := s.conn.Exec(ctx, `COMMIT`)
	return pg.Translate(err)
}

// Held returns an error where files may have been removed since Begin.
func (s *Snapshot) Held(ctx context.Context) error {
	if s.conn.Ping(ctx) != nil {
		return errors.New("the connection that kept files from being removed was lost: begin again")
	}
	return nil
}

// Close lets files be removed again.
func (s *Snapshot) Close(ctx context.Context) { closeLocked(ctx, s.conn) }
