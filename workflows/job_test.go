package workflows_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/workflows"
)

// work runs the workflow of a job with an activity and returns how often it was asked.
func work(t *testing.T, try func(n int) (contract.JobResult, error)) (tries int, err error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions(workflows.Job, workflow.RegisterOptions{Name: contract.WorkflowJob})
	in := contract.JobInput{WorkspaceID: "ws", ID: "mig_1", Kind: "migration"}
	env.RegisterActivityWithOptions(func(_ context.Context, got contract.JobInput) (contract.JobResult, error) {
		assert.Equal(t, in, got)
		tries++
		return try(tries)
	}, activity.RegisterOptions{Name: contract.ActivityJob})
	env.ExecuteWorkflow(contract.WorkflowJob, in)
	require.True(t, env.IsWorkflowCompleted())
	return tries, env.GetWorkflowError()
}

func TestJobIsTriedUntilThereIsNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries, err := work(t, func(n int) (contract.JobResult, error) {
			if n%2 == 1 {
				return contract.JobResult{}, errors.New("away")
			}
			return contract.JobResult{More: n < 20}, nil
		})
		require.NoError(t, err)
		require.Equal(t, 20, tries)
	})
}

func TestALongJobGoesOnInANewHistory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := work(t, func(int) (contract.JobResult, error) { return contract.JobResult{More: true}, nil })
		var again *workflow.ContinueAsNewError
		require.ErrorAs(t, err, &again)
		require.Equal(t, contract.WorkflowJob, again.WorkflowType.Name)
	})
}
