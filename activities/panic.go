package activities

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"github.com/redline-svc/redline/internal/fault"
)

// PanicType is the type of the error that a panic becomes in Temporal.
const PanicType = "PANIC"

// Panicked is the error of a try that has panicked with cause. Call it where the
// panic is recovered. Cause and stack go to the log: the library would write both
// into the history, where people read them. Temporal tries again, because a panic
// in one process, or over one state of the rows, says nothing about the next try.
func Panicked(ctx context.Context, cause any) error {
	var of activity.Info
	if activity.IsActivity(ctx) {
		of = activity.GetInfo(ctx)
	}
	slog.ErrorContext(ctx, "an activity has panicked", "name", of.ActivityType.Name, "attempt", of.Attempt,
		"workflow_id", of.WorkflowExecution.ID, "run_id", of.WorkflowExecution.RunID,
		"error", fmt.Errorf("panic: %v\n%s", cause, debug.Stack()))
	return temporal.NewApplicationError(fault.Internal(nil).Message, PanicType)
}
