package job

import (
	"context"

	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/person"
)

// Erasures forget people (*person.Persons).
type Erasures interface {
	// EraseSome does a portion, and ends the job with the last one.
	EraseSome(ctx context.Context, j *job.Job) (rows int64, more bool, err error)
	// NamedRuns returns the runs that are to be forgotten now, RunsForgotten goes on behind them.
	NamedRuns(ctx context.Context, j *job.Job) ([]person.NamedRuns, error)
	RunsForgotten(ctx context.Context, j *job.Job, runs []person.NamedRuns) error
}

// Histories are what Temporal keeps of runs (Temporal).
type Histories interface {
	// Forget deletes the runs of an execution with their histories, open ones too.
	Forget(ctx context.Context, executionID, workflowID string) error
}

// Erase makes the handler that forgets people. Who repeats a portion forgets its runs once more. Portions of all workspaces
// come one after the other: each looks for many marks in many texts, and they shall keep one processor of Postgres busy at most.
func Erase(rows Erasures, histories Histories) Handler {
	turn := slots.New(1)
	return func(ctx context.Context, j *job.Job) (int64, bool, error) {
		if err := turn.Acquire(ctx, j.WorkspaceID, 1); err != nil {
			return 0, false, err
		}
		defer turn.Release(j.WorkspaceID, 1)
		runs, err := rows.NamedRuns(ctx, j)
		if err != nil {
			return 0, false, err
		}
		if len(runs) == 0 {
			return rows.EraseSome(ctx, j)
		}
		for _, r := range runs {
			if err := histories.Forget(ctx, r.ExecutionID, r.WorkflowID); err != nil {
				return 0, false, err
			}
		}
		return int64(len(runs)), true, rows.RunsForgotten(ctx, j, runs)
	}
}
