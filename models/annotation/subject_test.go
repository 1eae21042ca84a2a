package annotation_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
)

// deletion is a transaction that deletes a document of acme and has not ended.
func deletion(t *testing.T, d *modelstest.Annotations, documentID string) pgx.Tx {
	t.Helper()
	tx, err := d.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { _ = tx.Rollback(t.Context()) })
	_, err = tx.Exec(t.Context(), `UPDATE documents SET document_id = NULL WHERE document_id = $1`, documentID)
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `SELECT remove_subjects($1, subject_key($1, NULL, 'acme'), ARRAY[$2])`, modelstest.Workspace, documentID)
	require.NoError(t, err)
	return tx
}

// A comment that is added while its document is deleted goes with it: its judgment is
// never found under a new document of that id.
func TestAJudgmentGoesWithADocumentThatIsDeletedMeanwhile(t *testing.T) {
	t.Parallel()
	for name, known := range map[string]bool{"with judgments before": true, "with the first judgment": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := modelstest.NewAnnotations(t)
			if known {
				d.Add("spring", modelstest.Note("a1", modelstest.Says("ann", "before")))
			} else {
				d.Add("other", modelstest.Note("a1", modelstest.Says("ann", "before")))
				d.Exec(`UPDATE documents SET document_id = 'spring'`)
			}
			deleting := deletion(t, d, "spring")
			added := make(chan error, 1)
			go func() {
				_, err := d.Notes.Add(t.Context(), modelstest.Workspace, annotation.Addition{
					Container:   directory.Container{OrganizationID: "acme", DocumentID: "spring"},
					Annotations: []annotation.NewAnnotation{modelstest.Note("a2", modelstest.Says("ann", "late"))},
				})
				added <- err
			}()
			if known {
				require.NoError(t, <-added, "it does not wait for the deletion")
			} else {
				modelstest.AwaitWaiting(t, d.DB, 1)
			}
			require.NoError(t, deleting.Commit(t.Context()))
			if !known {
				require.NoError(t, <-added)
			}
			d.Add("spring", modelstest.Note("a3", modelstest.Says("ann", "again")))
			found := d.Judgments(judgment.Filter{OrganizationID: "acme", DocumentID: "spring"})
			require.Len(t, found, 1)
			require.Equal(t, "again", found[0].Reasoning)
			require.NotContains(t, d.Rows(`SELECT j.reasoning FROM judgments j JOIN subjects s ON s.key = j.document_key WHERE s.current`), "late")
		})
	}
}
