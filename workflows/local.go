package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

const (
	// localLimit is how long one try of a local activity may take: a question
	// to Postgres, which answers in milliseconds or is away.
	localLimit = 5 * time.Second
	// localPatience is how long a local activity is tried in all. Where it is not
	// set the SDK takes the limit of one try for all of them, and a database that is
	// away for a second fails the run.
	localPatience = 10 * 24 * time.Hour
	// localFirstWait and localLongestWait bound the pause between two tries. A
	// longer one would spare the history, a shorter one the people who wait once
	// the database is back.
	localFirstWait   = 200 * time.Millisecond
	localLongestWait = 20 * time.Second
)

// local runs a local activity by its name and waits for its result. It is the
// only way in which workflows use local activities.
func local(ctx workflow.Context, name string, in, out any) error {
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    localLimit,
		ScheduleToCloseTimeout: localPatience,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    localFirstWait,
			BackoffCoefficient: 2,
			MaximumInterval:    localLongestWait,
		},
	})
	return workflow.ExecuteLocalActivity(ctx, name, in).Get(ctx, out)
}
