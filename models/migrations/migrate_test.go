package migrations_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/migrations"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
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

func schemaOf(t *testing.T, url string) []string {
	t.Helper()
	db, err := pg.Open(t.Context(), url, 2)
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.Pool.Query(t.Context(), shape)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return found
}

func TestEveryMigrationCanBeUndone(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	empty := schemaOf(t, url)
	var steps [][]string
	for version := int64(1); version <= migrations.SchemaVersion(); version++ {
		require.NoError(t, migrations.MigrateTo(t.Context(), url, version))
		steps = append(steps, schemaOf(t, url))
	}
	for version := migrations.SchemaVersion() - 1; version >= 1; version-- {
		require.NoError(t, migrations.MigrateTo(t.Context(), url, version))
		require.Equal(t, steps[version-1], schemaOf(t, url), "down to %d", version)
	}
	require.NoError(t, migrations.MigrateTo(t.Context(), url, 0))
	require.Equal(t, empty, schemaOf(t, url))
	require.NoError(t, migrations.Migrate(t.Context(), url))
	require.NoError(t, migrations.Migrate(t.Context(), url), "it is safe to repeat")
	require.Equal(t, steps[len(steps)-1], schemaOf(t, url))
}

func TestTwoProcessesMigrateAtOnce(t *testing.T) {
	t.Parallel()
	url := pgtest.Empty(t)
	for _, err := range modelstest.ErrorsOf(2, func(int) error { return migrations.Migrate(t.Context(), url) }) {
		require.NoError(t, err)
	}
	require.NotEmpty(t, schemaOf(t, url))
}
