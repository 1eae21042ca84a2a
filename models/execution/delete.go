package execution

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/queue"
)

// Why an execution is not deleted.
const (
	CodeNotFound = "not-found"
	CodeNotEnded = "not-ended"
)

const lockToDelete = `SELECT id, status FROM executions WHERE workspace_id = $1 AND id = ANY ($2::text[]) ORDER BY id FOR UPDATE`

// deleteRows moves what stays of executions to where it is kept.
const deleteRows = `
WITH gone AS (
    DELETE FROM executions WHERE workspace_id = $1 AND id = ANY ($2::text[])
    RETURNING workspace_id, id, definition_id, key_space, idempotency_key, correlation_id, signature_hash
)
INSERT INTO deleted_executions (workspace_id, execution_id, definition_id, key_space, idempotency_key, correlation_id, signature_hash)
SELECT * FROM gone`

// Delete deletes those of some executions that have ended, and returns why each of the others
// is not. Nobody finds one from the commit on; its rows go by a job. What stays says who answers
// to its key.
func (e *Executions) Delete(ctx context.Context, workspaceID string, executionIDs []string) (refused map[string]string, err error) {
	err = e.db.InTx(ctx, func(tx *pg.Tx) error {
		var ended []string
		if ended, refused, err = lockEnded(ctx, tx, workspaceID, executionIDs); err != nil || len(ended) == 0 {
			return err
		}
		b := &pgx.Batch{}
		delivery.EndOfExecutions(b, workspaceID, ended)
		b.Queue(deleteRows, workspaceID, ended)
		tx.SendLast(b)
		for _, executionID := range ended {
			queue.Remove(tx, queue.Executions, executionID)
			queue.Remove(tx, queue.Overdue, executionID)
		}
		return job.Queue(ctx, tx, job.Job{WorkspaceID: workspaceID, ID: id.New(id.Removal), Kind: job.Removal, Input: []byte(`{}`)})
	})
	return refused, err
}

// lockEnded locks executions, and returns those that have ended and what is wrong with the others.
func lockEnded(ctx context.Context, tx *pg.Tx, workspaceID string, executionIDs []string) (ended []string, refused map[string]string, err error) {
	refused = make(map[string]string, len(executionIDs))
	for _, executionID := range executionIDs {
		refused[executionID] = CodeNotFound
	}
	rows, err := tx.Query(ctx, lockToDelete, workspaceID, executionIDs)
	if err != nil {
		return nil, nil, err
	}
	var executionID, status string
	_, err = pgx.ForEachRow(rows, []any{&executionID, &status}, func() error {
		if !interpreter.Status(status).Final() {
			refused[executionID] = CodeNotEnded
			return nil
		}
		ended = append(ended, executionID)
		delete(refused, executionID)
		return nil
	})
	return ended, refused, err
}

const (
	// removeBatch is how many rows a transaction removes at most, of purgedAtOnce executions.
	removeBatch  = 1000
	purgedAtOnce = 100
)

const unpurged = `SELECT execution_id FROM deleted_executions WHERE workspace_id = $1 AND NOT purged ORDER BY execution_id LIMIT $2`

// ofDeleted removes some of the rows of a table that belong to deleted executions.
func ofDeleted(table string) string {
	return `DELETE FROM ` + table + ` WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ` + table + ` WHERE workspace_id = $1 AND execution_id = ANY ($2::text[]) LIMIT $3))`
}

// RemoveBatch removes rows of deleted executions and returns how many these were; 0 when nothing is
// left. It may be repeated.
func (e *Executions) RemoveBatch(ctx context.Context, workspaceID string) (int, error) {
	rows, err := e.db.Pool.Query(ctx, unpurged, workspaceID, purgedAtOnce)
	if err != nil {
		return 0, pg.Translate(err)
	}
	executionIDs, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(executionIDs) == 0 {
		return 0, pg.Translate(err)
	}
	removed, err := e.removeSome(ctx, workspaceID, executionIDs)
	if err == nil && removed == 0 {
		removed, err = e.db.Exec(ctx, `UPDATE deleted_executions SET purged = true WHERE workspace_id = $1 AND execution_id = ANY ($2::text[])`,
			workspaceID, executionIDs)
	}
	return int(removed), err
}

// removeSome removes some of what is left of deleted executions.
func (e *Executions) removeSome(ctx context.Context, workspaceID string, executionIDs []string) (int64, error) {
	removed, err := delivery.RemoveOfExecutions(ctx, e.db, workspaceID, executionIDs, removeBatch)
	if err != nil || removed > 0 {
		return removed, err
	}
	removed, err = mail.RemoveOfExecutions(ctx, e.db, workspaceID, executionIDs, removeBatch)
	if err != nil || removed > 0 {
		return removed, err
	}
	for _, table := range []string{"callback_tokens", "events", "step_reviewers", "steps"} {
		if removed, err = e.db.Exec(ctx, ofDeleted(table), workspaceID, executionIDs, removeBatch); err != nil || removed > 0 {
			return removed, err
		}
	}
	return 0, nil
}
