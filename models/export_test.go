package models

import (
	"context"

	"github.com/redline-svc/redline/internal/definition"
)

// GraphFunc lets a test give graphs without definitions.
type GraphFunc func(versionRef string) (*definition.Graph, error)

func (f GraphFunc) graph(_ context.Context, _ RowQueryer, versionRef string) (*definition.Graph, error) {
	return f(versionRef)
}

// LatestSteps is the statement that reads the steps of a page of executions.
const LatestSteps = latestSteps

// ListQuery is the statement that reads a page of executions.
func ListQuery(workspaceID string, f ExecutionFilter, after *ExecutionPosition, size int) (string, []any) {
	return listQuery(workspaceID, f, after, size)
}

// InboxQuery is the statement that reads a page of steps.
func InboxQuery(workspaceID string, f StepFilter, after *StepPosition, size int) (string, []any) {
	return stepQuery(workspaceID, f, after, size)
}
