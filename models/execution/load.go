package execution

import (
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// lockExecution locks the row of an execution and reads it. The clock stands
// outside the inner SELECT, which waits for the lock: inside, Postgres would read
// it before the wait, and this command's time could lie before that of the command
// it waited for.
var lockExecution = `
SELECT locked.*, clock_timestamp() FROM (SELECT status, attempt, seq, revision, trigger_context, completed_at, cancelled_at, paused_at,
       coalesce(failure_code, ''), coalesce(failure_message, ''), version_ref, definition_id, definition_name, definition_version,
       correlation_id, organization_key, document_key, ` + subject.ID("e.organization_key") + ` AS organization_id,
       ` + subject.ID("e.document_key") + ` AS document_id, receiver_destination, receiver_origin, receiver_event_types,
       coalesce(run_id, ''), group_states, started_at, key_space, idempotency_key, ` + webhooksConfigured + `, ` + mailsEnabled + `,
       EXISTS (SELECT FROM workspaces w WHERE w.id = $1 AND w.stopped_at IS NOT NULL)
FROM executions e WHERE workspace_id = $1 AND id = $2 FOR UPDATE) AS locked`

// readSteps reads outputs of open steps only, and of members of groups in the newest
// iteration: they are what the group leaves behind. Of the step with which an iteration
// began it reads the input: the next one continues the list in it. What an agent's step
// was told it reads of those that live, and of the step that the command names.
const readSteps = `
SELECT id, node_id, node_type, coalesce(group_id, ''), coalesce(loop_id, ''), loop_entry, iteration, attempt, ordinal, status, decision,
       ended_by, end_action, end_actor, routed, coalesce(error_code, ''), coalesce(error_message, ''), created_at, started_at, completed_at, due_at,
       retries, calls, locked_until, next_try_at, queued_at,
       CASE WHEN loop_entry AND (loop_id, iteration) IN (SELECT loop_id, max(iteration) FROM steps
            WHERE workspace_id = $1 AND execution_id = $2 AND loop_entry GROUP BY loop_id) THEN input END,
       CASE WHEN status IN ('pending', 'running', 'waiting') OR group_id IS NOT NULL AND (node_id, iteration) IN (SELECT node_id, max(iteration)
            FROM steps WHERE workspace_id = $1 AND execution_id = $2 AND group_id IS NOT NULL GROUP BY node_id) THEN output END,
       timeout_at, CASE WHEN status IN ('running', 'waiting') OR id = $3 THEN agent END,
       CASE WHEN status IN ('running', 'waiting') OR id = $3 THEN callback END
FROM steps WHERE workspace_id = $1 AND execution_id = $2 ORDER BY ordinal`

// readReviewers reads the reviewers of the open steps, and of the step that the
// command names, even if that one has ended. Of all others it reads those who were put
// in somebody's place: they are asked by later steps of the node. $4 reads them all.
const readReviewers = `
SELECT r.step_id, r.user_id, r.mandatory, r.decision, coalesce(r.reason, ''), r.decided_at, coalesce(r.replaces, ''), r.position,
       s.status IN ('pending', 'waiting') OR r.step_id = $3 OR $4
FROM step_reviewers r JOIN steps s ON s.workspace_id = r.workspace_id AND s.execution_id = r.execution_id AND s.id = r.step_id
WHERE r.workspace_id = $1 AND r.execution_id = $2 AND (s.status IN ('pending', 'waiting') OR r.step_id = $3 OR r.replaces IS NOT NULL OR $4)
ORDER BY s.ordinal, r.position`

// queueLoad locks the execution and reads it with its steps and their reviewers.
func (s *state) queueLoad(b *pgx.Batch, executionID, stepID string, allReviewers bool) {
	s.execution.ExecutionID = executionID
	b.Queue(lockExecution, s.workspaceID, executionID).QueryRow(s.scan)
	b.Queue(readSteps, s.workspaceID, executionID, stepID).Query(s.scanSteps)
	b.Queue(readReviewers, s.workspaceID, executionID, stepID, allReviewers).Query(s.scanReviewers)
}

func (s *state) scan(row pgx.Row) error {
	var space, key string
	var input, groups []byte
	var completed, cancelled, paused *time.Time
	w := &s.execution
	err := row.Scan(&w.Status, &w.Attempt, &w.Seq, &w.Revision, &input, &completed, &cancelled, &paused,
		&w.FailureCode, &w.FailureMessage, &s.versionRef, &s.definitionID, &s.definitionName, &s.definitionVersion,
		&s.correlationID, &s.subjects.Organization, &s.subjects.Document, &s.organizationID, &s.documentID, &s.destination, &s.origin, &s.eventTypes,
		&s.run.id, &groups, &s.startedAt, &space, &key, &s.webhooksConfigured, &s.mailsEnabled, &w.Stopped, &s.now)
	if pg.IsNoRow(err) {
		return nil // exists stays false; the caller says what that means
	}
	if err == nil && groups != nil {
		err = json.Unmarshal(groups, &w.Groups)
	}
	s.exists = err == nil
	w.Input = json.RawMessage(input)
	w.CompletedAt, w.CancelledAt, w.PausedAt = pg.Millis(completed), pg.Millis(cancelled), pg.Millis(paused)
	s.workflowID = workflowID(s.workspaceID, s.definitionID, space, key)
	return err
}

func (s *state) scanSteps(rows pgx.Rows) error {
	for rows.Next() {
		step, err := scanStep(rows)
		if err != nil {
			return err
		}
		s.execution.Steps = append(s.execution.Steps, step)
	}
	return rows.Err()
}

func scanStep(row pgx.Row) (*interpreter.Step, error) {
	s := &interpreter.Step{}
	var created time.Time
	var started, completed, due, held, next, queued, timeout *time.Time
	var input, output, agent, callback []byte
	err := row.Scan(&s.ID, &s.NodeID, &s.NodeType, &s.GroupID, &s.LoopID, &s.LoopEntry, &s.Iteration, &s.Attempt, &s.Ordinal, &s.Status,
		&s.Decision, &s.EndedBy, &s.EndAction, &s.EndActor, &s.Routed, &s.ErrorCode, &s.ErrorMessage, &created, &started, &completed, &due,
		&s.Retries, &s.Calls, &held, &next, &queued, &input, &output, &timeout, &agent, &callback)
	if err == nil && agent != nil {
		err = json.Unmarshal(agent, &s.Agent)
	}
	if err == nil && callback != nil {
		err = json.Unmarshal(callback, &s.Callback)
	}
	s.CreatedAt, s.StartedAt, s.CompletedAt, s.DueAt = created.UnixMilli(), pg.Millis(started), pg.Millis(completed), pg.Millis(due)
	s.LockedUntil, s.NextTryAt, s.QueuedAt, s.TimeoutAt = pg.Millis(held), pg.Millis(next), pg.Millis(queued), pg.Millis(timeout)
	s.Input, s.Output = json.RawMessage(input), json.RawMessage(output)
	return s, err
}

func (s *state) scanReviewers(rows pgx.Rows) error {
	byID := make(map[string]*interpreter.Step, len(s.execution.Steps))
	for _, step := range s.execution.Steps {
		byID[step.ID] = step
	}
	for rows.Next() {
		var stepID string
		var r interpreter.Reviewer
		var at *time.Time
		var position int
		var wanted bool
		if err := rows.Scan(&stepID, &r.UserID, &r.Mandatory, &r.Decision, &r.Reason, &at, &r.Replaces, &position, &wanted); err != nil {
			return err
		}
		r.At = pg.Millis(at)
		step := byID[stepID]
		if step != nil && wanted {
			step.Reviewers = append(step.Reviewers, r)
		}
		if step != nil && r.Replaces != "" {
			s.execution.Substitutes = append(s.execution.Substitutes, interpreter.Substitute{NodeID: step.NodeID, Position: position, UserID: r.UserID})
		}
	}
	return rows.Err()
}
