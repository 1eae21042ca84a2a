package kit

import (
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Inbox returns the ids of the executions that wait for a reviewer, newest first.
func Inbox(env *Env, reviewer string) []string {
	env.T.Helper()
	var ids []string
	for _, step := range EveryPage[redline.ListedStep](env, client.ListSteps, map[string]any{"reviewerId": reviewer, "pageSize": 1}) {
		require.Equal(env.T, redline.ListedStepStatusWaiting, step.Status)
		ids = append(ids, step.ExecutionID)
	}
	return ids
}
