package execution

import (
	"context"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/walk"
)

// Act is what somebody does to an execution: who, and why, may be empty.
type Act struct {
	ExecutionID string
	// APIKeyID is the calling key's.
	APIKeyID        string
	ActorID, Reason string
}

// Pause keeps anything of an execution from starting, and gives since when it is
// paused, in epoch milliseconds. Errors: NOT_FOUND, FAILED_PRECONDITION for one that
// has ended.
func (e *Executions) Pause(ctx context.Context, workspaceID string, a Act) (pausedAt int64, err error) {
	err = e.act(ctx, workspaceID, a, "", func(s *state, w *walk.Walk, _ *consequences) *fault.Error {
		refused := w.Pause(a.ActorID, a.Reason)
		pausedAt = s.walk.PausedAt
		return refused
	})
	return pausedAt, err
}

// Resume lets a paused execution go on. Errors: those of Pause.
func (e *Executions) Resume(ctx context.Context, workspaceID string, a Act) error {
	return e.act(ctx, workspaceID, a, "", func(_ *state, w *walk.Walk, _ *consequences) *fault.Error {
		return w.Resume(a.ActorID, a.Reason)
	})
}

// act is the command of a caller about an execution, or about a step of it.
func (e *Executions) act(ctx context.Context, workspaceID string, a Act, stepID string,
	apply func(s *state, w *walk.Walk, c *consequences) *fault.Error,
) error {
	_, err := e.advance(ctx, command{
		workspaceID: workspaceID, executionID: a.ExecutionID, apiKeyID: a.APIKeyID, stepID: stepID, from: fromCaller,
		apply: func(s *state, w *walk.Walk, c *consequences) error {
			if refused := apply(s, w, c); refused != nil {
				return refused
			}
			return nil
		},
	})
	return err
}
