package models_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models"
)

// One whose commit was under way when the first page was read stands where its
// start puts it, and shifts nothing.
func TestList_2_ACommitUnderWayWhileAListIsRead(t *testing.T) {
	t.Parallel()
	b := newBench(t, 10)
	b.dispatch("people", "k")
	b.copies(6)
	late := b.copy(2)
	b.exec(`CREATE TABLE kept AS SELECT * FROM executions WHERE id = '` + late + `'`)
	b.exec(`DELETE FROM executions WHERE id = $1`, late)
	tx, err := b.db.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(t.Context())
	_, err = tx.Exec(t.Context(), `INSERT INTO executions SELECT * FROM kept`)
	require.NoError(t, err)

	var seen []string
	var after *models.ExecutionPosition
	for first := true; first || after != nil; first = false {
		page, err := b.List(t.Context(), workspace, models.ExecutionFilter{}, after, 2)
		require.NoError(t, err)
		for _, item := range page.Items {
			seen = append(seen, item.IdempotencyKey)
		}
		if after = page.Next; first {
			require.NoError(t, tx.Commit(t.Context()))
		}
	}
	require.Equal(t, []string{"copy 6", "copy 5", "copy 4", "copy 3", "copy 2", "copy 1", "k"}, seen)
}
