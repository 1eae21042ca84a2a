package job

import (
	"context"

	"github.com/redline-svc/redline/models/job"
)

// recoveredAtOnce is how many messages one transaction looks at.
const recoveredAtOnce = 200

// Recoveries queue again what endpoints missed (*delivery.Endpoints).
type Recoveries interface {
	// RecoverSome queues some of it and ends the job with the last of it.
	RecoverSome(ctx context.Context, j *job.Job, atOnce int) (requeued int64, more bool, err error)
}

// Recover makes the handler of recoveries. One portion is one transaction.
func Recover(rows Recoveries) Handler {
	return func(ctx context.Context, j *job.Job) (int64, bool, error) {
		return rows.RecoverSome(ctx, j, recoveredAtOnce)
	}
}
