package annotation_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/modelstest"
)

// addTo adds an annotation of this id to a document of acme.
func addTo(ctx context.Context, d *modelstest.Annotations, documentID string, ids ...string) error {
	var notes []annotation.NewAnnotation
	for _, id := range ids {
		notes = append(notes, modelstest.Note(id, modelstest.Says("ann", "a")))
	}
	_, err := d.Notes.Add(ctx, modelstest.Workspace, annotation.Addition{Container: modelstest.In(documentID), Annotations: notes})
	return err
}

// An id of what is in a deleted document, or a deleted organization, is free; one
// beside it is not.
func TestIDsInDeletedDocumentsAreFree(t *testing.T) {
	t.Parallel()
	for _, deleted := range []string{
		`UPDATE documents SET document_id = NULL WHERE document_id = 'old'`,
		`UPDATE organizations SET organization_id = NULL`,
	} {
		d := modelstest.NewAnnotations(t)
		require.NoError(t, addTo(t.Context(), d, "old", "a", "b", "c"))
		require.NoError(t, addTo(t.Context(), d, "stays", "z"))
		d.Exec(deleted)
		require.NoError(t, addTo(t.Context(), d, "new", "c", "x", "a"))
		require.Equal(t, int64(3), d.Count("bob", "new")["new"].Total)
		require.NoError(t, addTo(t.Context(), d, "old", "b"))
		err := addTo(t.Context(), d, "new", "y", "a", "x")
		require.True(t, fault.Is(err, fault.StatusAlreadyExists))
		require.ElementsMatch(t, []string{"a", "x"}, fault.From(err).Details.AnnotationIDs)
		require.Equal(t, []string{"3"}, d.Rows(`SELECT count(*)::text FROM annotations WHERE annotation_id LIKE chr(1) || '%'`), "they wait for their removal")
	}
}

// Of many that want the id of a deleted document's annotation at once, one has it.
func TestAFreeIDIsTakenOnce(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	for round := range 10 {
		document := fmt.Sprint("old", round)
		ids := []string{fmt.Sprint("b", round), fmt.Sprint("a", round), fmt.Sprint("c", round)}
		require.NoError(t, addTo(t.Context(), d, document, ids...))
		d.Exec(`UPDATE documents SET document_id = NULL WHERE document_id = $1`, document)
		added := 0
		for _, err := range modelstest.ErrorsOf(8, func(i int) error {
			return addTo(t.Context(), d, fmt.Sprint("new", round), ids[i%3], ids[(i+1)%3])
		}) {
			if err == nil {
				added++
				continue
			}
			require.True(t, fault.Is(err, fault.StatusAlreadyExists), "%v", err)
		}
		require.Equal(t, 1, added, "any two of them have an id in common")
	}
}

// An annotation whose document is deleted while it is added goes with it, and holds
// its id for nobody.
func TestAnIDThatIsAddedToADeletedDocumentIsFree(t *testing.T) {
	t.Parallel()
	d := modelstest.NewAnnotations(t)
	require.NoError(t, addTo(t.Context(), d, "old", "other"))
	tx, err := d.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `
INSERT INTO annotations (workspace_id, annotation_id, document_key, author_id, author, kind, comment_type, status_id, status, visibility,
       created_ms, updated_ms, comment_count, last_seq, last_author, other_seq, thread_bytes)
SELECT workspace_id, 'late', document_key, author_id, author, kind, comment_type, status_id, status, visibility,
       created_ms, updated_ms, comment_count, last_seq, last_author, other_seq, thread_bytes FROM annotations`)
	require.NoError(t, err)
	d.Exec(`UPDATE documents SET document_id = NULL WHERE document_id = 'old'`)
	added := make(chan error, 1)
	go func() { added <- addTo(t.Context(), d, "new", "late") }()
	modelstest.AwaitWaiting(t, d.DB, 1)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-added)
	require.Equal(t, int64(1), d.Count("bob", "new")["new"].Total)
	require.Equal(t, int64(0), d.Count("bob", "old")["old"].Total)
}
