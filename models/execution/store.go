package execution

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/walk"

	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
)

// detailsDelay is how late a commit that changes only the text for people is
// told to the engine, so that many of them cost one poke.
const detailsDelay = 10 * time.Second

const updateExecution = `
UPDATE executions SET status = $3, attempt = $4, seq = $5, revision = $6, completed_at = $7, cancelled_at = $8, paused_at = $9,
       failure_code = $10, failure_message = $11, step_count = $12, drive_due = $13, run_started = $14, poke_due = $15, poke_at = $16
WHERE workspace_id = $1 AND id = $2`

// store queues everything that a walk changed.
func (e *Executions) store(b *pgx.Batch, l *state, c walk.Change) {
	s := &l.state
	b.Queue(updateExecution, l.workspaceID, s.ExecutionID, s.Status, s.Attempt, s.Seq, s.Revision, pg.Instant(s.CompletedAt),
		pg.Instant(s.CancelledAt), pg.Instant(s.PausedAt), pg.Optional(s.FailureCode), pg.Optional(s.FailureMessage), len(s.Steps),
		driveDue(l), l.runStarted, l.pokeDue, l.pokeAt)
	for _, step := range s.Steps {
		switch {
		case step.New():
			insertStep(b, l, step)
		case step.Changed():
			updateStep(b, l, step)
		}
	}
	e.storeEvents(b, l, c.Events)
	for _, j := range l.judged {
		j.Queue(b)
	}
}

// driveDue is when the sweep would miss the engine: a pending execution wants
// its run from its acceptance on.
func driveDue(l *state) *time.Time {
	if l.state.Status == walk.Pending && l.state.PausedAt == 0 {
		return &l.startedAt
	}
	return pg.Instant(walk.DriveDue(&l.state))
}

const insertStepRow = `
INSERT INTO steps (workspace_id, execution_id, id, node_id, node_type, node_name, group_id, loop_id, iteration, attempt, ordinal,
       status, decision, ended_by, routed, input, output, error_code, error_message, created_at, started_at, completed_at, due_at,
       retries, calls, held_until, next_try_at, queued_at, organization_id, document_id, definition_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
        $24, $25, $26, $27, $28, $29, $30, $31)`

func insertStep(b *pgx.Batch, l *state, s *walk.Step) {
	b.Queue(insertStepRow, l.workspaceID, l.state.ExecutionID, s.ID, s.NodeID, s.NodeType, s.NodeName, pg.Optional(s.GroupID),
		pg.Optional(s.LoopID), s.Iteration, s.Attempt, s.Ordinal, s.Status, s.Decision, s.EndedBy, s.Routed, pg.JSONOrNil(s.Input),
		pg.JSONOrNil(s.Output), pg.Optional(s.ErrorCode), pg.Optional(s.ErrorMessage), time.UnixMilli(s.CreatedAt), pg.Instant(s.StartedAt),
		pg.Instant(s.CompletedAt), pg.Instant(s.DueAt), s.Retries, s.Calls, pg.Instant(s.HeldUntil), pg.Instant(s.NextTryAt), pg.Instant(s.QueuedAt),
		l.organizationID, l.documentID, l.definitionID)
	storeReviewers(b, l, s)
}

const updateStepRow = `
UPDATE steps SET status = $4, decision = $5, ended_by = $6, routed = $7, output = coalesce($8, output), error_code = $9,
       error_message = $10, started_at = $11, completed_at = $12, due_at = $13, retries = $14, calls = $15, held_until = $16,
       next_try_at = $17, queued_at = $18
WHERE workspace_id = $1 AND execution_id = $2 AND id = $3`

