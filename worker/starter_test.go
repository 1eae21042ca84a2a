package worker

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models/execution"
)

func TestSummaryIsWhatTemporalTakes(t *testing.T) {
	require.Equal(t, "Sign-off v3", summary("Sign-off", 3))
	for _, name := range []string{strings.Repeat("<", 200), strings.Repeat("漢", 200), strings.Repeat("x", 5000), ""} {
		text := summary(name, 12)
		encoded, err := json.Marshal(text)
		require.NoError(t, err)
		require.LessOrEqual(t, len(encoded), summaryLimit)
		require.True(t, utf8.ValidString(text))
		require.True(t, strings.HasSuffix(text, " v12"))
	}
}

func TestOptionsOfAnExecutionsRun(t *testing.T) {
	o := executionOptions(execution.Run{
		WorkspaceID: "ws", ExecutionID: "exec", WorkflowID: "execution/ws/def/abc", DefinitionID: "def", DefinitionName: "Sign-off",
		DefinitionVersion: 3, CorrelationID: "corr", Status: "pending",
	})
	require.Equal(t, "execution/ws/def/abc", o.ID)
	require.Equal(t, contract.QueueExecutions, o.TaskQueue)
	require.Equal(t, taskTimeout, o.WorkflowTaskTimeout)
	require.Equal(t, map[string]any{"executionId": "exec", "definitionName": "Sign-off", "definitionVersion": 3}, o.Memo)
	require.Equal(t, 5, o.TypedSearchAttributes.Size())
	for name, value := range map[string]string{
		contract.SearchExecutionID: "exec", contract.SearchDefinitionID: "def", contract.SearchWorkspaceID: "ws",
		contract.SearchStatus: "pending", contract.SearchCorrelationID: "corr",
	} {
		found := false
		for key, got := range o.TypedSearchAttributes.GetUntypedValues() {
			if key.GetName() == name {
				require.Equal(t, value, got)
				require.Contains(t, attributes, name)
				found = true
			}
		}
		require.True(t, found, name)
	}
}
