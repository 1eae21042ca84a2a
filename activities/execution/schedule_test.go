package execution_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	activity "github.com/redline-svc/redline/activities/execution"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/execution"
)

// clockwork plays the rows of one schedule.
type clockwork struct {
	firing *definition.Firing
	got    []execution.Dispatch
	err    error
}

func (c *clockwork) Fires(context.Context, string, string, string) (*definition.Firing, error) {
	return c.firing, nil
}

func (c *clockwork) Dispatch(_ context.Context, _ string, d execution.Dispatch) (execution.Dispatched, error) {
	c.got = append(c.got, d)
	return execution.Dispatched{ExecutionID: "exec_1"}, c.err
}

func (c *clockwork) fire(t *testing.T) (contract.FireResult, error) {
	t.Helper()
	return activity.NewSchedules(c, c).Fire(t.Context(), contract.FireInput{
		ScheduledInput: contract.ScheduledInput{WorkspaceID: "ws", DefinitionID: "d", TriggerID: "t"}, At: 1_767_225_600_000,
	})
}

func TestAnInstantIsDispatchedUnderItsKey(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]string{"": "null", `{"n": 9007199254740993}`: `{"n": 9007199254740993}`} {
		c := &clockwork{firing: &definition.Firing{OrganizationID: "acme", DocumentID: "spring", Payload: json.RawMessage(payload)}}
		result, err := c.fire(t)
		require.NoError(t, err)
		require.Equal(t, "exec_1", result.ExecutionID)
		require.Equal(t, []execution.Dispatch{{
			DefinitionID: "d", KeySpace: contract.KeysOfSchedules, Key: "sched:t:1767225600000", OrganizationID: "acme", DocumentID: "spring",
			TriggerContext: json.RawMessage(`{"schedule":{"triggerId":"t","scheduledAt":"2026-01-01T00:00:00.000Z","payload":` + want + `}}`),
		}}, c.got)
	}
}

func TestAScheduleThatIsGoneDispatchesNothing(t *testing.T) {
	t.Parallel()
	c := &clockwork{}
	result, err := c.fire(t)
	require.NoError(t, err)
	require.Empty(t, result)
	require.Empty(t, c.got)
	for _, gone := range []error{
		fault.NotFound("definition"), fault.FailedPrecondition("definition-tombstoned", "deleted"),
		fault.ResourceExhausted("storage-quota", "the workspace keeps as much as it may", 0),
	} {
		c = &clockwork{firing: &definition.Firing{}, err: gone}
		result, err = c.fire(t)
		require.NoError(t, err)
		require.Empty(t, result)
	}
	c = &clockwork{firing: &definition.Firing{}, err: fault.InvalidArgument()}
	_, err = c.fire(t)
	require.ErrorContains(t, err, "UNAVAILABLE", "it is tried again")
}
