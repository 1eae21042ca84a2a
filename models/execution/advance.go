package execution

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/walk"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/nudge"
)

// source says who brings an answer, which decides what the engine is owed for
// it.
type source int

const (
	// fromCaller: the run has to hear of what changed.
	fromCaller source = iota
	// fromActivity: the result of the activity is the plan.
	fromActivity
	// fromRun: the run itself asked, so nothing is owed any more.
	fromRun
)

// command is one locked look at an execution.
type command struct {
	workspaceID, executionID string
	// apiKeyID is the calling key's, empty for the service's own visits.
	apiKeyID string
	// stepID is the step that the answer speaks of, if any: its reviewers are
	// read although it may have ended.
	stepID string
	from   source
	// reads may queue more reads under the lock.
	reads func(b *pgx.Batch)
	// apply gives the answer to the walk.
	apply func(l *state, w *walk.Walk) error
}

// advance is the only way in which an execution takes its course: it locks the
// row, runs the walk, stores what it says, and gives the plan. An execution
// that is not there is NOT_FOUND.
func (e *Executions) advance(ctx context.Context, v command) (contract.Plan, error) {
	done, err := e.locks.Lock(ctx, v.workspaceID+"/"+v.executionID)
	if err != nil {
		return contract.Plan{}, err
	}
	defer done()
	l := &state{workspaceID: v.workspaceID}
	defer l.release()
	reads := func(b *pgx.Batch) {
		l.load(b, v.executionID, v.stepID)
		if v.reads != nil {
			v.reads(b)
		}
	}
	err = e.db.TwoTrips(ctx, reads, func(tx *pg.Tx, b *pgx.Batch) (bool, error) { return e.decide(ctx, tx, b, l, v) })
	if err != nil {
		return contract.Plan{}, err
	}
	l.submit()
	return walk.Plan(&l.state, l.now.UnixMilli()), nil
}

// decide runs the walk and queues what it changed.
func (e *Executions) decide(ctx context.Context, tx *pg.Tx, b *pgx.Batch, l *state, v command) (bool, error) {
	if !l.found {
		return false, fault.Missing("execution")
	}
	var graph *definition.Graph
	if !l.state.Status.Final() { // of one that ended the definition may be purged
		var err error
		if graph, err = e.definitions.Graph(ctx, tx, l.versionRef); err != nil {
			return false, err
		}
		l.contentType = graph.ContentType
	}
	w := walk.New(graph, &l.state, l.now.UnixMilli())
	before := l.state.Revision
	if err := v.apply(l, w); err != nil {
		return false, err
	}
	change := w.Change()
	changed := l.state.Revision != before
	if changed = l.owe(v.from, change) || changed; changed {
		l.apiKeyID = v.apiKeyID
		e.reserve(l)
		e.store(b, l, change)
	}
	l.wake(tx)
	return changed, l.publish(ctx, tx, b)
}

// owe marks what the engine has to hear, and tells whether a mark changed.
func (l *state) owe(from source, c walk.Change) bool {
	switch {
	case from == fromRun:
		owed := l.pokeDue != nil || !l.runStarted
		l.pokeDue, l.pokeAt, l.runStarted = nil, nil, true
		return owed
	case l.state.Status.Final() && !l.runStarted:
		// No run has asked yet, so one that may be there asks for its plan first.
		owed := l.pokeDue != nil
		l.pokeDue, l.pokeAt = nil, nil
		return owed
	case from == fromActivity || (!c.Drives && !c.Details):
		return false
	case c.Drives:
		l.pokeAt = &l.now
	case l.pokeAt == nil:
		later := l.now.Add(detailsDelay)
		l.pokeAt = &later
	}
	revision := l.state.Revision
	l.pokeDue = &revision
	return true
}

// wake notes who has something to do after the commit: whoever drives the engine,
// unless the poke is handed over, and the execution's receiver.
func (l *state) wake(tx *pg.Tx) {
	if l.handover == nil && l.pokeAt != nil && !l.pokeAt.After(l.now) {
		tx.WakeAll(nudge.Executions)
	}
	if l.sends {
		tx.Wake(nudge.Destinations, *l.destination)
	}
}

