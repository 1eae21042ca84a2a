package kit

import (
	"encoding/json"

	"github.com/stretchr/testify/require"
)

// failingActivity is what an operator is shown of one.
type failingActivity struct {
	WorkflowID, Activity, LastFailure string
	Attempt                           int
}

// Failing are the activities that an operator is shown.
func (isolated *IsolatedStack) Failing(flags ...string) (found []failingActivity) {
	isolated.T.Helper()
	printed, err := isolated.Run(isolated.T.Context(), append([]string{"admin", "engine", "failing", "--json", "--as=story"}, flags...)...)
	require.NoError(isolated.T, err)
	require.NoError(isolated.T, json.Unmarshal([]byte(printed), &found), printed)
	return found
}
