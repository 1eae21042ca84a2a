package redline

import (
	"context"
	"time"
)

// The pauses between two looks at what runs: they double from the first to the longest.
const (
	firstLook   = 250 * time.Millisecond
	longestLook = 2 * time.Second
)

// until looks again and again until what it sees has ended, or ctx has.
func until[T any](ctx context.Context, look func() (T, bool, error)) (T, error) {
	for wait := firstLook; ; wait = min(2*wait, longestLook) {
		seen, ended, err := look()
		if err != nil || ended {
			return seen, err
		}
		select {
		case <-ctx.Done():
			return seen, ctx.Err()
		case <-time.After(wait):
		}
	}
}

// WaitForExecution returns an execution once it has ended, well or not (see its Status). It may
// wait for people: bound it by ctx, after which the execution is returned as it was seen last.
func (c *Client) WaitForExecution(ctx context.Context, executionID string) (Execution, error) {
	return until(ctx, func() (Execution, bool, error) {
		seen, err := c.Executions.Get(ctx, GetExecutionRequest{ExecutionID: executionID})
		return seen, seen.Status != ExecutionStatusPending && seen.Status != ExecutionStatusRunning, err
	})
}

// WaitForIngestion returns the state of a source once its newest version is searchable or has
// failed (see its Status). Progress, unless it is nil, is called with each new look.
func (c *Client) WaitForIngestion(ctx context.Context, sourceID string, progress func(IngestProgress)) (IngestStatus, error) {
	return until(ctx, func() (IngestStatus, bool, error) {
		seen, err := c.Knowledge.IngestStatus(ctx, IngestStatusRequest{SourceID: sourceID})
		if err == nil && progress != nil {
			progress(seen.Progress)
		}
		return seen, seen.Status != IngestStatusStatusProcessing, err
	})
}

// WaitForMigration returns a migration of a document once it has ended, well or not.
func (c *Client) WaitForMigration(ctx context.Context, organizationID, migrationID string) (Migration, error) {
	return until(ctx, func() (Migration, bool, error) {
		seen, err := c.Documents.MigrateStatus(ctx, MigrationStatusRequest{OrganizationID: organizationID, MigrationID: migrationID})
		return seen, seen.Status == MigrationStatusCompleted || seen.Status == MigrationStatusFailed, err
	})
}

// WaitForStep returns the first step of a list of steps, once there is one: a dispatch is answered
// before its first step waits for somebody.
func (c *Client) WaitForStep(ctx context.Context, in ListStepsRequest) (ListedStep, error) {
	return until(ctx, func() (ListedStep, bool, error) {
		page, err := c.Steps.List(ctx, in)
		if err != nil || len(page.Items) == 0 {
			return ListedStep{}, false, err
		}
		return page.Items[0], true, nil
	})
}
