package kit

import (
	"encoding/json"

	"github.com/stretchr/testify/require"
)

// FailingActivity is what an operator is shown of an activity that fails again and again.
type FailingActivity struct {
	WorkflowID  string `json:"workflowId"`
	Activity    string `json:"activity"`
	LastFailure string `json:"lastFailure"`
	Attempt     int    `json:"attempt"`
}

// Failing returns the activities that `redline admin temporal failing` prints; flags are further
// words of the command.
func (isolated *IsolatedStack) Failing(flags ...string) (found []FailingActivity) {
	isolated.T.Helper()
	printed, err := isolated.Run(isolated.T.Context(), append([]string{"admin", "temporal", "failing", "--json", "--as=test"}, flags...)...)
	require.NoError(isolated.T, err)
	require.NoError(isolated.T, json.Unmarshal([]byte(printed), &found), printed)
	return found
}
