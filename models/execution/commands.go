package execution

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
)

// Decide records a reviewer's decision and the judgment that it is. Errors: NOT_FOUND, FAILED_PRECONDITION.
func (e *Executions) Decide(ctx context.Context, workspaceID, executionID, apiKeyID string, d interpreter.Decision) (interpreter.Answer, error) {
	var answer interpreter.Answer
	_, err := e.advance(ctx, decision(workspaceID, executionID, apiKeyID, d, &answer))
	return answer, err
}

func decision(workspaceID, executionID, apiKeyID string, d interpreter.Decision, answer *interpreter.Answer) command {
	return command{
		workspaceID: workspaceID, executionID: executionID, apiKeyID: apiKeyID, stepID: d.StepID, from: fromCaller,
		apply: func(_ *state, w *interpreter.Interpreter, c *consequences) error {
			a, refused := w.Decide(d)
			*answer = a
			if refused != nil {
				return refused
			}
			if a.Recorded {
				c.addJudgment(d)
			}
			return nil
		},
	}
}

// Cancel ends an execution. It reports whether it is cancelled now or was before;
// false when it had completed or failed already. Errors: NOT_FOUND.
func (e *Executions) Cancel(ctx context.Context, workspaceID, executionID, apiKeyID, actor, reason string) (bool, error) {
	var cancelled bool
	_, err := e.advance(ctx, command{
		workspaceID: workspaceID, executionID: executionID, apiKeyID: apiKeyID, from: fromCaller,
		apply: func(_ *state, w *interpreter.Interpreter, _ *consequences) error {
			cancelled = w.Cancel(actor, reason)
			return nil
		},
	})
	return cancelled, err
}

// temporalActor cancels for somebody at Temporal's UI.
const temporalActor = "system:engine"

// Plan is what Temporal has to drive now. A run whose id is not the
// execution's gets the empty plan, like one whose execution is gone: it ends.
// The first question makes a pending execution run.
func (e *Executions) Plan(ctx context.Context, in contract.PlanInput) (contract.Plan, error) {
	var other bool
	plan, err := e.advance(ctx, command{
		workspaceID: in.WorkspaceID, executionID: in.ExecutionID, from: fromRun,
		apply: func(s *state, w *interpreter.Interpreter, _ *consequences) error {
			if other = s.workflowID != in.WorkflowID; other {
				return errOtherWorkflow
			}
			s.run.drivenBy(in.RunID)
			if in.Cancelled {
				w.Cancel(temporalActor, "")
				return nil
			}
			w.Ask()
			return nil
		},
	})
	if other || fault.Is(err, fault.StatusNotFound) {
		return contract.Plan{}, nil
	}
	return plan, err
}

// ReadPlan is the plan as it stands; nothing is changed by the question, neither what
// is queued for Temporal. One that is gone has the empty plan.
func (e *Executions) ReadPlan(ctx context.Context, workspaceID, executionID string) (contract.Plan, error) {
	plan, err := e.advance(ctx, command{
		workspaceID: workspaceID, executionID: executionID, from: fromReader,
		apply: func(*state, *interpreter.Interpreter, *consequences) error { return nil },
	})
	if fault.Is(err, fault.StatusNotFound) {
		return contract.Plan{}, nil
	}
	return plan, err
}

// errOtherWorkflow undoes the command of a run under another workflow id; it never
// leaves Plan.
var errOtherWorkflow = fault.NotFound("execution under this workflow id")

// Begin begins the call of a step: numbers it and holds the step. Without a
// call the plan tells what to do instead: the step has ended, another call
// holds it, it is paused, or no slot is free.
func (e *Executions) Begin(ctx context.Context, in contract.CallInput) (*StepCall, contract.Plan, error) {
	workspaceID, executionID, stepID := in.WorkspaceID, in.ExecutionID, in.StepID
	var call *StepCall
	var held int
	plan, err := e.advance(ctx, command{
		workspaceID: workspaceID, executionID: executionID, stepID: stepID, from: fromActivity,
		reads: func(b *pgx.Batch) {
			b.Queue(`SELECT count(*) FROM steps WHERE workspace_id = $1 AND locked_until > clock_timestamp()`, workspaceID).
				QueryRow(func(row pgx.Row) error { return row.Scan(&held) })
		},
		apply: func(s *state, w *interpreter.Interpreter, c *consequences) error {
			limit := w.CallLimit(stepID)
			if number, ok := w.Begin(stepID, limit, held < e.slots); ok {
				call = &StepCall{StepID: stepID, Number: number, BegunAt: s.now, LockedFor: limit + interpreter.LockMargin}
				if w.AnswersLater(stepID) {
					call.CallbackToken = e.tokenOf(workspaceID, executionID, stepID)
					c.addToken(stepID, call.CallbackToken)
				}
			} else {
				s.run.drivenBy(in.RunID)
			}
			return nil
		},
	})
	if fault.Is(err, fault.StatusNotFound) {
		return nil, contract.Plan{}, nil
	}
	if err != nil || call == nil {
		return nil, plan, err
	}
	err = e.fillCall(ctx, call, workspaceID, executionID)
	return call, plan, err
}

// Finish records how a call ended, in the transaction that stores its output,
// and returns the plan that follows. If another run drives the execution by now, that one
// is signalled: the activity's result goes to a run that has ended.
func (e *Executions) Finish(ctx context.Context, in contract.CallInput, o interpreter.Outcome) (contract.Plan, error) {
	stepID := in.StepID
	plan, err := e.advance(ctx, command{
		workspaceID: in.WorkspaceID, executionID: in.ExecutionID, stepID: stepID, from: fromActivity,
		apply: func(s *state, w *interpreter.Interpreter, c *consequences) error {
			step := s.execution.Step(stepID)
			open := step != nil && step.Status.Live()
			s.run.reportedTo(in.RunID)
			w.Finish(stepID, o)
			if open && step.EndedBy == interpreter.ByAgent && o.Agent.Word != "" {
				if last := step.Agent.Answers[len(step.Agent.Answers)-1]; last.Source == resolution.FromAgent {
					c.addResolution(step, last, o.Agent.AgentName) // all others have theirs
				}
			}
			return nil
		},
	})
	if fault.Is(err, fault.StatusNotFound) {
		return contract.Plan{}, nil
	}
	return plan, err
}
