package execution

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/internal/pg"
)

const updateExecution = `
UPDATE executions SET status = $3, attempt = $4, seq = $5, revision = $6, completed_at = $7, cancelled_at = $8, paused_at = $9,
       failure_code = $10, failure_message = $11, step_count = $12, group_states = $13, run_id = $14
WHERE workspace_id = $1 AND id = $2`

// queueUpdate stores the execution and those of its steps that an interpreter changed.
func (s *state) queueUpdate(b *pgx.Batch) {
	w := &s.execution
	b.Queue(updateExecution, s.workspaceID, w.ExecutionID, w.Status, w.Attempt, w.Seq, w.Revision, pg.Instant(w.CompletedAt),
		pg.Instant(w.CancelledAt), pg.Instant(w.PausedAt), pg.Optional(w.FailureCode), pg.Optional(w.FailureMessage), len(w.Steps),
		orNull(w.KeptGroups()), pg.Optional(s.run.id))
	for _, step := range w.Steps {
		switch {
		case step.New():
			s.insertStep(b, step)
			s.copyInput(b, step)
		case step.Changed():
			s.updateStep(b, step)
		}
	}
}

const insertStepRow = `
INSERT INTO steps (workspace_id, execution_id, id, node_id, node_type, node_name, group_id, loop_id, loop_entry, iteration, attempt, ordinal,
       status, decision, ended_by, routed, input, output, error_code, error_message, created_at, started_at, completed_at, due_at,
       retries, calls, locked_until, next_try_at, queued_at, organization_key, document_key, definition_id,
       timeout_at, agent, callback)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
        $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35)`

func (s *state) insertStep(b *pgx.Batch, step *interpreter.Step) {
	b.Queue(insertStepRow, s.workspaceID, s.execution.ExecutionID, step.ID, step.NodeID, step.NodeType, step.NodeName, pg.Optional(step.GroupID),
		pg.Optional(step.LoopID), step.LoopEntry, step.Iteration, step.Attempt, step.Ordinal, step.Status, step.Decision, step.EndedBy, step.Routed, pg.JSONOrNil(step.Input),
		pg.JSONOrNil(step.Output), pg.Optional(step.ErrorCode), pg.Optional(step.ErrorMessage), time.UnixMilli(step.CreatedAt), pg.Instant(step.StartedAt),
		pg.Instant(step.CompletedAt), pg.Instant(step.DueAt), step.Retries, step.Calls, pg.Instant(step.LockedUntil), pg.Instant(step.NextTryAt), pg.Instant(step.QueuedAt),
		s.subjects.Organization, s.subjects.Document, s.definitionID, pg.Instant(step.TimeoutAt), orNull(step.Agent), orNull(step.Callback))
	s.storeReviewers(b, step)
}

// copyInput gives a restarted step the input of the one that it stands for.
func (s *state) copyInput(b *pgx.Batch, step *interpreter.Step) {
	if step.RestartOf != "" {
		b.Queue(`UPDATE steps n SET input = o.input FROM steps o
WHERE n.workspace_id = $1 AND n.execution_id = $2 AND n.id = $3 AND o.workspace_id = $1 AND o.execution_id = $2 AND o.id = $4`,
			s.workspaceID, s.execution.ExecutionID, step.ID, step.RestartOf)
	}
}

const updateStepRow = `
UPDATE steps SET status = $4, decision = $5, ended_by = $6, routed = $7, output = coalesce($8, output), error_code = $9,
       error_message = $10, started_at = $11, completed_at = $12, due_at = $13, retries = $14, calls = $15, locked_until = $16,
       next_try_at = $17, queued_at = $18, end_action = $19, end_actor = $20, timeout_at = $21, agent = coalesce($22, agent),
       callback = coalesce($23, callback)
WHERE workspace_id = $1 AND execution_id = $2 AND id = $3`

func (s *state) updateStep(b *pgx.Batch, step *interpreter.Step) {
	b.Queue(updateStepRow, s.workspaceID, s.execution.ExecutionID, step.ID, step.Status, step.Decision, step.EndedBy, step.Routed, pg.JSONOrNil(step.Output),
		pg.Optional(step.ErrorCode), pg.Optional(step.ErrorMessage), pg.Instant(step.StartedAt), pg.Instant(step.CompletedAt), pg.Instant(step.DueAt), step.Retries,
		step.Calls, pg.Instant(step.LockedUntil), pg.Instant(step.NextTryAt), pg.Instant(step.QueuedAt), step.EndAction, step.EndActor,
		pg.Instant(step.TimeoutAt), orNull(step.Agent), orNull(step.Callback))
	s.storeReviewers(b, step)
	if !step.Status.Live() && slices.ContainsFunc(step.Reviewers, func(r interpreter.Reviewer) bool { return !r.Changed() && r.Decision == "" }) {
		b.Queue(`UPDATE step_reviewers SET open = false WHERE workspace_id = $1 AND execution_id = $2 AND step_id = $3 AND open`,
			s.workspaceID, s.execution.ExecutionID, step.ID)
	}
}

// orNull is what a step has beside its state as its row has it, NULL for none.
func orNull[T any](of *T) any {
	if of == nil {
		return nil
	}
	text, _ := json.Marshal(of) // texts, and outputs that were read as JSON
	return string(text)
}

const upsertReviewer = `
INSERT INTO step_reviewers (workspace_id, execution_id, step_id, user_id, position, mandatory, decision, reason, decided_at, open,
       step_created, step_ordinal, replaces)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
ON CONFLICT (workspace_id, execution_id, step_id, user_id)
DO UPDATE SET decision = excluded.decision, reason = excluded.reason, decided_at = excluded.decided_at, open = excluded.open`

func (s *state) storeReviewers(b *pgx.Batch, step *interpreter.Step) {
	for i, r := range step.Reviewers {
		if r.Left() != "" {
			b.Queue(`DELETE FROM step_reviewers WHERE workspace_id = $1 AND execution_id = $2 AND step_id = $3 AND user_id = $4`,
				s.workspaceID, s.execution.ExecutionID, step.ID, r.Left())
		}
		if r.Changed() {
			b.Queue(upsertReviewer, s.workspaceID, s.execution.ExecutionID, step.ID, r.UserID, i, r.Mandatory, r.Decision,
				pg.Optional(r.Reason), pg.Instant(r.At), step.Open(r), time.UnixMilli(step.CreatedAt), step.Ordinal, pg.Optional(r.Replaces))
		}
	}
}
