package execution

import (
	"context"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/walk"
	"github.com/redline-svc/redline/models/subject"
)

// LatestSteps is the statement that reads the steps of a page of executions.
const LatestSteps = latestSteps

// ListQuery is the statement that reads a page of executions.
func ListQuery(workspaceID string, f Filter, after *Position, size int) (string, []any) {
	return listQuery(workspaceID, f, after, size)
}

// InboxQuery is the statement that reads a page of steps.
func InboxQuery(workspaceID string, f StepFilter, after *StepPosition, size int) (string, []any) {
	return stepQuery(workspaceID, f, subject.Narrow{}, after, size)
}

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
