package annotation_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/modelstest"
)

// However many annotations the document and others have, a call looks at those that it takes.
func TestACallLooksAtNoOthers(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("d", modelstest.Says("ann", "One.")))
	d.Add("c", modelstest.Note("c", modelstest.Says("ann", "One.")))
	var document int64
	require.NoError(t, d.DB.Pool.QueryRow(t.Context(), `SELECT document_key FROM annotations WHERE annotation_id = 'd'`).Scan(&document))
	touched := func(s annotation.Selection) int {
		query, args := s.Query(modelstest.Workspace, document)
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
	few := touched(annotation.Selection{})
	more("d", 2001, 20_000)
	more("c", 2, 20_000)
	require.Less(t, touched(annotation.Selection{}), 3*few)
	for name, rare := range map[string]annotation.Selection{
		"location": {Locations: []string{"there"}}, "agent": {AgentID: "checker"},
		"execution": {ExecutionID: "run"}, "agents by their pages": {AgentURLs: []string{"https://a.test", "https://b.test"}}, "suggestions": {Suggested: true},
	} {
		require.Less(t, touched(rare), 60, "%s that nothing has", name)
	}
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
		taken, more := annotation.WithinBounds(len(c.all), func(i int) (int64, int64) { return c.all[i].comments, c.all[i].text })
		require.Equal(t, c.take, taken)
		require.Equal(t, len(c.all) > c.take, more)
	}
}

// Who waits for an annotation holds none with a higher key, whatever their ids: others take
// several in that order too.
func TestAnnotationsAreHeldInTheOrderOfTheirKeys(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("z", modelstest.Says("ann", "First.")))
	d.Add("d", modelstest.Note("a", modelstest.Says("ann", "Second.")))
	var document int64
	require.NoError(t, d.DB.Pool.QueryRow(t.Context(), `SELECT min(document_key) FROM annotations`).Scan(&document))
	other, err := d.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = other.Rollback(t.Context()) }() // after its end that does nothing
	hold := func(annotationID string) error {
		_, err := other.Exec(t.Context(), `SELECT FROM annotations WHERE annotation_id = $1 FOR KEY SHARE NOWAIT`, annotationID)
		return err
	}
	require.NoError(t, hold("z"))
	var ids []string
	done := make(chan error, 1)
	go func() {
		done <- d.DB.InTx(t.Context(), func(tx *pg.Tx) (err error) {
			ids, err = annotation.Selection{}.LockedIDs(t.Context(), tx, modelstest.Workspace, document)
			return err
		})
	}()
	require.Eventually(t, func() bool {
		var waits bool
		err := d.DB.Pool.QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
WHERE NOT l.granted AND a.datname = current_database())`).Scan(&waits)
		return err == nil && waits
	}, time.Minute, time.Millisecond, "it waits for the first")
	require.NoError(t, hold("a"))
	require.NoError(t, other.Commit(t.Context()))
	require.NoError(t, <-done)
	require.Equal(t, []string{"a", "z"}, ids, "they are told in the order of their ids")
}
