package execution

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/walk"
	"github.com/redline-svc/redline/models/internal/pg"
)

// readPlan is one statement, so what it shows is one moment. It gives a row for each live step, and one without a step where none lives.
const readPlan = `
SELECT e.status, e.revision, e.paused_at, coalesce(e.failure_code, ''), e.definition_id, e.key_space, e.idempotency_key,
       e.run_started, clock_timestamp(), coalesce(s.id, ''), coalesce(s.node_id, ''), coalesce(s.status, ''), s.started_at, s.due_at,
       coalesce(s.retries, 0), coalesce(s.calls, 0), s.held_until, s.next_try_at, s.queued_at,
       (SELECT array_agg(r.user_id ORDER BY r.position) FROM step_reviewers r
        WHERE r.workspace_id = s.workspace_id AND r.execution_id = s.execution_id AND r.step_id = s.id AND r.open)
FROM executions e LEFT JOIN steps s ON s.workspace_id = e.workspace_id AND s.execution_id = e.id
     AND s.status IN ('pending', 'running', 'waiting')
WHERE e.workspace_id = $1 AND e.id = $2 ORDER BY s.ordinal`

// readPlan reads the plan without a lock. It is settled unless the execution
// still waits for its first plan.
func (e *Executions) readPlan(ctx context.Context, in contract.PlanInput) (plan contract.Plan, settled bool, err error) {
	s := &state{workspaceID: in.WorkspaceID}
	s.walk.ExecutionID = in.ExecutionID
	rows, err := e.db.Pool.Query(ctx, readPlan, in.WorkspaceID, in.ExecutionID)
	if err != nil {
		return plan, false, pg.Translate(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := s.scanPlan(rows); err != nil {
			return plan, false, pg.Translate(err)
		}
	}
	if err := rows.Err(); err != nil {
		return plan, false, pg.Translate(err)
	}
	if !s.exists || s.workflowID != in.WorkflowID {
		return plan, true, nil
	}
	first := s.walk.Status == walk.Pending && s.walk.PausedAt == 0
	return walk.Plan(&s.walk, s.now.UnixMilli()), !first && s.poke.runStarted, nil
}

func (s *state) scanPlan(row pgx.Row) error {
	var space, key string
	var paused, started, due, held, next, queued *time.Time
	var waiting []string
	step := &walk.Step{}
	err := row.Scan(&s.walk.Status, &s.walk.Revision, &paused, &s.walk.FailureCode, &s.definitionID, &space, &key,
		&s.poke.runStarted, &s.now, &step.ID, &step.NodeID, &step.Status, &started, &due,
		&step.Retries, &step.Calls, &held, &next, &queued, &waiting)
	if err != nil {
		return err
	}
	s.exists, s.walk.PausedAt = true, pg.Millis(paused)
	s.workflowID = workflowID(s.workspaceID, s.definitionID, space, key)
	if step.ID == "" {
		return nil
	}
	step.StartedAt, step.DueAt, step.HeldUntil = pg.Millis(started), pg.Millis(due), pg.Millis(held)
	step.NextTryAt, step.QueuedAt = pg.Millis(next), pg.Millis(queued)
	for _, user := range waiting {
		step.Reviewers = append(step.Reviewers, walk.Reviewer{UserID: user})
	}
	s.walk.Steps = append(s.walk.Steps, step)
	return nil
}
