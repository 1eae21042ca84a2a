package annotation_test

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/modelstest"
)

// A whole document is marked some annotations at a time, and so are the notifications about them; a second call finds nothing to do.
func TestAWholeDocumentIsMarkedInPortions(t *testing.T) { markedInPortions(t, annotation.MarkedAtOnce) }

func TestLong_AWholeDocumentIsMarkedInPortions(t *testing.T) {
	markedInPortions(t, 2*annotation.MarkedAtOnce+1)
}

// markedInPortions marks a document whose one annotation has so many copies.
func markedInPortions(t *testing.T, copies int) {
	t.Helper()
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", modelstest.Note("n", modelstest.Says("ann", "a", modelstest.Flagged("eve"))), modelstest.Note("hidden", modelstest.Says("ann", "a")))
	d.Exec(`UPDATE annotations SET visibility = 'restricted', visible_to = '{}' WHERE annotation_id = 'hidden'`)
	d.Exec(`INSERT INTO annotations OVERRIDING USER VALUE SELECT (jsonb_populate_record(a, jsonb_build_object('annotation_id', a.annotation_id || ' ' || n))).*
FROM annotations a CROSS JOIN generate_series(1, $1) n WHERE a.annotation_id = 'n'`, copies)
	d.Exec(`INSERT INTO notifications SELECT (jsonb_populate_record(n, jsonb_build_object('id', 'ntf_' || a.key, 'annotation_key', a.key))).*
FROM notifications n JOIN annotations a ON a.annotation_id LIKE 'n %'`)
	d.Exec(`INSERT INTO notification_recipients SELECT (jsonb_populate_record(r, jsonb_build_object('notification_id', n.id))).*
FROM notification_recipients r JOIN notifications n ON n.id <> r.notification_id`)
	marks := func(unread bool) int64 {
		changed, entries, err := d.Notes.MarkRead(t.Context(), modelstest.Workspace, annotation.Reading{Container: modelstest.In("d"), UserID: "eve", Unread: unread})
		require.NoError(t, err)
		require.Empty(t, entries)
		return changed
	}
	require.EqualValues(t, copies+1, marks(false))
	require.Equal(t, []string{strconv.Itoa(copies + 1)}, d.Rows(`SELECT count(*)::text FROM document_read_marks WHERE user_id = 'eve'`))
	require.Equal(t, []string{"0"}, d.Rows(`SELECT count(*)::text FROM notification_recipients WHERE read_at IS NULL`))
	require.Zero(t, marks(false))
	require.EqualValues(t, copies+1, marks(true))
	require.Empty(t, d.Rows(`SELECT user_id FROM document_read_marks`))
	require.Zero(t, marks(true))
}
