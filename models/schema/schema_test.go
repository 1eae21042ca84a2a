package schema_test

import (
	"fmt"
	"io/fs"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/schema"
)

// shape lists what a schema has: columns, constraints, indexes, functions, triggers.
const shape = `
	SELECT 'column ' || table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '')
		FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> 'goose_db_version'
	UNION ALL SELECT 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
		FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'goose_db_version'
	UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> 'goose_db_version'
	UNION ALL SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
	UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger WHERE NOT tgisinternal
	UNION ALL SELECT 'sequence ' || sequencename FROM pg_sequences WHERE schemaname = 'public' AND sequencename NOT LIKE 'goose%'
	UNION ALL SELECT 'type ' || typname FROM pg_type WHERE typnamespace = 'public'::regnamespace AND typtype IN ('e', 'd')
	ORDER BY 1`

func open(t *testing.T, url string) *pg.DB {
	t.Helper()
	db, err := pg.Open(t.Context(), url, pg.PoolOptions{Conns: 2})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

func schemaOf(t *testing.T, url string) []string {
	t.Helper()
	rows, err := open(t, url).Pool.Query(t.Context(), shape)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return found
}

// versionsOf are the versions that goose has noted.
func versionsOf(t *testing.T, url string) []int64 {
	t.Helper()
	rows, err := open(t, url).Pool.Query(t.Context(), `SELECT version_id FROM goose_db_version WHERE version_id > 0 ORDER BY id`)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	require.NoError(t, err)
	return found
}

func TestMigrateTwiceIsSafe(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	require.Empty(t, schemaOf(t, url))
	require.ErrorIs(t, schema.SchemaReady(t.Context(), open(t, url)), schema.ErrUnmigrated)
	require.NoError(t, schema.Migrate(t.Context(), url))
	made, versions := schemaOf(t, url), versionsOf(t, url)
	require.NotEmpty(t, made)
	require.Equal(t, schema.SchemaVersion(), versions[len(versions)-1])
	require.NoError(t, schema.SchemaReady(t.Context(), open(t, url)))
	require.NoError(t, schema.Migrate(t.Context(), url), "it is safe to repeat")
	require.Equal(t, made, schemaOf(t, url))
	require.Equal(t, versions, versionsOf(t, url))
}

func TestTwoProcessesMigrateAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	for _, err := range modelstest.ErrorsOf(2, func(int) error { return schema.Migrate(t.Context(), url) }) {
		require.NoError(t, err)
	}
	require.NotEmpty(t, schemaOf(t, url))
}

// A database that another baseline has made is left as it is.
func TestAnotherBaselineIsRefused(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	_, err := open(t, url).Pool.Exec(t.Context(), `CREATE TABLE workspaces (id text)`)
	require.NoError(t, err)
	before := schemaOf(t, url)
	require.ErrorContains(t, schema.Migrate(t.Context(), url), "another baseline")
	require.Equal(t, before, schemaOf(t, url))
	require.Error(t, schema.SchemaReady(t.Context(), open(t, url)))
}

// One release back is always possible: a program works on the schema of the next one, and its own
// migration leaves that as it is.
func TestAProgramWorksOnTheSchemaOfTheNextOne(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db, next := open(t, url), schema.SchemaVersion()+1
	_, err := db.Pool.Exec(t.Context(), `CREATE TABLE of_the_next_release (id bigint);
INSERT INTO goose_db_version (id, version_id, is_applied) OVERRIDING SYSTEM VALUE VALUES (1000000, `+strconv.FormatInt(next, 10)+`, true)`)
	require.NoError(t, err)
	made, versions := schemaOf(t, url), versionsOf(t, url)
	require.NoError(t, schema.SchemaReady(t.Context(), db))
	require.NoError(t, schema.Migrate(t.Context(), url))
	require.Equal(t, made, schemaOf(t, url))
	require.Equal(t, versions, versionsOf(t, url))
	have, err := schema.DatabaseVersion(t.Context(), db)
	require.NoError(t, err)
	require.Equal(t, next, have)
}

// A program that the schema has left behind is told so, and what to do.
func TestAProgramThatIsTooOldIsRefused(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	db := open(t, url)
	for oldest, want := range map[int64]error{schema.SchemaVersion(): nil, schema.SchemaVersion() + 1: schema.ErrUnserved} {
		_, err := db.Pool.Exec(t.Context(), fmt.Sprintf(`CREATE OR REPLACE FUNCTION oldest_schema_served() RETURNS bigint LANGUAGE sql AS 'SELECT %d::bigint'`, oldest))
		require.NoError(t, err)
		require.ErrorIs(t, schema.SchemaReady(t.Context(), db), want)
	}
}

// Every file is run: it is one of the baseline or has a number.
func TestEveryFileIsRun(t *testing.T) {
	t.Parallel()
	names, err := fs.Glob(schema.Files(), "*.sql")
	require.NoError(t, err)
	for _, name := range names {
		if !schema.IsNumbered(name) {
			require.Contains(t, schema.Baseline, name)
		}
	}
}
