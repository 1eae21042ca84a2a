package health

import (
	"context"
	_ "embed"
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
)

//go:embed server.sql
var readServer string

// Server is what a database says of itself.
type Server struct {
	// Major is the server's major version, Encoding that of the database, Bytes its size.
	Major    int
	Encoding string
	Bytes    int64
	// Connections is how many the server has for others than superusers.
	Connections int
	// Unsafe are the settings that are off and keep what was committed.
	Unsafe []string
	// ClockAhead is by how much the server's clock is ahead of this machine's; half of the time
	// that the question took is the most that it can be wrong.
	ClockAhead time.Duration
}

// Look asks the database.
func Look(ctx context.Context, db *pg.DB) (*Server, error) {
	s := &Server{}
	err := db.Pool.QueryRow(ctx, readServer).Scan(&s.Major, &s.Encoding, &s.Bytes, &s.Connections, &s.Unsafe)
	if err != nil {
		return nil, pg.Translate(err)
	}
	var there time.Time
	asked := time.Now()
	if err := db.Pool.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&there); err != nil {
		return nil, pg.Translate(err)
	}
	s.ClockAhead = there.Sub(asked.Add(time.Since(asked) / 2))
	return s, nil
}

// FullWorkspaces is how many workspaces have used up a quota.
func FullWorkspaces(ctx context.Context, db *pg.DB) (n int, err error) {
	err = db.Pool.QueryRow(ctx, `SELECT count(DISTINCT workspace_id) FROM storage_use WHERE is_full`).Scan(&n)
	return n, pg.Translate(err)
}
