package person

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/queue"
)

// NamedRuns are those of an execution in Temporal, whose histories say for whom its steps waited.
type NamedRuns struct {
	ExecutionID, WorkflowID string
	// Open reports that the execution has not ended.
	Open bool
}

// runsOf are up to $4 executions behind the id $2 with reviewers who are called $3 by now.
const runsOf = `
SELECT x.id, x.definition_id, x.key_space, x.idempotency_key, x.status IN ('pending', 'running') FROM executions x
WHERE x.workspace_id = $1 AND x.id = ANY (ARRAY(
    SELECT DISTINCT r.execution_id FROM step_reviewers r
    WHERE r.workspace_id = $1 AND r.execution_id > $2 AND (r.user_id = $3 OR starts_with(r.user_id, $3 || '.') OR r.replaces = $3)
    ORDER BY r.execution_id LIMIT $4)) ORDER BY x.id`

// NamedRuns returns some of the runs that an erasure has to have forgotten next; none while it does anything else, and none at
// the end. RunsForgotten notes them.
func (s *Persons) NamedRuns(ctx context.Context, j *job.Job) (runs []NamedRuns, err error) {
	err = s.db.Read(ctx, func(tx *pg.Tx) error {
		var pseudonym string
		var walked []string
		err := tx.QueryRow(ctx, `SELECT pseudonym, walked FROM erasures WHERE id = $1 AND tasks_left = 1`, j.ID).Scan(&pseudonym, &walked)
		if pg.IsNoRow(err) {
			return nil
		}
		if err != nil {
			return err
		}
		runs, err = namedRuns(ctx, tx, j.WorkspaceID, pseudonym, walked)
		return err
	})
	return runs, err
}

func namedRuns(ctx context.Context, tx *pg.Tx, workspaceID, pseudonym string, after []string) ([]NamedRuns, error) {
	rows, err := tx.Query(ctx, runsOf, workspaceID, behindID(after), pseudonym, executionsAtOnce)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r NamedRuns, err error) {
		var definitionID, space, key string
		err = row.Scan(&r.ExecutionID, &definitionID, &space, &key, &r.Open)
		r.WorkflowID = contract.ExecutionWorkflowID(workspaceID, definitionID, contract.KeySpace(space), key)
		return r, err
	})
}

// RunsForgotten notes that Temporal has none of these runs any more, and has those of open executions begun anew: what they
// drive stands in rows, which have nobody's name any more.
func (s *Persons) RunsForgotten(ctx context.Context, j *job.Job, runs []NamedRuns) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		for _, r := range runs {
			if r.Open {
				queue.Put(tx, queue.Work{Kind: queue.Executions, Key: r.ExecutionID, WorkspaceID: j.WorkspaceID})
			}
		}
		_, err := tx.Exec(ctx, `UPDATE erasures SET walked = $2 WHERE id = $1 AND tasks_left = 1`, j.ID, []string{runs[len(runs)-1].ExecutionID})
		return err
	})
}

// eraseRuns is done when no run is left: what makes them go are NamedRuns and RunsForgotten.
func eraseRuns(ctx context.Context, tx *pg.Tx, e *erasure, after []string) ([]string, int, error) {
	left, err := namedRuns(ctx, tx, e.workspaceID, e.marks.Pseudonym, after)
	if err != nil || len(left) == 0 {
		return nil, 0, err
	}
	return []string{behindID(after)}, 0, nil
}
