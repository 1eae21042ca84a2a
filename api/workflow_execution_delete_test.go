package api_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestDeleteExecutions_1And2_TheKeyStaysAndNothingElse(t *testing.T) {
	env := newWorkspace(t)
	definition := kit.SignOff(env)
	gone, live := kit.Dispatch(env, definition, kit.Key("k")), kit.Dispatch(env, definition)
	require.True(t, gone.Cancel())
	var deleted redline.ExecutionsDeleted
	env.Call(client.DeleteExecutions, map[string]any{"executionIds": []string{gone.ID, live.ID, "unknown", gone.ID}}, &deleted)
	require.Len(t, deleted.Results, 3)
	require.True(t, deleted.Results[gone.ID].Success)
	require.Empty(t, deleted.Results[gone.ID].Code)
	require.Equal(t, redline.DeletedExecutionCodeNotEnded, deleted.Results[live.ID].Code)
	require.Equal(t, redline.DeletedExecutionCodeNotFound, deleted.Results["unknown"].Code)
	require.False(t, deleted.Results["unknown"].Success)
	require.NotEmpty(t, deleted.Results["unknown"].Message)

	one := map[string]any{"executionId": gone.ID}
	for _, operation := range []string{client.GetExecution, client.GetEvents, client.GetDeliveries, client.CancelExecution, client.RetryExecution, client.PauseExecution, client.Redeliver} {
		env.RefusedAs("NOT_FOUND", operation, one)
	}
	require.Len(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, nil), 1)
	for _, step := range kit.EveryPage[redline.ListedStep](env, client.ListSteps, nil) {
		require.Equal(t, live.ID, step.ExecutionID)
	}
	again := kit.Dispatch(env, definition, kit.Key("k"))
	require.Equal(t, []any{gone.ID, gone.CorrelationID}, []any{again.ID, again.CorrelationID})
	require.Len(t, kit.EveryPage[redline.Execution](env, client.ListExecutions, nil), 1, "nothing starts")
}

func TestDeleteExecutions_Shape(t *testing.T) {
	env := newWorkspace(t)
	r := kit.Dispatch(env, kit.SignOff(env))
	require.True(t, r.Cancel())
	for _, data := range []map[string]any{
		{},
		{"executionIds": []string{}},
		{"executionIds": "x"},
		{"executionIds": []string{""}},
		{"executionIds": []string{strings.Repeat("x", 201)}},
		{"executionIds": make([]string, 101)},
		{"executionIds": []string{r.ID}, "more": 1},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.DeleteExecutions, data)
	}
	var deleted redline.ExecutionsDeleted
	kit.Elsewhere(env).Call(client.DeleteExecutions, map[string]any{"executionIds": []string{r.ID}}, &deleted)
	require.Equal(t, redline.DeletedExecutionCodeNotFound, deleted.Results[r.ID].Code, "of another workspace")
	require.Equal(t, redline.ExecutionStatusCancelled, r.View().Status)
}
