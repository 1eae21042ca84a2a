package execution

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/plan"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/queue"
)

const (
	// detailsDelay is how late Temporal hears of a commit that changes only the text
	// for people, so that many of them cost one signal.
	detailsDelay = 10 * time.Second
	// overdueBy is how late a live step may be before nobody seems to drive it.
	overdueBy = 60 * time.Second
)

// runState is what an execution knows of its run.
type runState struct {
	// id is the run that was the last to ask what to drive, empty while none has.
	id string
	// moved reports that this command was the first of that run, missed that the command is
	// the outcome of a call of another run.
	moved, missed bool
}

// drivenBy notes that a run asked what to drive.
func (r *runState) drivenBy(runID string) {
	r.moved = r.id != runID
	r.id = runID
}

// reportedTo notes that an outcome goes to a run. Once an operator has reset a run, or
// ended it and started another one, that is not the run that waits for it.
func (r *runState) reportedTo(runID string) { r.missed = r.id != "" && r.id != runID }

// queueWork leaves in the queue what a command makes of the two rows of an execution there:
//
//	Row          Time         Put by
//	executions   now          a command that changes what must be driven; the outcome of a call of a run
//	                          that another one has replaced; Signal; Resync; Overdue
//	             within 10 s  a command that changes only the text for people (detailsDelay)
//	             now          whatever asks while the workspace is stopped: it is claimed once that goes on
//	             removed      a command of the run itself, which has just asked; a command that ends the
//	                          execution before a run has asked, since the first thing a run does is to ask
//	overdue     a minute after a live step wants Temporal, moved by whatever changes that; a minute
//	             from now where that is past; removed while none does
//
// The result of an activity is the plan, so its commands leave nothing to be signalled.
func (s *state) queueWork(tx *pg.Tx, from commandSource, c interpreter.Change) {
	if from == fromReader {
		return
	}
	s.queueExecution(tx, from, c)
	s.queueOverdue(tx, from)
}

// queueExecution queues the start or the signal of a run, or takes it back.
func (s *state) queueExecution(tx *pg.Tx, from commandSource, c interpreter.Change) {
	switch {
	case s.execution.Stopped && from != fromTimer && !s.execution.Status.Final():
		queue.Put(tx, s.work(queue.Executions, time.Time{}))
	case from == fromRun, c.Drives && s.execution.Status.Final() && s.run.id == "":
		queue.Remove(tx, queue.Executions, s.execution.ExecutionID)
	case s.run.missed, s.toSignal, c.Drives && from != fromActivity:
		queue.Put(tx, s.work(queue.Executions, time.Time{}))
	case c.Details && from != fromActivity:
		queue.Put(tx, s.work(queue.Executions, s.now.Add(detailsDelay)))
	}
}

// queueOverdue moves the time from which on nobody drives the execution.
func (s *state) queueOverdue(tx *pg.Tx, from commandSource) {
	switch at := s.overdueAt(); {
	case at.Equal(s.wasOverdueAt) && from != fromTimer:
	case at.IsZero():
		queue.Remove(tx, queue.Overdue, s.execution.ExecutionID)
	case s.overdue():
		queue.Put(tx, s.work(queue.Overdue, s.now.Add(overdueBy)))
	default:
		queue.Put(tx, s.work(queue.Overdue, at))
	}
}

func (s *state) work(kind queue.Kind, at time.Time) queue.Work {
	return queue.Work{Kind: kind, Key: s.execution.ExecutionID, WorkspaceID: s.workspaceID, RunAt: at}
}

// overdueAt is a minute after a live step wants Temporal, zero when none does. A pending
// execution wants its run from its acceptance on.
func (s *state) overdueAt() time.Time {
	if s.execution.Status == interpreter.Pending && s.execution.PausedAt == 0 {
		return s.startedAt.Add(overdueBy)
	}
	due := plan.DriveDue(&s.execution)
	if due == 0 {
		return time.Time{}
	}
	return time.UnixMilli(due).Add(overdueBy)
}

// overdue reports whether a live step has wanted Temporal for so long that nobody seems to
// drive it.
func (s *state) overdue() bool {
	at := s.overdueAt()
	return !at.IsZero() && !at.After(s.now)
}

// Overdue queues a signal for an execution that nobody drives, and reports whether it is one:
// a step is overdue, and nothing is queued that would tell Temporal. One that is not there is
// none.
func (e *Executions) Overdue(ctx context.Context, workspaceID, executionID string) (overdue bool, err error) {
	var queued bool
	_, err = e.advance(ctx, command{
		workspaceID: workspaceID, executionID: executionID, from: fromTimer,
		reads: func(b *pgx.Batch) { queue.Queued(b, queue.Executions, executionID, &queued) },
		apply: func(s *state, _ *interpreter.Interpreter, _ *consequences) error {
			s.toSignal = !queued && s.overdue()
			overdue = s.toSignal
			return nil
		},
	})
	if fault.Is(err, fault.StatusNotFound) {
		return false, nil
	}
	return overdue, err
}

// Signal queues a signal for an execution: for an activity whose result Temporal no longer
// takes, because another run has replaced its own. An execution that is not there is no error.
func (e *Executions) Signal(ctx context.Context, workspaceID, executionID string) error {
	return e.db.InTx(ctx, func(tx *pg.Tx) error {
		var found bool
		err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM executions WHERE workspace_id = $1 AND id = $2)`, workspaceID, executionID).Scan(&found)
		if err == nil && found {
			queue.Put(tx, queue.Work{Kind: queue.Executions, Key: executionID, WorkspaceID: workspaceID})
		}
		return err
	})
}

// resyncBatch is how many executions one transaction of a resync queues.
const resyncBatch = 1000

const openExecutions = `
SELECT workspace_id, id FROM executions WHERE status IN ('pending', 'running') AND (workspace_id, id) > ($1, $2)
ORDER BY workspace_id, id LIMIT $3`

// Resync queues a start or signal for every open execution: after Temporal lost its runs, or
// a backup was restored. It returns how many these are.
func (e *Executions) Resync(ctx context.Context) (total int, err error) {
	var workspaceID, executionID string
	for n := resyncBatch; n == resyncBatch; total += n {
		err = e.db.InTx(ctx, func(tx *pg.Tx) error {
			n = 0
			rows, err := tx.Query(ctx, openExecutions, workspaceID, executionID, resyncBatch)
			if err != nil {
				return err
			}
			_, err = pgx.ForEachRow(rows, []any{&workspaceID, &executionID}, func() error {
				n++
				queue.Put(tx, queue.Work{Kind: queue.Executions, Key: executionID, WorkspaceID: workspaceID})
				return nil
			})
			return err
		})
		if err != nil {
			return total, err
		}
	}
	return total, nil
}
