package execution_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/modelstest"
)

// One whose commit was under way when the first page was read stands where its
// start puts it, and shifts nothing.
func TestList_2_ACommitUnderWayWhileAListIsRead(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	b.Accept("people", "k")
	b.Copies(6)
	late := b.Copy(2)
	b.Exec(`CREATE TABLE kept AS SELECT * FROM executions WHERE id = '` + late + `'`)
	b.Exec(`DELETE FROM executions WHERE id = $1`, late)
	tx, err := b.DB.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer tx.Rollback(t.Context())
	_, err = tx.Exec(t.Context(), `INSERT INTO executions SELECT * FROM kept`)
	require.NoError(t, err)

	var seen []string
	var after *execution.Position
	for first := true; first || after != nil; first = false {
		page, err := b.List(t.Context(), modelstest.Workspace, execution.Filter{}, after, 2)
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
