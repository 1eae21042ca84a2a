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
	d := modelstest.NewAnnotations(t)
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
	before := modelstest.RowsRead(t, d.DB, "read_marks")
	require.Equal(t, view.Count{Total: annotations}, d.Count("ann", "d")["d"], "their author has read them")
	require.EqualValues(t, annotations, modelstest.RowsRead(t, d.DB, "read_marks")-before)
}
