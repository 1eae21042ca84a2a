package selection_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/annotation/selection"
	"github.com/redline-svc/redline/models/modelstest"
)

// However many annotations the document and others have, a call looks at those that it takes.
func TestACallLooksAtNoOthers(t *testing.T) {
	t.Parallel()
	d := modelstest.NewDesk(t)
	d.Add("d", modelstest.Note("d", modelstest.Says("ann", "One.")))
	d.Add("c", modelstest.Note("c", modelstest.Says("ann", "One.")))
	touched := func() int {
		var document int64
		require.NoError(t, d.DB.Pool.QueryRow(t.Context(), `SELECT document_key FROM annotations WHERE annotation_id = 'd'`).Scan(&document))
		query, args := selection.Selection{}.Query(modelstest.Workspace, document)
		return modelstest.KeyedBlocks(t, d.DB, query, args)
	}
	more := func(in string, from, to int) {
		_, err := d.DB.Pool.Exec(t.Context(), `INSERT INTO annotations OVERRIDING USER VALUE
SELECT (jsonb_populate_record(a, jsonb_build_object('annotation_id', a.annotation_id || n))).* FROM annotations a CROSS JOIN generate_series($2::int, $3) n WHERE a.annotation_id = $1`, in, from, to)
		require.NoError(t, err)
		_, err = d.DB.Pool.Exec(t.Context(), `VACUUM ANALYZE annotations`)
		require.NoError(t, err)
	}
	more("d", 2, 2000)
	few := touched()
	more("d", 2001, 20_000)
	more("c", 2, 20_000)
	require.Less(t, touched(), 3*few)
}

// A call takes a thousand annotations, fewer where their threads are long, and always one.
func TestWhatOneCallTakes(t *testing.T) {
	t.Parallel()
	type rows = []struct{ comments, text int64 }
	for _, c := range []struct {
		all  rows
		take int
	}{
		{nil, 0},
		{make(rows, 1000), 1000},
		{make(rows, 1001), 1000},
		{rows{{20_000, 0}, {1, 0}}, 1},
		{rows{{5000, 0}, {5000, 0}, {1, 0}}, 2},
		{rows{{1, 17 << 20}, {1, 1}}, 1},
		{rows{{1, 8 << 20}, {1, 8 << 20}, {1, 1}}, 2},
	} {
		all := selection.Rows(len(c.all), func(i int) (int64, int64) { return c.all[i].comments, c.all[i].text })
		found := selection.Within(all)
		require.Len(t, found.Keys, c.take)
		require.Equal(t, len(c.all) > c.take, found.More)
	}
}
