package view_test

import (
	"context"
	"testing"
	"time"

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
	// An index has entries of rows that another test has removed from the database.
	require.InDelta(t, annotations, modelstest.RowsRead(t, d.DB, "read_marks")-before, annotations/100)
}

// A count of many annotations waits until others of its workspace are done, one of few does not.
func TestCountsOfManyAnnotationsAreMadeOneAfterTheOther(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("few", modelstest.Note("a", modelstest.Says("ann", "One.")))
	d.Add("many", modelstest.Note("b", modelstest.Says("ann", "One.")), modelstest.Note("c", modelstest.Says("ann", "Two.")))
	v := d.Reads.Queueing(1)
	count := func(ctx context.Context, documentID string) (view.Count, error) {
		_, counts, err := v.Count(ctx, modelstest.Workspace, view.CountFilter{OrganizationID: "acme", DocumentIDs: []string{documentID}, UserID: "bob"})
		return counts[documentID], err
	}
	counted := make(chan view.Count, 1)
	require.NoError(t, d.DB.CountMany(t.Context(), modelstest.Workspace, func() error {
		short, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := count(short, "many")
		require.Error(t, err, "it waits")
		few, err := count(t.Context(), "few")
		require.Equal(t, view.Count{Total: 1, Unread: 1}, few)
		go func() {
			all, err := count(context.WithoutCancel(t.Context()), "many")
			if err != nil {
				t.Error(err)
			}
			counted <- all
		}()
		return err
	}))
	require.Equal(t, view.Count{Total: 2, Unread: 2}, <-counted)
}
