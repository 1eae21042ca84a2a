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
