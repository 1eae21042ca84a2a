package workflows_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/workflows"
)

// fired runs the workflow of a schedule for the instant and returns how often its activity
// was tried.
func fired(t *testing.T, at, wanted time.Time, try func(n int) error) (tries int, result contract.FireResult, err error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartTime(wanted)
	if !at.IsZero() {
		require.NoError(t, env.SetTypedSearchAttributesOnStart(temporal.NewSearchAttributes(
			temporal.NewSearchAttributeKeyTime(contract.SearchScheduledAt).ValueSet(at))))
	}
	env.RegisterWorkflowWithOptions(workflows.Scheduled, workflow.RegisterOptions{Name: contract.WorkflowScheduled})
	in := contract.ScheduledInput{WorkspaceID: "ws", DefinitionID: "d", TriggerID: "t"}
	env.RegisterActivityWithOptions(func(_ context.Context, got contract.FireInput) (contract.FireResult, error) {
		assert.Equal(t, contract.FireInput{ScheduledInput: in, At: wanted.UnixMilli()}, got)
		tries++
		return contract.FireResult{ExecutionID: "exec_1"}, try(tries)
	}, activity.RegisterOptions{Name: contract.ActivityFire})
	env.ExecuteWorkflow(contract.WorkflowScheduled, in)
	require.True(t, env.IsWorkflowCompleted())
	if err = env.GetWorkflowError(); err == nil {
		require.NoError(t, env.GetWorkflowResult(&result))
	}
	return tries, result, err
}

func TestScheduledDispatchesForTheInstantThatWasWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		instant := time.UnixMilli(1_767_225_600_000)
		tries, result, err := fired(t, instant, instant, func(n int) error {
			if n < 3 {
				return errors.New("away")
			}
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, 3, tries)
		require.Equal(t, "exec_1", result.ExecutionID)
	})
}

func TestScheduledWithoutAScheduleIsForItsStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, _, err := fired(t, time.Time{}, time.UnixMilli(1_767_225_600_123), func(int) error { return nil })
		require.NoError(t, err)
	})
}
