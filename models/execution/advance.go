package execution

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/plan"
	"github.com/redline-svc/redline/models/internal/pg"
)

// commandSource says from where a command comes, which decides what Temporal
// still has to hear of it.
type commandSource int

const (
	// fromCaller: the run has to hear of what changed.
	fromCaller commandSource = iota
	// fromActivity: the result of the activity is the plan.
	fromActivity
	// fromRun: the run itself asked, so it need not hear of anything before.
	fromRun
	// fromTimer: a step is overdue.
	fromTimer
	// fromReader: somebody asked who changes nothing.
	fromReader
)

// command is one change of an execution under the lock of its row.
type command struct {
	workspaceID, executionID string
	// apiKeyID is the calling key's, empty for the service's own commands.
	apiKeyID string
	// stepID is the step that the command is about, if any: its reviewers are read
	// although it may have ended.
	stepID string
	from   commandSource
	// reopens says that the command may be about an execution that failed: it takes the
	// locks of a dispatch, and reads the reviewers of all steps.
	reopens bool
	// reads may queue more reads under the lock.
	reads func(b *pgx.Batch)
	// apply passes the command to the interpreter.
	apply func(s *state, w *interpreter.Interpreter, c *consequences) error
}

// advance is the only way in which an execution takes its course: it locks the
// row, runs the interpreter, stores what it changed, and returns the plan. An execution
// that is not there is NOT_FOUND.
func (e *Executions) advance(ctx context.Context, cmd command) (contract.Plan, error) {
	unlock, err := e.locks.Lock(ctx, cmd.workspaceID+"/"+cmd.executionID)
	if err != nil {
		return contract.Plan{}, err
	}
	defer unlock()
	s := &state{workspaceID: cmd.workspaceID}
	reads := func(b *pgx.Batch) {
		if cmd.reopens {
			b.Queue(lockToReopen, cmd.workspaceID, cmd.executionID)
		}
		s.queueLoad(b, cmd.executionID, cmd.stepID, cmd.reopens)
		if cmd.reopens {
			s.queueRevival(b, cmd.executionID)
		}
		if cmd.reads != nil {
			cmd.reads(b)
		}
	}
	err = e.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := tx.Send(ctx, reads); err != nil {
			return err
		}
		return e.decide(ctx, tx, s, cmd)
	})
	if err != nil {
		return contract.Plan{}, err
	}
	return plan.Of(&s.execution, s.now.UnixMilli()), nil
}

// decide runs the interpreter and writes what it changed, and what that causes.
func (e *Executions) decide(ctx context.Context, tx *pg.Tx, s *state, cmd command) error {
	if !s.exists {
		return fault.NotFound("execution")
	}
	before := s.execution.Revision
	s.wasOverdueAt = s.overdueAt()
	c, change, err := e.apply(ctx, tx, s, cmd)
	if err != nil {
		return err
	}
	s.queueWork(tx, cmd.from, change)
	if !s.run.moved && s.execution.Revision == before {
		return nil
	}
	b := &pgx.Batch{}
	s.queueUpdate(b)
	return c.store(ctx, tx, b, change.Events)
}

// apply passes the command to the interpreter of the execution.
func (e *Executions) apply(ctx context.Context, tx *pg.Tx, s *state, cmd command) (*consequences, interpreter.Change, error) {
	var graph *definition.Graph
	if !s.execution.Status.Final() || s.revivable { // of one that ended the definition may be purged
		var err error
		if graph, err = e.definitions.Graph(ctx, tx, s.versionRef); err != nil {
			return nil, interpreter.Change{}, err
		}
		s.contentType = graph.ContentType
	}
	c := &consequences{state: s, apiKeyID: cmd.apiKeyID}
	w := interpreter.New(graph, &s.execution, s.now.UnixMilli())
	if err := cmd.apply(s, w, c); err != nil {
		return nil, interpreter.Change{}, err
	}
	return c, w.Change(), nil
}
