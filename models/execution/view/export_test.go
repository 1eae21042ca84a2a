package view

import "github.com/redline-svc/redline/models/subject"

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
