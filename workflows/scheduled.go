package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
)

// scheduledAt is the instant at which the schedule wanted the run, which Temporal
// has put there.
var scheduledAt = temporal.NewSearchAttributeKeyTime(contract.SearchScheduledAt)

// Scheduled dispatches for one instant of a schedule. The instant makes the key of the
// dispatch, so however many runs there are of it, one execution starts. A run that
// somebody started without a schedule is for the moment of its start.
func Scheduled(ctx workflow.Context, in contract.ScheduledInput) (contract.FireResult, error) {
	at, given := workflow.GetTypedSearchAttributes(ctx).GetTime(scheduledAt)
	if !given {
		at = workflow.GetInfo(ctx).WorkflowStartTime
	}
	var fired contract.FireResult
	err := local(ctx, contract.ActivityFire, contract.FireInput{ScheduledInput: in, At: at.UnixMilli()}, &fired)
	return fired, err
}
