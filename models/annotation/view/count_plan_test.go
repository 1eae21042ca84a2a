package view_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/modelstest"
)

// A count reads one mark for each annotation, also where many came before Postgres
// has any statistics of them.
func TestACountReadsEachMarkOnce(t *testing.T) {
	t.Parallel()
	const annotations = 2000
	d := modelstest.NewDesk(t)
	d.Add("d", modelstest.Note("a", modelstest.Says("ann", "One.")))
	for _, statement := range []string{
		`ALTER TABLE annotations SET (autovacuum_enabled = false)`, `ALTER TABLE read_marks SET (autovacuum_enabled = false)`,
		`INSERT INTO annotations OVERRIDING USER VALUE
SELECT (jsonb_populate_record(a, jsonb_build_object('annotation_id', 'a' || n))).* FROM annotations a CROSS JOIN generate_series(2, 2000) n`,
		`INSERT INTO read_marks SELECT (jsonb_populate_record(m, jsonb_build_object('annotation_key', a.key))).*
FROM annotations a CROSS JOIN read_marks m WHERE a.key <> m.annotation_key`,
	} {
		_, err := d.DB.Pool.Exec(t.Context(), statement)
		require.NoError(t, err)
	}
	before := marksRead(t, d)
	require.Equal(t, view.Count{Total: annotations}, d.Count("ann", "d")["d"], "their author has read them")
	require.EqualValues(t, annotations, marksRead(t, d)-before)
}

// marksRead is how many marks were read, by scans of their table or of an index.
func marksRead(t *testing.T, d *modelstest.Desk) (rows int64) {
	t.Helper()
	for _, conn := range d.DB.Pool.AcquireAllIdle(t.Context()) { // each counts for itself until it is asked
		_, err := conn.Exec(t.Context(), `SELECT pg_stat_force_next_flush()`)
		require.NoError(t, err)
		conn.Release()
	}
	require.NoError(t, d.DB.Pool.QueryRow(t.Context(), `SELECT sum(seq_tup_read) + sum(by_index.tup_read) FROM pg_stat_user_tables t
JOIN (SELECT relid, sum(idx_tup_read) AS tup_read FROM pg_stat_user_indexes GROUP BY relid) by_index USING (relid)
WHERE t.relname = 'read_marks'`).Scan(&rows))
	return rows
}
