package pg_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pgtest"
)

var agedNotes = pg.Aged{Remove: `DELETE FROM notes`, At: "since", Stays: "t.open"}

// newNotes makes a table of rows that go by their age.
func newNotes(t *testing.T) *pg.DB {
	t.Helper()
	db := pgtest.New(t)
	noted(t, db, `CREATE TABLE notes (since timestamptz NOT NULL, open boolean NOT NULL DEFAULT false)`)
	noted(t, db, `CREATE INDEX ON notes (since)`)
	return db
}

func noted(t *testing.T, db *pg.DB, sql string) {
	t.Helper()
	_, err := db.Pool.Exec(t.Context(), sql)
	require.NoError(t, err)
}

// removes takes away what is older than a week and returns what is left: how many rows
// are open and how many are not.
func removes(t *testing.T, db *pg.DB, want int64) (open, closed int) {
	t.Helper()
	removed, err := db.RemoveAged(t.Context(), agedNotes, pg.Days(7), 10)
	require.NoError(t, err)
	require.Equal(t, want, removed)
	require.NoError(t, db.Pool.QueryRow(t.Context(), `SELECT count(*) FILTER (WHERE open), count(*) FILTER (WHERE NOT open) FROM notes`).Scan(&open, &closed))
	return open, closed
}

func TestWhatIsAgedGoesUntilNothingIsLeft(t *testing.T) {
	t.Parallel()
	db := newNotes(t)
	noted(t, db, `INSERT INTO notes (since) SELECT now() - interval '8 days' - n * interval '1 hour' FROM generate_series(1, 95) n`)
	noted(t, db, `INSERT INTO notes (since) SELECT now() - interval '6 days' + n * interval '1 hour' FROM generate_series(1, 20) n`)
	open, closed := removes(t, db, 95)
	require.Equal(t, []int{0, 20}, []int{open, closed})
	removes(t, db, 0)
}

// Whatever stays is passed by, also where more rows than go at once have one time.
func TestWhatStaysKeepsNothingElseBack(t *testing.T) {
	t.Parallel()
	db := newNotes(t)
	noted(t, db, `INSERT INTO notes (since, open) SELECT date_trunc('hour', now()) - interval '9 days', true FROM generate_series(1, 55)`)
	noted(t, db, `INSERT INTO notes (since) SELECT date_trunc('hour', now()) - interval '9 days' FROM generate_series(1, 30)`)
	noted(t, db, `INSERT INTO notes (since) SELECT now() - interval '8 days' FROM generate_series(1, 30)`)
	open, closed := removes(t, db, 60)
	require.Equal(t, []int{55, 0}, []int{open, closed})
	noted(t, db, `UPDATE notes SET open = false`)
	open, closed = removes(t, db, 55)
	require.Equal(t, []int{0, 0}, []int{open, closed})
}

// What another process is removing is left to it: the rows behind it are taken
// meanwhile.
func TestRemovalsBesideEachOtherTakeDifferentRows(t *testing.T) {
	t.Parallel()
	db := newNotes(t)
	noted(t, db, `INSERT INTO notes (since) SELECT now() - interval '8 days' - n * interval '1 hour' FROM generate_series(1, 40) n`)
	other, err := db.Pool.Begin(t.Context())
	require.NoError(t, err)
	var visited, gone int
	var last string
	require.NoError(t, other.QueryRow(t.Context(), agedNotes.Statement(15), pg.Days(7), "-infinity").Scan(&visited, &gone, &last))
	require.Equal(t, []int{15, 15}, []int{visited, gone})
	removes(t, db, 25)
	require.NoError(t, other.Commit(t.Context()))
	open, closed := removes(t, db, 0)
	require.Equal(t, []int{0, 0}, []int{open, closed})
}
