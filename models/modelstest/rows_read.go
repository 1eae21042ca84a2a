package modelstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
)

// RowsRead is how many rows of tables were read so far, by scans of them or of their indexes.
func RowsRead(t *testing.T, db *pg.DB, tables ...string) (rows int64) {
	t.Helper()
	for _, conn := range db.Pool.AcquireAllIdle(t.Context()) { // each counts for itself until it is asked
		_, err := conn.Exec(t.Context(), `SELECT pg_stat_force_next_flush()`)
		require.NoError(t, err)
		conn.Release()
	}
	require.NoError(t, db.Pool.QueryRow(t.Context(), `
SELECT (SELECT sum(seq_tup_read) FROM pg_stat_user_tables WHERE relname = ANY($1)) + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = ANY($1))`,
		tables).Scan(&rows))
	return rows
}
