package execution

import (
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/walk"

	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
)

// state is an execution as the locked path reads it.
type state struct {
	state       walk.State
	workspaceID string
	versionRef  string
	now         time.Time
	found       bool

	definitionID, definitionName string
	definitionVersion            int
	workflowID                   string
	correlationID                string
	organizationID, documentID   *string
	destination, origin          *string
	eventTypes                   []string
	runStarted                   bool
	pokeDue                      *int64
	pokeAt                       *time.Time
	startedAt                    time.Time
	traceParent                  string
	// handover is the room that was found for the poke that this visit owes.
	handover Handover
	// sends tells that deliveries were queued.
	sends bool
	// contentType is the definition's, for judgments; judged are those that the
	// visit makes.
	contentType string
	judged      []judgment.Step
	// publishes says that the workspace may have endpoints that are told of events,
	// apiKeyID by whose call they came.
	publishes bool
	apiKeyID  string
	events    []delivery.Event
	// mails says that reviewers are told by mail; waiting are the steps that began
	// to wait for them in this visit.
	mails   bool
	waiting []*walk.Step
}

// lockExecution reads the row under its lock. The time is taken around that, once
// the row is locked: beside its columns it would be taken before the wait.
const lockExecution = `
SELECT locked.*, clock_timestamp() FROM (SELECT status, attempt, seq, revision, trigger_context, completed_at, cancelled_at, paused_at,
       coalesce(failure_code, ''), coalesce(failure_message, ''), version_ref, definition_id, definition_name, definition_version,
       correlation_id, organization_id, document_id, receiver_destination, receiver_origin, receiver_event_types,
       run_started, poke_due, poke_at, started_at, key_space, idempotency_key, coalesce(trace_parent, ''), ` + webhooksConfigured + `, ` + mailsOn + `
FROM executions WHERE workspace_id = $1 AND id = $2 FOR UPDATE) AS locked`

const readSteps = `
SELECT id, node_id, node_type, coalesce(group_id, ''), coalesce(loop_id, ''), iteration, attempt, ordinal, status, decision,
       ended_by, routed, coalesce(error_code, ''), coalesce(error_message, ''), created_at, started_at, completed_at, due_at,
       retries, calls, held_until, next_try_at, queued_at, CASE WHEN status IN ('pending', 'running', 'waiting') THEN output END
FROM steps WHERE workspace_id = $1 AND execution_id = $2 ORDER BY ordinal`

// readReviewers: those of open steps, and of one step named, which may have
// ended.
const readReviewers = `
SELECT r.step_id, r.user_id, r.mandatory, r.decision, coalesce(r.reason, ''), r.decided_at
FROM step_reviewers r JOIN steps s ON s.workspace_id = r.workspace_id AND s.execution_id = r.execution_id AND s.id = r.step_id
WHERE r.workspace_id = $1 AND r.execution_id = $2 AND (s.status IN ('pending', 'waiting') OR r.step_id = $3)
ORDER BY r.step_id, r.position`

// load queues the reads of an execution under its lock.
func (l *state) load(b *pgx.Batch, executionID, stepID string) {
	l.state.ExecutionID = executionID
	b.Queue(lockExecution, l.workspaceID, executionID).QueryRow(l.scan)
	l.queueSteps(b, stepID)
}

// queueSteps queues the reads of steps and reviewers.
func (l *state) queueSteps(b *pgx.Batch, stepID string) {
	b.Queue(readSteps, l.workspaceID, l.state.ExecutionID).Query(func(rows pgx.Rows) error {
		for rows.Next() {
			s, err := scanStep(rows)
			if err != nil {
				return err
			}
			l.state.Steps = append(l.state.Steps, s)
		}
		return rows.Err()
	})
	b.Queue(readReviewers, l.workspaceID, l.state.ExecutionID, stepID).Query(l.scanReviewers)
}

func (l *state) scan(row pgx.Row) error {
	var space, key string
	var input []byte
	var completed, cancelled, paused *time.Time
	s := &l.state
	err := row.Scan(&s.Status, &s.Attempt, &s.Seq, &s.Revision, &input, &completed, &cancelled, &paused,
		&s.FailureCode, &s.FailureMessage, &l.versionRef, &l.definitionID, &l.definitionName, &l.definitionVersion,
		&l.correlationID, &l.organizationID, &l.documentID, &l.destination, &l.origin, &l.eventTypes,
		&l.runStarted, &l.pokeDue, &l.pokeAt, &l.startedAt, &space, &key, &l.traceParent, &l.publishes, &l.mails, &l.now)
	if pg.IsNoRow(err) {
		return nil // found stays false; the caller says what that means
	}
	l.found = err == nil
	s.Input = json.RawMessage(input)
	s.CompletedAt, s.CancelledAt, s.PausedAt = pg.Millis(completed), pg.Millis(cancelled), pg.Millis(paused)
	l.workflowID = workflowID(l.workspaceID, l.definitionID, space, key)
	return err
}

func scanStep(row pgx.Row) (*walk.Step, error) {
	s := &walk.Step{}
	var created time.Time
	var started, completed, due, held, next, queued *time.Time
	var output []byte
	err := row.Scan(&s.ID, &s.NodeID, &s.NodeType, &s.GroupID, &s.LoopID, &s.Iteration, &s.Attempt, &s.Ordinal, &s.Status,
		&s.Decision, &s.EndedBy, &s.Routed, &s.ErrorCode, &s.ErrorMessage, &created, &started, &completed, &due,
		&s.Retries, &s.Calls, &held, &next, &queued, &output)
	s.CreatedAt, s.StartedAt, s.CompletedAt, s.DueAt = created.UnixMilli(), pg.Millis(started), pg.Millis(completed), pg.Millis(due)
	s.HeldUntil, s.NextTryAt, s.QueuedAt = pg.Millis(held), pg.Millis(next), pg.Millis(queued)
	s.Output = json.RawMessage(output)
	return s, err
}

func (l *state) scanReviewers(rows pgx.Rows) error {
	byID := make(map[string]*walk.Step, len(l.state.Steps))
	for _, s := range l.state.Steps {
		byID[s.ID] = s
	}
	for rows.Next() {
		var stepID string
		var r walk.Reviewer
		var at *time.Time
		if err := rows.Scan(&stepID, &r.UserID, &r.Mandatory, &r.Decision, &r.Reason, &at); err != nil {
			return err
		}
		r.At = pg.Millis(at)
		if s := byID[stepID]; s != nil {
			s.Reviewers = append(s.Reviewers, r)
		}
	}
	return rows.Err()
}
