package job

import (
	"context"

	"github.com/redline-svc/redline/models/job"
)

// Notifications are those of changes that a job goes on with (*notification.Notifications).
type Notifications interface {
	// WritePortion notifies the next ones of a job; 0 means that nobody is left.
	WritePortion(ctx context.Context, j *job.Job) (rows int64, err error)
}

// Notify makes the handler that notifies whom the transaction of a change did not.
func Notify(rows Notifications) Handler {
	return func(ctx context.Context, j *job.Job) (int64, bool, error) {
		written, err := rows.WritePortion(ctx, j)
		return written, written > 0, err
	}
}
