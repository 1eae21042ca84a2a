package execution_test

import (
	"context"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/modelstest"
)

// Many calls with one key come at once to several processes, where one more execution
// may live: none is refused for the limit that another of them has filled.
func TestOneKeyAtTheLimitMakesOneExecutionForAll(t *testing.T) {
	t.Parallel()
	const rounds, callers, processes = 20, 24, 4
	b := modelstest.NewBench(t, 10)
	for round := range rounds {
		stores := make([]*execution.Executions, processes) // each counts for itself
		for i := range stores {
			stores[i] = b.Limited(round + 1)
		}
		d := execution.Dispatch{DefinitionID: "mock", KeySpace: contract.KeysOfCallers, Key: strconv.Itoa(round)}
		var mu sync.Mutex
		ids := map[string]bool{}
		for _, err := range modelstest.AtOnce(callers, func(n int) error {
			got, err := stores[n%processes].Dispatch(context.Background(), modelstest.Workspace, d)
			mu.Lock()
			defer mu.Unlock()
			ids[got.ExecutionID] = true
			return err
		}) {
			require.NoError(t, err, "round %d", round)
		}
		require.Len(t, ids, 1)
	}
	_, err := b.Limited(rounds).Dispatch(t.Context(), modelstest.Workspace, execution.Dispatch{DefinitionID: "mock", KeySpace: contract.KeysOfCallers, Key: "more"})
	assert.True(t, fault.Is(err, fault.StatusResourceExhausted), "%v", err)
}
