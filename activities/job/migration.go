package job

import (
	"context"

	"github.com/redline-svc/redline/models/job"
)

// Migrations are documents on their way to other ids (*directory.Migrations).
type Migrations interface {
	// Switch carries one out and ends its job.
	Switch(ctx context.Context, j *job.Job) error
}

// Migrate makes the handler that migrates documents. It ends the job in the
// transaction of the switch.
func Migrate(rows Migrations) Handler {
	return func(ctx context.Context, j *job.Job) (int64, bool, error) {
		return 0, false, rows.Switch(ctx, j)
	}
}