// Decide records a reviewer's decision and the judgment that it is. Errors: NOT_FOUND, FAILED_PRECONDITION.
func (e *Executions) Decide(ctx context.Context, workspaceID, executionID, apiKeyID string, d walk.Decision) (walk.Answer, error) {
	var answer walk.Answer
	_, err := e.advance(ctx, command{
		workspaceID: workspaceID, executionID: executionID, apiKeyID: apiKeyID, stepID: d.StepID, from: fromCaller,
		apply: func(l *state, w *walk.Walk) error {
			a, refused := w.Decide(d)
			answer = a
			if refused != nil {
				return refused
			}
			if a.Recorded {
				l.judged = append(l.judged, l.judgment(d))
			}
			return nil
		},
	})
	return answer, err
}

// Cancel ends an execution. It tells whether it is cancelled now or was before;
// false when it had completed or failed already. Errors: NOT_FOUND.
func (e *Executions) Cancel(ctx context.Context, workspaceID, executionID, apiKeyID, actor, reason string) (bool, error) {
	var cancelled bool
	_, err := e.advance(ctx, command{
		workspaceID: workspaceID, executionID: executionID, apiKeyID: apiKeyID, from: fromCaller,
		apply: func(_ *state, w *walk.Walk) error { cancelled = w.Cancel(actor, reason); return nil },
	})
	return cancelled, err
}

// engineActor cancels for somebody at the engine's UI.
const engineActor = "system:engine"

// Plan is what the engine has to drive now. A run whose id is not the
// execution's gets the empty plan, like one whose execution is gone: it ends.
// The first question makes a pending execution run. Without anything to apply
// it is one statement without a lock.
func (e *Executions) Plan(ctx context.Context, in contract.PlanInput) (contract.Plan, error) {
	if !in.Cancelled && !in.First {
		plan, settled, err := e.readPlan(ctx, in)
		if err != nil || settled {
			return plan, err
		}
	}
	var stranger bool
	plan, err := e.advance(ctx, command{
		workspaceID: in.WorkspaceID, executionID: in.ExecutionID, from: fromRun,
		apply: func(l *state, w *walk.Walk) error {
			if stranger = l.workflowID != in.WorkflowID; stranger {
				return errStranger
			}
			if in.Cancelled {
				w.Cancel(engineActor, "")
				return nil
			}
			w.Ask()
			return nil
		},
	})
	if stranger || fault.Is(err, fault.NotFound) {
		return contract.Plan{}, nil
	}
	return plan, err
}

// errStranger undoes the visit of a run under another workflow id; it never
// leaves Plan.
var errStranger = fault.Missing("execution under this workflow id")

// Begin begins the call of a step: numbers it and holds the step. Without a
// call the plan tells what to do instead: the step has ended, another call
// holds it, it is paused, or no place is free.
func (e *Executions) Begin(ctx context.Context, workspaceID, executionID, stepID string) (*StepCall, contract.Plan, error) {
	var call *StepCall
	var held int
	plan, err := e.advance(ctx, command{
		workspaceID: workspaceID, executionID: executionID, stepID: stepID, from: fromActivity,
		reads: func(b *pgx.Batch) {
			b.Queue(`SELECT count(*) FROM steps WHERE workspace_id = $1 AND held_until > clock_timestamp()`, workspaceID).
				QueryRow(func(row pgx.Row) error { return row.Scan(&held) })
		},
		apply: func(l *state, w *walk.Walk) error {
			limit := w.CallLimit(stepID)
			if number, ok := w.Begin(stepID, limit, held < e.slots); ok {
				call = &StepCall{StepID: stepID, Number: number, BegunAt: l.now, Hold: limit + walk.HoldMargin}
			}
			return nil
		},
	})
	if fault.Is(err, fault.NotFound) {
		return nil, contract.Plan{}, nil
	}
	if err != nil || call == nil {
		return nil, plan, err
	}
	err = e.fillCall(ctx, call, workspaceID, executionID)
	return call, plan, err
}

// Finish records how a call ended, in the transaction that stores its output,
// and gives the plan that follows.
func (e *Executions) Finish(ctx context.Context, workspaceID, executionID, stepID string, o walk.Outcome) (contract.Plan, error) {
	plan, err := e.advance(ctx, command{
		workspaceID: workspaceID, executionID: executionID, stepID: stepID, from: fromActivity,
		apply: func(_ *state, w *walk.Walk) error { w.Finish(stepID, o); return nil },
	})
	if fault.Is(err, fault.NotFound) {
		return contract.Plan{}, nil
	}
	return plan, err
}