func updateStep(b *pgx.Batch, l *state, s *walk.Step) {
	b.Queue(updateStepRow, l.workspaceID, l.state.ExecutionID, s.ID, s.Status, s.Decision, s.EndedBy, s.Routed, pg.JSONOrNil(s.Output),
		pg.Optional(s.ErrorCode), pg.Optional(s.ErrorMessage), pg.Instant(s.StartedAt), pg.Instant(s.CompletedAt), pg.Instant(s.DueAt), s.Retries,
		s.Calls, pg.Instant(s.HeldUntil), pg.Instant(s.NextTryAt), pg.Instant(s.QueuedAt))
	storeReviewers(b, l, s)
	if !s.Status.Live() && slices.ContainsFunc(s.Reviewers, func(r walk.Reviewer) bool { return !r.Changed() && r.Decision == "" }) {
		b.Queue(`UPDATE step_reviewers SET open = false WHERE workspace_id = $1 AND execution_id = $2 AND step_id = $3 AND open`,
			l.workspaceID, l.state.ExecutionID, s.ID)
	}
}

const upsertReviewer = `
INSERT INTO step_reviewers (workspace_id, execution_id, step_id, user_id, position, mandatory, decision, reason, decided_at, open,
       step_created, step_ordinal)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
ON CONFLICT (workspace_id, execution_id, step_id, user_id)
DO UPDATE SET decision = excluded.decision, reason = excluded.reason, decided_at = excluded.decided_at, open = excluded.open`

func storeReviewers(b *pgx.Batch, l *state, s *walk.Step) {
	for i, r := range s.Reviewers {
		if r.Changed() {
			b.Queue(upsertReviewer, l.workspaceID, l.state.ExecutionID, s.ID, r.UserID, i, r.Mandatory, r.Decision,
				pg.Optional(r.Reason), pg.Instant(r.At), s.Open(r), time.UnixMilli(s.CreatedAt), s.Ordinal)
		}
	}
}

const insertEvents = `
INSERT INTO events (workspace_id, execution_id, seq, id, type, internal, step_id, status, at, data)
SELECT $1, $2, seq, id, type, internal, nullif(step, ''), nullif(status, ''), $3, nullif(data, '')::json
FROM unnest($4::bigint[], $5::text[], $6::text[], $7::boolean[], $8::text[], $9::text[], $10::text[])
     AS e(seq, id, type, internal, step, status, data)`

// storeEvents writes the events and, for those that go out, their deliveries.
func (e *Executions) storeEvents(b *pgx.Batch, l *state, events []walk.Event) {
	if len(events) == 0 {
		return
	}
	n := len(events)
	seqs, internal := make([]int64, n), make([]bool, n)
	ids, types, steps, statuses, data := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	var outgoing []int64
	for i, ev := range events {
		seqs[i], internal[i], ids[i], types[i] = ev.Seq, ev.Internal, id.New(id.Event), ev.Type
		steps[i], statuses[i], data[i] = ev.StepID, ev.Status, string(ev.Data)
		l.note(ev, ids[i])
		if l.wants(ev) {
			outgoing = append(outgoing, ev.Seq)
		}
	}
	b.Queue(insertEvents, l.workspaceID, l.state.ExecutionID, l.now, seqs, ids, types, internal, steps, statuses, data)
	if len(outgoing) > 0 {
		delivery.EnqueueDeliveries(b, l.workspaceID, l.state.ExecutionID, *l.destination, *l.origin, outgoing)
		l.sends = true
	}
}

// wants tells whether the execution's receiver gets the event.
func (l *state) wants(ev walk.Event) bool {
	if l.destination == nil || ev.Internal {
		return false
	}
	if l.eventTypes == nil {
		return true
	}
	return slices.Contains(l.eventTypes, ev.Type)
}

// judgment is a reviewer's decision as one.
func (l *state) judgment(d walk.Decision) judgment.Step {
	return judgment.Step{
		WorkspaceID: l.workspaceID, ExecutionID: l.state.ExecutionID, StepID: d.StepID, ReviewerID: d.ReviewerID,
		Word: d.Word, Reason: d.Reason, TriggerContext: l.state.Input, DefinitionName: l.definitionName, ContentType: l.contentType,
		OrganizationID: l.organizationID, DocumentID: l.documentID, DecidedAt: l.now,
	}
}
