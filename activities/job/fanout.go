package job

import (
	"context"

	"github.com/redline-svc/redline/models/job"
)

// madeAtOnce is how many deliveries one transaction makes.
const madeAtOnce = 1000

// Deliveries are those of changes that a job goes on with (*delivery.Endpoints).
type Deliveries interface {
	// FanOutRest makes some of them, notes these, and reports whether there may be others.
	FanOutRest(ctx context.Context, j *job.Job, atOnce int) (more bool, err error)
}

// FanOut makes the handler that makes the deliveries which the transaction of a change did not.
func FanOut(rows Deliveries) Handler {
	return func(ctx context.Context, j *job.Job) (int64, bool, error) {
		more, err := rows.FanOutRest(ctx, j, madeAtOnce)
		return 0, more, err
	}
}
