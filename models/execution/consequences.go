package execution

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/interpreter/resolution"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/notifier"
)

// webhooksConfigured tells, as part of a statement about a workspace named $1, whether it
// ever switched webhooks on: all others pay no more for its endpoints.
const webhooksConfigured = `EXISTS (SELECT FROM webhook_settings t WHERE t.workspace_id = $1)`

// consequences are what a command causes besides the rows of the execution and
// its steps: its events with the deliveries to the receiver, the same events for
// the workspace's endpoints, mails to reviewers, and judgments. queue gathers them
// from the events of the interpreter, publish queues what needs more reads.
type consequences struct {
	state *state
	// apiKeyID is the calling key's, empty for the service's own commands.
	apiKeyID  string
	judgments []judgment.Step
	// tokens are the hashes of new tokens, by the step that each opens.
	tokens []callback
	// published are the events for the workspace's endpoints, awaiting the steps that
	// began to wait for reviewers.
	published []delivery.Event
	awaiting  []*interpreter.Step
	// delivers reports that the receiver gets an event.
	delivers bool
}

// addJudgment records a reviewer's decision as a judgment.
func (c *consequences) addJudgment(d interpreter.Decision) {
	c.judgments = append(c.judgments, c.judgment(d))
}

// addResolution records a resolution of an agent's step as a judgment; name is the
// agent's, empty where it is not known.
func (c *consequences) addResolution(step *interpreter.Step, r resolution.Resolution, name string) {
	j := c.judgment(interpreter.Decision{StepID: step.ID, ReviewerID: r.ActorID, Word: r.Decision(), Reason: r.Reason})
	j.Agent = &judgment.StepAgent{ID: step.Agent.AgentID, Name: name, ExecutionID: step.Agent.ExecutionID, ResponseID: r.ResponseID}
	c.judgments = append(c.judgments, j)
}

func (c *consequences) judgment(d interpreter.Decision) judgment.Step {
	s := c.state
	return judgment.Step{
		WorkspaceID: s.workspaceID, ExecutionID: s.execution.ExecutionID, StepID: d.StepID, ReviewerID: d.ReviewerID,
		Word: d.Word, Reason: d.Reason, TriggerContext: s.execution.Input, DefinitionName: s.definitionName, ContentType: s.contentType,
		OrganizationID: s.organizationID, DocumentID: s.documentID, Subjects: s.subjects, DecidedAt: s.now,
	}
}

// store writes what is queued already, the events of an interpreter, and what they cause, and
// notifies the deliveries to the receiver after the commit.
func (c *consequences) store(ctx context.Context, tx *pg.Tx, b *pgx.Batch, events []interpreter.Event) error {
	c.queue(tx, b, events)
	if c.delivers {
		tx.Notify(notifier.Destinations, *c.state.destination)
	}
	if err := c.publish(ctx, tx, b); err != nil {
		return err
	}
	tx.SendLast(b)
	return nil
}

// queue queues the events of an interpreter, and the judgments.
func (c *consequences) queue(tx *pg.Tx, b *pgx.Batch, events []interpreter.Event) {
	if len(events) > 0 {
		c.queueEvents(b, events)
	}
	for _, j := range c.judgments {
		j.Queue(tx, b)
	}
	for _, t := range c.tokens {
		b.Queue(insertCallback, t.hash, c.state.workspaceID, c.state.execution.ExecutionID, t.stepID)
	}
}

const insertEvents = `
INSERT INTO events (workspace_id, execution_id, seq, id, type, internal, step_id, status, at, data)
SELECT $1, $2, seq, id, type, internal, nullif(step, ''), nullif(status, ''), $3, nullif(data, '')::json
FROM unnest($4::bigint[], $5::text[], $6::text[], $7::boolean[], $8::text[], $9::text[], $10::text[])
     AS e(seq, id, type, internal, step, status, data)`

// queueEvents writes the events and, for those that the receiver gets, their
// deliveries.
func (c *consequences) queueEvents(b *pgx.Batch, events []interpreter.Event) {
	s, n := c.state, len(events)
	seqs, internal := make([]int64, n), make([]bool, n)
	ids, types, steps, statuses, data := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	var outgoing []int64
	for i, ev := range events {
		seqs[i], internal[i], ids[i], types[i] = ev.Seq, ev.Internal, id.New(id.Event), ev.Type
		steps[i], statuses[i], data[i] = ev.StepID, ev.Status, string(ev.Data)
		c.addEvent(ev, ids[i])
		if s.receives(ev) {
			outgoing = append(outgoing, ev.Seq)
		}
	}
	b.Queue(insertEvents, s.workspaceID, s.execution.ExecutionID, s.now, seqs, ids, types, internal, steps, statuses, data)
	if len(outgoing) > 0 {
		delivery.EnqueueDeliveries(b, s.workspaceID, s.execution.ExecutionID, *s.destination, *s.origin, outgoing)
		c.delivers = true
	}
}

// receives reports whether the execution's receiver gets the event.
func (s *state) receives(ev interpreter.Event) bool {
	if s.destination == nil || ev.Internal {
		return false
	}
	return s.eventTypes == nil || slices.Contains(s.eventTypes, ev.Type)
}

// publishedEvent is an event of an execution as endpoints get it. StepID is null
// where the event is of the execution as a whole.
type publishedEvent struct {
	EventID           string          `json:"eventId"`
	Seq               int64           `json:"seq"`
	ExecutionID       string          `json:"executionId"`
	DefinitionID      string          `json:"definitionId"`
	DefinitionVersion int             `json:"definitionVersion"`
	CorrelationID     string          `json:"correlationId"`
	StepID            *string         `json:"stepId"`
	Status            *string         `json:"status"`
	Data              json.RawMessage `json:"data"`
}

// addEvent keeps an event for publish: for the workspace's endpoints, and for the
// reviewers whom it concerns.
func (c *consequences) addEvent(ev interpreter.Event, eventID string) {
	s := c.state
	c.addAwaiting(ev)
	if ev.Internal || !s.webhooksConfigured {
		return
	}
	c.published = append(c.published, delivery.Event{
		Event: ev.Type, At: s.now, APIKeyID: c.apiKeyID, DefinitionID: s.definitionID,
		OrganizationID: pg.Present(s.organizationID), DocumentID: pg.Present(s.documentID),
		Data: publishedEvent{
			EventID: eventID, Seq: ev.Seq, ExecutionID: s.execution.ExecutionID, DefinitionID: s.definitionID,
			DefinitionVersion: s.definitionVersion, CorrelationID: s.correlationID, StepID: pg.Optional(ev.StepID),
			Status: pg.Optional(ev.Status), Data: ev.Data,
		},
	})
}

// publish queues the mails to reviewers and the messages to the workspace's
// endpoints. It reads only where there are any.
func (c *consequences) publish(ctx context.Context, tx *pg.Tx, b *pgx.Batch) error {
	if len(c.awaiting) > 0 {
		if err := c.queueMails(ctx, tx, b); err != nil {
			return err
		}
	}
	if len(c.published) == 0 {
		return nil
	}
	fanout, err := delivery.FanOut(ctx, tx, c.state.workspaceID, c.published...)
	if err != nil {
		return err
	}
	return fanout.Queue(ctx, tx, b)
}
