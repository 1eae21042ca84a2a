package models_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models"
)

// atOnce lets n callers begin at one moment and gives what each of them got.
func atOnce(n int, fn func(i int) error) []error {
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

// clockOf reads the clock of Postgres.
func clockOf(t *testing.T, db *models.DB) time.Time {
	t.Helper()
	return timeIn(t, db, `SELECT clock_timestamp()`)
}

func timeIn(t *testing.T, db *models.DB, sql string) time.Time {
	t.Helper()
	var at time.Time
	require.NoError(t, db.Pool.QueryRow(t.Context(), sql).Scan(&at))
	return at
}

// aged proves that a question tells how long ago, in seconds, something was that
// happened at a time of Postgres.
func aged(t *testing.T, db *models.DB, since time.Time, ask func() float64) {
	t.Helper()
	before := clockOf(t, db)
	seconds := ask()
	told := since.Add(time.Duration(seconds * float64(time.Second)))
	require.WithinRange(t, told, before.Add(-time.Microsecond), clockOf(t, db).Add(time.Microsecond))
}

// awaitWaiting returns once so many others wait for locks in the database.
func awaitWaiting(t *testing.T, db *models.DB, others int) {
	t.Helper()
	require.Eventually(t, func() bool {
		var waiting int
		err := db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting)
		return err == nil && waiting == others
	}, time.Minute, time.Millisecond)
}
