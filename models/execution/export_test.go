package execution

import (
	"context"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/walk"
)

// ClaimPokesStatement is the statement that claims pokes.
var ClaimPokesStatement = claimPokes

// DispatchUsual is a dispatch that gives up instead of going the long way.
func (e *Executions) DispatchUsual(ctx context.Context, workspaceID string, d Dispatch) (string, bool, error) {
	d.Key = id.Token("key")
	done, accepted, err := e.acceptUsual(ctx, workspaceID, d)
	return done.ExecutionID, accepted, err
}

// DecideRemembered is a decision that gives up instead of going the long way.
func (e *Executions) DecideRemembered(ctx context.Context, workspaceID, executionID string, d walk.Decision) (walk.Answer, bool) {
	var answer walk.Answer
	done, err := e.advanceRemembered(ctx, lockKey(workspaceID, executionID), decision(workspaceID, executionID, "", d, &answer))
	return answer, done && err == nil
}
