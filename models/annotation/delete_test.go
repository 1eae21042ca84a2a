package annotation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/modelstest"
)

// A comment that comes after a deleted one has a number of its own, so nobody has read it
// who had read that one.
func TestANumberIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	d.Add("d", ids(modelstest.Note("a", modelstest.Says("ann", "1"), modelstest.Says("bob", "2"), modelstest.Says("eve", "3"))))
	for _, commentID := range []int64{1, 3, 2} {
		number, err := d.Notes.NextNumber(t.Context(), modelstest.Workspace, modelstest.In("d"), "a")
		require.NoError(t, err)
		require.Equal(t, int64(4), number)
		_, err = d.Notes.DeleteComments(t.Context(), modelstest.Workspace, annotation.CommentDeletion{
			Container: modelstest.In("d"), AnnotationID: "a", Which: annotation.CommentSelection{IDs: []int64{commentID}},
		})
		require.NoError(t, err)
	}
	require.Empty(t, d.Rows(`SELECT user_id FROM read_marks`), "the marks went with the annotation")
}

// With each annotation go those who were told of its comments, and they may be thousands.
func TestADeletionTakesSoManyRecipientsAlong(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	named := []string{"a", "b", "c", "e", "f"}
	for _, id := range named {
		d.Add("d", ids(modelstest.Note(id, modelstest.Says("ann", "1"))))
	}
	_, err := d.DB.Pool.Exec(t.Context(), `
WITH told AS (
    INSERT INTO notifications (id, workspace_id, document_key, annotation_key, comment_seq, action_user)
    SELECT 'told-' || annotation_id, workspace_id, document_key, key, 1, '{}' FROM annotations WHERE annotation_id <> 'f' RETURNING *)
INSERT INTO notification_recipients (notification_id, user_id, workspace_id, organization_key, document_key, reason)
SELECT t.id, 'user-' || n, t.workspace_id, 0, t.document_key, 'all' FROM told t CROSS JOIN generate_series(1, CASE t.id WHEN 'told-e' THEN 21000 ELSE 8000 END) n`)
	require.NoError(t, err)
	for _, call := range []struct {
		gone []string
		more bool
	}{{[]string{"a", "b"}, true}, {[]string{"c"}, true}, {[]string{"e"}, true}, {[]string{"f"}, false}} {
		entries, more, err := d.Notes.Delete(t.Context(), modelstest.Workspace, annotation.Deletion{Container: modelstest.In("d"), Which: annotation.Selection{IDs: named}})
		require.NoError(t, err)
		var gone []string
		for _, entry := range entries {
			require.Empty(t, entry.Code)
			gone = append(gone, entry.ID)
		}
		require.Equal(t, call.gone, gone)
		require.Equal(t, call.more, more)
		named = named[len(gone):]
	}
	require.Equal(t, []string{"0"}, d.Rows(`SELECT count(*)::text FROM notification_recipients`))
}
