package annotation_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/modelstest"
)

// left counts the rows of documents that are left: annotations and comments, marks,
// recipients.
func left(d *modelstest.Annotations) (counts [3]int) {
	d.T.Helper()
	for i, count := range strings.Fields(d.Rows(`SELECT concat_ws(' ', (SELECT count(*) FROM annotations) + (SELECT count(*) FROM comments),
   (SELECT count(*) FROM read_marks) + (SELECT count(*) FROM document_read_marks), (SELECT count(*) FROM notification_recipients))`)[0]) {
		var err error
		counts[i], err = strconv.Atoi(count)
		require.NoError(d.T, err)
	}
	return counts
}

// However many marks and recipients the annotations of a document have, one portion of
// its removal takes no more rows than it may.
func TestARemovalTakesBoundedPortions(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	var notes []annotation.NewAnnotation
	for i := range 40 {
		notes = append(notes, modelstest.Note(fmt.Sprint("n", i), modelstest.Says("ann", "a", modelstest.Flagged("bob"))))
	}
	d.Add("d", notes...)
	d.Exec(`INSERT INTO read_marks (annotation_key, user_id, workspace_id, document_key, seq)
SELECT key, 'reader-' || n, workspace_id, document_key, 1 FROM annotations, generate_series(1, 10) n`)
	d.Exec(`INSERT INTO document_read_marks SELECT * FROM read_marks`)
	d.Exec(`INSERT INTO notification_recipients (notification_id, user_id, workspace_id, organization_key, document_key, reason)
SELECT n.id, 'reader-' || i, n.workspace_id, d.organization_key, d.key, 'mention' FROM notifications n JOIN documents d ON d.key = n.document_key, generate_series(1, 10) i`)
	d.Exec(`UPDATE documents SET document_id = NULL`)
	var keys []int64
	require.NoError(t, d.DB.Pool.QueryRow(t.Context(), `SELECT array_agg(key) FROM document_rows`).Scan(&keys))

	const limit = 50
	before := left(d)
	require.Equal(t, [3]int{80, 880, 440}, before)
	for {
		removed, err := d.Notes.RemoveOfDocuments(t.Context(), keys, limit)
		require.NoError(t, err)
		after := left(d)
		gone := 0
		for i := range after {
			gone += before[i] - after[i]
		}
		require.LessOrEqual(t, gone, limit)
		if before = after; removed == 0 {
			break
		}
	}
	require.Equal(t, [3]int{}, before)
}
