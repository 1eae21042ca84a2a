package modelstest

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
)

// waitingRows makes rows that wait for something: numbered from $1 on to
// $2, spread over ten workspaces and a hundred origins, the later the older.
// Executions have a receiver, whose secret is sealed under one of two keys.
var waitingRows = []string{
	`INSERT INTO executions (id, workspace_id, definition_id, definition_version, version_ref, definition_name, key_space, idempotency_key,
		correlation_id, status, started_at, seq, revision, step_count, receiver_url, receiver_secret)
	SELECT 'exec_' || n, 'ws_' || n % 10, 'def', 1, 'v', 'n', 'caller', n, 'c', 'pending', now() - n * interval '1 s', 1, 1, 1, 'https://receiver.test',
		decode('0102' || CASE WHEN n % 100 = 0 THEN '6531' ELSE '6532' END, 'hex') || sha256(n::text::bytea)
	FROM generate_series($1::integer, $2::integer) n`,
	`WITH d AS (
		INSERT INTO deliveries (workspace_id, destination_id, execution_id, seq)
		SELECT 'ws_' || n % 10, 'dst_' || n % 10, 'exec_' || n, n FROM generate_series($1::integer, $2::integer) n RETURNING id, destination_id, seq AS n)
	INSERT INTO open_deliveries (id, destination_id, origin, due_at)
	SELECT id, destination_id, 'https://receiver' || n % 100, now() - n * interval '1 s' FROM d`,
	`INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready)
	SELECT kind, kind || n, 'ws_' || n % 10, 'ws_' || n % 10, now() - n * interval '1 s', true
	FROM generate_series($1::integer, $2::integer) n CROSS JOIN unnest('{execution,job,judgment,pattern,removed-judgment,rested,schedule,overdue,version}'::text[]) kind`,
}

// AddWaiting makes executions, deliveries, versions, jobs, judgments and schedules that wait,
// numbered from the one to the other, with nothing that they refer to. Number n has waited n seconds,
// and the secret of every hundredth execution is sealed under e1, of others under e2.
func AddWaiting(t testing.TB, db *pg.DB, from, to int) {
	t.Helper()
	addWaiting(t, db, waitingRows, from, to)
}

// AddWaitingExecutions makes the executions alone.
func AddWaitingExecutions(t testing.TB, db *pg.DB, from, to int) {
	t.Helper()
	addWaiting(t, db, waitingRows[:1], from, to)
}

func addWaiting(t testing.TB, db *pg.DB, statements []string, from, to int) {
	t.Helper()
	tx, err := db.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SET LOCAL session_replication_role = replica`)
	require.NoError(t, err)
	for _, statement := range statements {
		_, err = tx.Exec(t.Context(), statement, from, to)
		require.NoError(t, err)
	}
	require.NoError(t, tx.Commit(t.Context()))
	_, err = db.Pool.Exec(t.Context(), `ANALYZE`)
	require.NoError(t, err)
	_, err = db.Pool.Exec(t.Context(), `VACUUM work`) // which its settings have the autovacuum do soon
	require.NoError(t, err)
}

// KeyedPlan is the plan of a statement that is made once, whatever its values.
func KeyedPlan(t *testing.T, db *pg.DB, query string, args []any) (plan string) {
	t.Helper()
	planned(t, db, pg.ByKeys, func(tx pgx.Tx) {
		rows, err := tx.Query(t.Context(), "EXPLAIN "+query, args...)
		require.NoError(t, err)
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		plan = strings.Join(lines, "\n")
	})
	return plan
}

// byValues has a statement planned for its values, as Postgres may do as long as it likes.
const byValues = `SELECT set_config('plan_cache_mode', 'force_custom_plan', true)`

// KeyedBlocks is how many blocks a statement touches, planned for its values or once for all,
// whichever are more. What it changes is undone.
func KeyedBlocks(t *testing.T, db *pg.DB, query string, args []any) (touched int) {
	t.Helper()
	return max(BlocksBehind(t, db, byValues, query, args), BlocksBehind(t, db, pg.ByKeys, query, args))
}

// BlocksBehind is KeyedBlocks behind a plan of its own.
func BlocksBehind(t *testing.T, db *pg.DB, plan, query string, args []any) (touched int) {
	t.Helper()
	planned(t, db, plan, func(tx pgx.Tx) { touched = blocks(t, tx, query, args) })
	return touched
}

// planned calls fn with a transaction that plans so and is rolled back.
func planned(t *testing.T, db *pg.DB, plan string, fn func(tx pgx.Tx)) {
	t.Helper()
	tx, err := db.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { require.NoError(t, tx.Rollback(t.Context())) }()
	_, err = tx.Exec(t.Context(), plan)
	require.NoError(t, err)
	fn(tx)
}
