package models_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
)

func TestBacklogOfAnEmptyDatabase(t *testing.T) {
	b, err := models.ReadBacklog(t.Context(), pgtest.New(t))
	require.NoError(t, err)
	require.Equal(t, models.Backlog{}, b)
}

func TestBacklogCountsWhatWaits(t *testing.T) {
	b := modelstest.NewBench(t, 10)
	run := b.Accept("mock", "k")
	b.Exec(`UPDATE executions SET run_started = true, poke_at = clock_timestamp() - interval '40 seconds'`)
	b.Exec(`INSERT INTO destinations (id, workspace_id, kind, slot) VALUES ('dst_1', $1, 'receiver', 0)`, modelstest.Workspace)
	b.Exec(`INSERT INTO origins (destination_id, origin, room, failures, last_class) VALUES ('dst_1', 'https://slow', 1, 5, 'timeout')`)
	for seq, delivery := range [][]string{{"https://slow", "900 seconds"}, {"https://fast", "20 seconds"}, {"https://fast", "-60 seconds"}} {
		b.Exec(`WITH d AS (INSERT INTO deliveries (workspace_id, destination_id, execution_id, seq) VALUES ($1, 'dst_1', $3, $4) RETURNING id)
			INSERT INTO open_deliveries (id, destination_id, origin, due_at) SELECT id, 'dst_1', $2, clock_timestamp() - $5::interval FROM d`, modelstest.Workspace, delivery[0], run.ExecutionID, seq+100, delivery[1])
	}
	backlog, err := models.ReadBacklog(t.Context(), b.DB)
	require.NoError(t, err)
	require.EqualValues(t, 1, backlog.Executions.Rows)
	require.EqualValues(t, 3, backlog.Deliveries.Rows)
	require.EqualValues(t, 1, backlog.SlowOrigins)
	require.Zero(t, backlog.Ingestions)
	read := func() models.Backlog {
		backlog, err := models.ReadBacklog(t.Context(), b.DB)
		require.NoError(t, err)
		return backlog
	}
	executions := func() float64 { return read().Executions.Oldest }
	modelstest.Aged(t, b.DB, modelstest.TimeIn(t, b.DB, `SELECT poke_at FROM executions`), executions)
	modelstest.Aged(t, b.DB, modelstest.TimeIn(t, b.DB, `SELECT min(due_at) FROM open_deliveries WHERE origin <> 'https://slow'`), func() float64 { return read().Deliveries.Oldest })

	b.Exec(`UPDATE executions SET run_started = false, poke_at = clock_timestamp(), started_at = clock_timestamp() - interval '70 seconds'`)
	modelstest.Aged(t, b.DB, modelstest.TimeIn(t, b.DB, `SELECT started_at FROM executions`), executions) // what the engine never took is as old as it is
}

func TestBacklogCountsIngestions(t *testing.T) {
	l := modelstest.NewLibrary(t)
	waiting := func() models.Waiting {
		b, err := models.ReadBacklog(t.Context(), l.DB)
		require.NoError(t, err)
		return b.Ingestions
	}
	oldest := func() float64 { return waiting().Oldest }
	v := l.Staged("ws_one", "text")
	l.Exec(`UPDATE source_versions SET started_at = clock_timestamp() - interval '100 seconds'`)
	require.Equal(t, models.Waiting{Rows: 1}, waiting(), "in work, and not due")
	l.Exec(`UPDATE source_versions SET drive_after = clock_timestamp() - interval '10 seconds'`)
	modelstest.Aged(t, l.DB, modelstest.TimeIn(t, l.DB, `SELECT drive_after FROM source_versions`), oldest) // nothing has driven it on
	l.Exec(`UPDATE source_versions SET state = 'accepted', stage = 'queued'`)
	modelstest.Aged(t, l.DB, modelstest.TimeIn(t, l.DB, `SELECT started_at FROM source_versions`), oldest) // nobody has begun it
	l.Exec(`INSERT INTO source_versions (workspace_id, source_id, version, state, stage, drive_after, file_name, mime_type, file_size,
		sha256, original_key, started_at, updated_at)
		SELECT workspace_id, source_id, version + n, 'staging', 'queued', clock_timestamp() + interval '1 hour', file_name, mime_type,
		file_size, sha256, original_key, started_at, updated_at FROM source_versions CROSS JOIN generate_series(1, 64) AS n`)
	require.Equal(t, models.Waiting{Rows: 65}, waiting(), "its workspace has no place for it")
	l.Exec(`UPDATE source_versions SET state = 'failed', stage = 'failed', drive_after = NULL WHERE version > $1`, v.Version)
	require.EqualValues(t, 1, waiting().Rows)
}

