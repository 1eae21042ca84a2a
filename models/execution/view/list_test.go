package view_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/execution/view"
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
	var after *view.Position
	for first := true; first || after != nil; first = false {
		page, err := b.List(t.Context(), modelstest.Workspace, view.Filter{}, after, 2)
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

func TestListsAreCompleteAtEqualTimes(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	const many, callers = 1000, 10
	for _, err := range modelstest.ErrorsOf(callers, func(caller int) error {
		for i := range many / callers {
			if _, err := b.Dispatch(context.Background(), modelstest.Workspace, execution.Dispatch{
				DefinitionID: "mock", KeySpace: contract.KeysOfCallers, Key: strconv.Itoa(caller*many + i),
			}); err != nil {
				return err
			}
		}
		return nil
	}) {
		require.NoError(t, err)
	}
	b.Exec(`UPDATE executions SET started_at = $1`, time.UnixMilli(1_767_225_600_000))
	seen := map[string]bool{}
	var after *view.Position
	for {
		page, err := b.List(t.Context(), modelstest.Workspace, view.Filter{DefinitionID: "mock", Status: "pending"}, after, 7)
		require.NoError(t, err)
		for _, v := range page.Items {
			require.False(t, seen[v.ExecutionID])
			require.Len(t, v.Steps, 1)
			seen[v.ExecutionID] = true
		}
		if after = page.Next; after == nil {
			break
		}
	}
	require.Len(t, seen, many)
}

func TestAnotherWorkspaceSeesNothing(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	d := b.Accept("people", "k")
	ctx := t.Context()
	_, err := b.Get(ctx, "ws_other", d.ExecutionID, view.Wanted{})
	assert.True(t, fault.Is(err, fault.StatusNotFound))
	_, err = b.Events(ctx, "ws_other", d.ExecutionID, 0, 10, true)
	assert.True(t, fault.Is(err, fault.StatusNotFound))
	page, err := b.List(ctx, "ws_other", view.Filter{}, nil, 10)
	require.NoError(t, err)
	assert.Empty(t, page.Items)
	steps, err := b.ListSteps(ctx, "ws_other", view.StepFilter{}, nil, 10)
	require.NoError(t, err)
	assert.Empty(t, steps.Items)
}
