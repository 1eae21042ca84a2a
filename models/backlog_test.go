package models_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/queue"
)

func TestBacklogOfAnEmptyDatabase(t *testing.T) {
	b, err := models.ReadBacklog(t.Context(), pgtest.New(t))
	require.NoError(t, err)
	require.Len(t, b.Queued, len(queue.Kinds()))
	for kind, waiting := range b.Queued {
		require.Zero(t, waiting, kind)
	}
	b.Queued = nil
	require.Equal(t, models.Backlog{}, b)
}

func TestBacklogCountsWhatWaits(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	run := b.Accept("mock", "k")
	b.Exec(`UPDATE work SET run_at = run_at - interval '40 seconds' WHERE kind = 'execution'`)
	b.Exec(`INSERT INTO destinations (id, workspace_id, kind, slot, throttled) VALUES ('dst_fast', $1, 'receiver', 0, false), ('dst_slow', $1, 'receiver', 1, true)`, modelstest.Workspace)
	for seq, delivery := range [][]string{{"dst_slow", "900 seconds"}, {"dst_fast", "20 seconds"}, {"dst_fast", "-60 seconds"}} {
		b.Exec(`WITH d AS (INSERT INTO deliveries (workspace_id, destination_id, execution_id, seq) VALUES ($1, $2, $3, $4) RETURNING id)
			INSERT INTO open_deliveries (id, destination_id, origin, due_at) SELECT id, $2, 'https://receiver', clock_timestamp() - $5::interval FROM d`, modelstest.Workspace, delivery[0], run.ExecutionID, seq+100, delivery[1])
	}
	backlog, err := models.ReadBacklog(t.Context(), b.DB)
	require.NoError(t, err)
	require.EqualValues(t, 1, backlog.Queued[queue.Executions].Rows)
	require.EqualValues(t, 3, backlog.Deliveries.Rows)
	require.Zero(t, backlog.Queued[queue.Versions])
	require.Zero(t, backlog.Queued[queue.Overdue])
	read := func() models.Backlog {
		backlog, err := models.ReadBacklog(t.Context(), b.DB)
		require.NoError(t, err)
		return backlog
	}
	modelstest.Aged(t, b.DB, modelstest.TimeIn(t, b.DB, `SELECT run_at FROM work WHERE kind = 'execution'`), func() float64 { return read().Queued[queue.Executions].Oldest })
	modelstest.Aged(t, b.DB, modelstest.TimeIn(t, b.DB, `SELECT min(due_at) FROM open_deliveries WHERE destination_id = 'dst_fast'`), func() float64 { return read().Deliveries.Oldest })
}

func TestBacklogCountsWhatIsQueued(t *testing.T) {
	for _, kind := range queue.Kinds() {
		t.Run(string(kind), func(t *testing.T) { countsQueued(t, kind) })
	}
}

// countsQueued counts rows of a kind in all their states.
func countsQueued(t *testing.T, kind queue.Kind) {
	t.Helper()
	l, places := modelstest.NewLibrary(t), kind.Rule().PerGroup
	waiting := func() models.Waiting {
		b, err := models.ReadBacklog(t.Context(), l.DB)
		require.NoError(t, err)
		return b.Queued[kind]
	}
	aged := func(column string) {
		t.Helper()
		modelstest.Aged(t, l.DB, modelstest.TimeIn(t, l.DB, `SELECT `+column+` FROM work WHERE key = 'rem_1'`), func() float64 { return waiting().Oldest })
	}
	l.Exec(`INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready) VALUES ($1, 'rem_1', 'ws_one', 'ws_one', clock_timestamp() - interval '100 seconds', true)`, kind)
	require.EqualValues(t, 1, waiting().Rows)
	aged("run_at") // nobody has asked for its run
	l.Exec(`UPDATE work SET run_at = clock_timestamp() - interval '10 seconds', failing_since = clock_timestamp() - interval '90 seconds'`)
	aged("failing_since") // Temporal does not take it
	l.Exec(`UPDATE work SET failing_since = NULL, locked_until = clock_timestamp() + interval '30 seconds'`)
	require.Equal(t, models.Waiting{Rows: 1}, waiting(), "a run works on it")
	l.Exec(`UPDATE work SET locked_until = clock_timestamp() - interval '1 second'`)
	aged("run_at") // its lock has run out
	l.Exec(`UPDATE work SET locked_until = clock_timestamp() + interval '30 seconds'`)
	l.Exec(`INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready, locked_until)
		SELECT $1, 'rem_w' || n, 'ws_one', 'ws_one', clock_timestamp(), true, clock_timestamp() + interval '30 seconds' FROM generate_series(1, $2::integer - 1) n`, kind, places)
	l.Exec(`INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready) VALUES ($1, 'rem_q', 'ws_one', 'ws_one', clock_timestamp(), true)`, kind)
	require.Equal(t, models.Waiting{Rows: int64(places) + 1}, waiting(), "its workspace has enough in work")
	l.Exec(`DELETE FROM work`)
	require.Zero(t, waiting())
}