func TestBacklogCountsJobs(t *testing.T) {
	l := modelstest.NewLibrary(t)
	waiting := func() models.Waiting {
		b, err := models.ReadBacklog(t.Context(), l.DB)
		require.NoError(t, err)
		return b.Jobs
	}
	aged := func(column string) {
		t.Helper()
		modelstest.Aged(t, l.DB, modelstest.TimeIn(t, l.DB, `SELECT `+column+` FROM work WHERE key = 'rem_1'`), func() float64 { return waiting().Oldest })
	}
	l.Exec(`INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready) VALUES ('job', 'rem_1', 'ws_one', 'ws_one', clock_timestamp() - interval '100 seconds', true)`)
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
		SELECT 'job', 'rem_w' || n, 'ws_one', 'ws_one', clock_timestamp(), true, clock_timestamp() + interval '30 seconds' FROM generate_series(1, 3) n`)
	l.Exec(`INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready) VALUES ('job', 'rem_q', 'ws_one', 'ws_one', clock_timestamp(), true)`)
	require.Equal(t, models.Waiting{Rows: 5}, waiting(), "its workspace has four in work")
	l.Exec(`DELETE FROM work`)
	require.Zero(t, waiting())
}

func TestBacklogCountsJudgments(t *testing.T) {
	l := modelstest.NewLibrary(t)
	waiting := func() models.Waiting {
		b, err := models.ReadBacklog(t.Context(), l.DB)
		require.NoError(t, err)
		return b.Judgments
	}
	store := judgment.New(l.DB)
	_, err := store.Record(t.Context(), "ws_one", []judgment.Record{{RecordID: "r", Decision: "approve", ContentType: "general", JudgeType: "human", UserID: "ann"}})
	require.NoError(t, err)
	l.Exec(`UPDATE judgment_index SET owed_at = owed_at - interval '100 seconds', due = clock_timestamp() + interval '30 seconds'`)
	modelstest.Aged(t, l.DB, modelstest.TimeIn(t, l.DB, `SELECT owed_at FROM judgment_index`), func() float64 { return waiting().Oldest }) // it was tried in vain
	require.EqualValues(t, 1, waiting().Rows)
	_, err = store.Delete(t.Context(), "ws_one", []string{"r"})
	require.NoError(t, err)
	require.Equal(t, models.Waiting{Rows: 1}, waiting(), "its removal waits until nobody works on it")
	l.Exec(`UPDATE judgment_index SET due = NULL`)
	require.Zero(t, waiting())
}

func TestBacklogCountsSchedules(t *testing.T) {
	l := modelstest.NewLibrary(t)
	waiting := func() models.Waiting {
		b, err := models.ReadBacklog(t.Context(), l.DB)
		require.NoError(t, err)
		return b.Schedules
	}
	aged := func() {
		t.Helper()
		modelstest.Aged(t, l.DB, modelstest.TimeIn(t, l.DB, `SELECT min(changed_at) FROM schedules WHERE state <> 'written'`), func() float64 { return waiting().Oldest })
	}
	l.Exec(`INSERT INTO schedules (workspace_id, definition_id, trigger_id, cron, timezone, enabled, changed_at)
		VALUES ('ws_one', 'daily', 'clock', '0 0 * * *', 'UTC', true, clock_timestamp() - interval '100 seconds')`)
	require.EqualValues(t, 1, waiting().Rows)
	aged() // nobody has claimed it
	l.Exec(`UPDATE schedules SET state = 'working', drive_after = clock_timestamp() + interval '30 seconds'`)
	aged() // the engine has not taken it
	l.Exec(`INSERT INTO schedules (workspace_id, definition_id, trigger_id, cron, timezone, enabled, state, changed_at)
		SELECT 'ws_one', 'daily', 'w' || n, '0 0 * * *', 'UTC', true, 'working', clock_timestamp() FROM generate_series(1, 32) n`)
	l.Exec(`UPDATE schedules SET state = 'owed', changed_at = changed_at - interval '100 seconds' WHERE trigger_id = 'clock'`)
	require.EqualValues(t, 33, waiting().Rows)
	require.Less(t, waiting().Oldest, 100.0, "its workspace has enough in work")
	l.Exec(`UPDATE schedules SET state = 'written'`)
	require.Zero(t, waiting())
}
