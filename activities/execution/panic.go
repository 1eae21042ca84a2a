package execution

import (
	"context"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
)

// orEnded makes a result of a panic; defer it. Where the rows have ended the
// execution, the plan says so and the run closes: nobody has anything to expect of
// another try, which Temporal would make for a month and people would find as an
// open run of something that has ended. Else the try has failed and is made again.
func (e *Activities) orEnded(ctx context.Context, workspaceID, executionID string, plan *contract.Plan, err *error) {
	cause := recover()
	if cause == nil {
		return
	}
	*plan, *err = contract.Plan{}, activities.Panicked(ctx, cause)
	if found, ended := e.readEnd(ctx, workspaceID, executionID); ended {
		*plan, *err = e.trim(found), nil
	}
}

// readEnd returns the plan of an execution that has ended, false for another one. It
// changes nothing, so that what the run has not heard of still waits for it, and
// reads no graph of what has ended; should even that panic, nothing is known.
func (e *Activities) readEnd(ctx context.Context, workspaceID, executionID string) (plan contract.Plan, ended bool) {
	defer func() {
		if recover() != nil {
			plan, ended = contract.Plan{}, false
		}
	}()
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), activities.StoreLimit)
	defer cancel()
	plan, err := e.rows.ReadPlan(own, workspaceID, executionID)
	return plan, err == nil && plan.Ended()
}
