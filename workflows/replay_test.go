package workflows_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/workflows"
)

// otherHistories names a folder with histories that are replayed as well, such as those that
// two versions of the program have written together (tests/operation).
const otherHistories = "REDLINE_TEST_HISTORIES"

// TestRecordedHistoriesReplay runs today's code over histories that earlier
// code wrote on a real Temporal. A change that fails here breaks the runs that
// are open while it is rolled out: guard it with workflow.GetVersion and add a
// history of the new kind; never change or remove one.
func TestRecordedHistoriesReplay(t *testing.T) {
	histories, err := filepath.Glob("testdata/histories/*.json")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(histories), 36)
	if folder := os.Getenv(otherHistories); folder != "" {
		others, err := filepath.Glob(folder + "/*.json")
		require.NoError(t, err)
		histories = append(histories, others...)
	}
	for _, history := range histories {
		t.Run(filepath.Base(history), func(t *testing.T) {
			replayer := worker.NewWorkflowReplayer()
			replayer.RegisterWorkflowWithOptions(workflows.Execution, workflow.RegisterOptions{Name: contract.WorkflowExecution})
			replayer.RegisterWorkflowWithOptions(workflows.Delivery, workflow.RegisterOptions{Name: contract.WorkflowDelivery})
			replayer.RegisterWorkflowWithOptions(workflows.Ingestion, workflow.RegisterOptions{Name: contract.WorkflowIngestion})
			replayer.RegisterWorkflowWithOptions(workflows.Job, workflow.RegisterOptions{Name: contract.WorkflowJob})
			replayer.RegisterWorkflowWithOptions(workflows.Scheduled, workflow.RegisterOptions{Name: contract.WorkflowScheduled})
			require.NoError(t, replayer.ReplayWorkflowHistoryFromJSONFile(nil, history))
		})
	}
}

// What a release has replayed is replayed by all that follow: make freeze writes down which
// histories there were, and none of them is changed or removed.
func TestReleasedHistoriesStay(t *testing.T) {
	released, err := os.ReadFile("testdata/histories/released.sum")
	require.NoError(t, err)
	for line := range strings.Lines(string(released)) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		text, err := os.ReadFile(filepath.Join("testdata/histories", name))
		require.NoError(t, err)
		require.Equal(t, sum, fmt.Sprintf("%x", sha256.Sum256(text)), name)
	}
}
