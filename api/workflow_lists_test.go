package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestList_2_NewExecutionsDoNotShiftLaterPages(t *testing.T) {
	env := newWorkspace(t)
	definition := kit.SignOff(env)
	var old []string
	for range 9 {
		old = append([]string{kit.Dispatch(env, definition).ID}, old...)
	}
	query := map[string]any{"pageSize": 3}
	var seen []string
	for {
		var page redline.ExecutionList
		env.Call(client.ListExecutions, query, &page)
		for _, item := range page.Items {
			seen = append(seen, item.ExecutionID)
		}
		kit.Dispatch(env, definition)
		if !page.HasMore {
			require.Empty(t, page.NextCursor, "the last page's cursor is the empty string")
			break
		}
		query["cursor"] = page.NextCursor
	}
	require.ElementsMatch(t, old, seen)
	// Which of two that began in one millisecond comes first is not said.
	require.True(t, slices.IsSortedFunc(seen, func(a, b string) int { return strings.Compare(beganAt(b), beganAt(a)) }), "the newest first: %v", seen)
}

// beganAt is the millisecond in an execution's id.
func beganAt(id string) string { return strings.Split(id, "_")[1] }

func TestList_3_TheNewExecutionIsThereWithItsRootSteps(t *testing.T) {
	env := newWorkspace(t)
	definition := kit.SignOff(env)
	r := kit.Dispatch(env, definition, kit.Input(map[string]any{"big": "text"}))
	var page redline.ExecutionList
	env.Call(client.ListExecutions, map[string]any{}, &page)
	require.Len(t, page.Items, 1)
	item := page.Items[0]
	require.Equal(t, r.ID, item.ExecutionID)
	require.Equal(t, "review", item.Steps[0].NodeID)
	require.JSONEq(t, `{}`, string(item.Steps[0].Output), "no outputs in a list")
	require.Equal(t, "ann", item.Steps[0].Metadata.Reviewers[0].UserID, "but the whole metadata")
	require.Empty(t, item.TriggerContext, "the context is for get alone")
}

func TestListShape(t *testing.T) {
	env := newWorkspace(t)
	for name, data := range map[string]map[string]any{
		"unknown status":      {"status": "done"},
		"page of none":        {"pageSize": 0},
		"page of 501":         {"pageSize": 501},
		"page as text":        {"pageSize": "5"},
		"half a page":         {"pageSize": 1.5},
		"after equals before": {"startedAfter": 5, "startedBefore": 5},
		"organization filter": {"organizationId": "o"},
		"document filter":     {"documentId": "d"},
	} {
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(client.ListExecutions, data).Status, name)
	}
	var page redline.ExecutionList
	env.Call(client.ListExecutions, map[string]any{"pageSize": 500}, &page)
	require.NotNil(t, page.Items, "an empty list is a list")
	require.Empty(t, page.Items)
	require.False(t, page.HasMore)
}

// requireNewestFirst proves the number and the order, ties by id, and with it
// that none came twice.
func requireNewestFirst(t *testing.T, all []redline.Execution, many int) {
	t.Helper()
	require.Len(t, all, many)
	seen := map[string]bool{all[0].ExecutionID: true}
	for i := 1; i < len(all); i++ {
		before, after := all[i-1], all[i]
		require.GreaterOrEqual(t, before.StartedAt, after.StartedAt, "item %d", i)
		if before.StartedAt == after.StartedAt {
			require.Greater(t, before.ExecutionID, after.ExecutionID, "item %d: ties by id", i)
		}
		require.False(t, seen[after.ExecutionID], "%s came twice", after.ExecutionID)
		seen[after.ExecutionID] = true
	}
}

// A thousand executions cannot be accepted in one millisecond, so theirs are made
// equal in their rows.
func TestList_1_AThousandOfOneMillisecondEachOnce(t *testing.T) {
	const many, callers = 1000, 20
	env := newWorkspace(t)
	definition := kit.Instant(env)
	kit.Concurrently(callers, func(int) {
		for range many / callers {
			_, err := env.Workspace.Dispatch(env.Ctx, redline.DispatchRequest{DefinitionID: definition})
			kit.NoError(t, err)
		}
	})
	requireNewestFirst(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, map[string]any{"pageSize": 37}), many)
	_, err := env.DB().Exec(t.Context(), `UPDATE executions SET started_at = date_trunc('milliseconds', now()) WHERE workspace_id = $1`, env.Workspace.ID)
	require.NoError(t, err)
	for _, size := range []int{37, 500} {
		all := kit.EveryPage[redline.Execution](env, client.ListExecutions, map[string]any{"pageSize": size})
		requireNewestFirst(t, all, many)
		require.Equal(t, all[0].StartedAt, all[many-1].StartedAt, "all of one millisecond")
	}
}

// One key may have started an execution of each definition; those of another workspace are not found by it.
func TestListByIdempotencyKey(t *testing.T) {
	env := newWorkspace(t)
	other := kit.NewWorkspaceAt(t, env.Workspace.Owner.BaseURL)
	found := func(env *kit.Env, key string) (ids []string) {
		var page redline.ExecutionList
		env.Call(client.ListExecutions, map[string]any{"idempotencyKey": key}, &page)
		for _, item := range page.Items {
			ids = append(ids, item.ExecutionID)
		}
		return ids
	}
	var want []string
	for range 2 {
		var made redline.DispatchResult
		env.Call(client.StartExecution, map[string]any{"definitionId": kit.SignOff(env), "idempotencyKey": "article-7"}, &made)
		want = append(want, made.ExecutionID)
		kit.Dispatch(env, kit.SignOff(env))
	}
	require.ElementsMatch(t, want, found(env, "article-7"))
	require.Empty(t, found(env, "article"))
	require.Empty(t, found(other, "article-7"))
	require.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(client.ListExecutions, map[string]any{"idempotencyKey": ""}).Status)
}
