package job

import (
	"context"
	"fmt"
	"time"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/job"
)

// tryFor is how long one try works before it gives back what is left: jobs that wait
// for a worker have their turn then, and an operator sees in the history that it goes
// on.
const tryFor = 10 * time.Second

// Rows is what the activity needs of the rows (*job.Jobs).
type Rows interface {
	// Begin returns the job, nil when it has ended.
	Begin(ctx context.Context, id string) (*job.Job, error)
	Progress(ctx context.Context, id string, rows int64) error
	// Complete ends a job unless it has ended, and returns the state that it ended in.
	Complete(ctx context.Context, id string) (state string, err error)
}

// Handler does one portion of a job and returns how many rows it has dealt with and
// whether there may be more to do. One that has ended the job itself has no more.
type Handler func(ctx context.Context, j *job.Job) (rows int64, more bool, err error)

// Activities are the activities of the Job workflow.
type Activities struct {
	rows     Rows
	handlers map[string]Handler
	metrics  *telemetry.Metrics
	clock    activities.Clock
}

// New makes the activities; handlers are by the kinds of jobs.
func New(rows Rows, handlers map[string]Handler, metrics *telemetry.Metrics) *Activities {
	return &Activities{rows, handlers, metrics, activities.SystemClock()}
}

// Rested makes a handler that rests behind each portion for as long as that took: a job has Postgres work for it for half of the time
// at most, and leaves the other half to whoever waits for an answer.
func Rested(handle Handler) Handler {
	clock := activities.SystemClock()
	return func(ctx context.Context, j *job.Job) (rows int64, more bool, err error) {
		began := clock()
		rows, more, err = handle(ctx, j)
		if more && err == nil {
			select {
			case <-time.After(clock.Since(began)):
			case <-ctx.Done(): // the next portion says why
			}
		}
		return rows, more, err
	}
}

// Work works on a job for a while, or until it has ended. A fault ends the try;
// Temporal begins another one, which goes on from the rows.
func (a *Activities) Work(ctx context.Context, in contract.JobInput) (contract.JobResult, error) {
	defer activities.Heartbeat(ctx)()
	j, err := a.rows.Begin(ctx, in.ID)
	if err != nil || j == nil {
		return contract.JobResult{}, activities.Error(ctx, err)
	}
	handle, known := a.handlers[j.Kind]
	if !known { // a worker that is older than who queued it: another one may know it
		return contract.JobResult{}, activities.Error(ctx, fault.Unavailable(fmt.Errorf("no handler for jobs of kind %q", j.Kind)))
	}
	result, err := a.portions(ctx, j, Rested(handle))
	return result, activities.Error(ctx, err)
}

func (a *Activities) portions(ctx context.Context, j *job.Job, handle Handler) (contract.JobResult, error) {
	var result contract.JobResult
	for began := a.clock(); a.clock.Since(began) < tryFor; {
		rows, more, err := handle(ctx, j)
		if err != nil {
			return result, err
		}
		result.Done += rows
		if rows > 0 {
			if err := a.rows.Progress(ctx, j.ID, rows); err != nil {
				return result, err
			}
		}
		if !more {
			return result, a.complete(ctx, j)
		}
	}
	result.More = true
	return result, nil
}

// complete ends a job and counts it as what it ended as.
func (a *Activities) complete(ctx context.Context, j *job.Job) error {
	state, err := a.rows.Complete(ctx, j.ID)
	if err == nil {
		a.metrics.JobsEnded.WithLabelValues(j.Kind, state).Inc()
	}
	return err
}
