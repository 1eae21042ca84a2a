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

// ingest runs the workflow with an activity and returns the stages it was asked for.
func ingest(t *testing.T, stage func(stage string, try int) (contract.StageResult, error)) ([]string, error) {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.RegisterWorkflowWithOptions(workflows.Ingestion, workflow.RegisterOptions{Name: contract.WorkflowIngestion})
	asked := []string{}
	tries := map[string]int{}
	env.RegisterActivityWithOptions(func(_ context.Context, in contract.StageInput) (contract.StageResult, error) {
		assert.Equal(t, contract.IngestionInput{WorkspaceID: "ws", SourceID: "src", Version: 2}, in.IngestionInput)
		asked = append(asked, in.Stage)
		tries[in.Stage]++
		return stage(in.Stage, tries[in.Stage])
	}, activity.RegisterOptions{Name: contract.ActivityStage})
	env.ExecuteWorkflow(contract.WorkflowIngestion, contract.IngestionInput{WorkspaceID: "ws", SourceID: "src", Version: 2})
	require.True(t, env.IsWorkflowCompleted())
	return asked, env.GetWorkflowError()
}

func TestIngestionGoesThroughItsStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, err := ingest(t, func(string, int) (contract.StageResult, error) { return contract.StageResult{}, nil })
		require.NoError(t, err)
		require.Equal(t, contract.IngestionStages, asked)
	})
}

func TestIngestionTriesAStageUntilItSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, err := ingest(t, func(stage string, try int) (contract.StageResult, error) {
			if stage == "embedding" && try < 9 {
				return contract.StageResult{}, errors.New("away")
			}
			return contract.StageResult{}, nil
		})
		require.NoError(t, err)
		require.Len(t, asked, len(contract.IngestionStages)+8)
	})
}

func TestIngestionEndsWithItsVersion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked, err := ingest(t, func(stage string, _ int) (contract.StageResult, error) {
			return contract.StageResult{Ended: stage == "chunking"}, nil
		})
		require.NoError(t, err)
		require.Equal(t, []string{"converting", "chunking"}, asked)
	})
}
