package modelstest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
)

// AtOnce lets n callers begin at one moment and returns what each of them got.
func AtOnce(n int, fn func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var callers sync.WaitGroup
	for i := range n {
		callers.Go(func() {
			<-start
			errs[i] = fn(i)
		})
	}
	close(start)
	callers.Wait()
	return errs
}

// ClockOf reads the clock of Postgres.
func ClockOf(t *testing.T, db *pg.DB) time.Time {
	t.Helper()
	return TimeIn(t, db, `SELECT clock_timestamp()`)
}

// TimeIn reads one time from the database.
func TimeIn(t *testing.T, db *pg.DB, sql string) time.Time {
	t.Helper()
	var at time.Time
	require.NoError(t, db.Pool.QueryRow(t.Context(), sql).Scan(&at))
	return at
}

// Aged asserts that a question answers how long ago, in seconds, something happened
// that was at a time of Postgres.
func Aged(t *testing.T, db *pg.DB, since time.Time, ask func() float64) {
	t.Helper()
	before := ClockOf(t, db)
	seconds := ask()
	answered := since.Add(time.Duration(seconds * float64(time.Second)))
	require.WithinRange(t, answered, before.Add(-time.Microsecond), ClockOf(t, db).Add(time.Microsecond))
}

// AwaitWaiting returns once so many others wait for locks in the database.
func AwaitWaiting(t *testing.T, db *pg.DB, others int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waiting int
		err := db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		return err == nil && waiting == others
	}, time.Minute, time.Millisecond)
}
