package execution

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/walk"

	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/internal/pg"
)

// webhooksConfigured tells, as part of a statement about a workspace named $1, whether it
// ever switched webhooks on: all others pay no more for its endpoints.
const webhooksConfigured = `EXISTS (SELECT FROM webhook_settings t WHERE t.workspace_id = $1)`

// publishedEvent is an event of an execution as endpoints are told of it. StepID is
// null where the event is of the execution as a whole.
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

// note remembers an event that goes out, for the workspace's endpoints and the
// people whom it concerns.
func (l *state) note(ev walk.Event, eventID string) {
	l.noteWaiting(ev)
	if ev.Internal || !l.publishes {
		return
	}
	l.events = append(l.events, delivery.Event{
		Event: ev.Type, At: l.now, APIKeyID: l.apiKeyID, DefinitionID: l.definitionID,
		OrganizationID: pg.Present(l.organizationID), DocumentID: pg.Present(l.documentID),
		Data: publishedEvent{
			EventID: eventID, Seq: ev.Seq, ExecutionID: l.state.ExecutionID, DefinitionID: l.definitionID,
			DefinitionVersion: l.definitionVersion, CorrelationID: l.correlationID, StepID: pg.Optional(ev.StepID),
			Status: pg.Optional(ev.Status), Data: ev.Data,
		},
	})
}

// publish queues what endpoints and reviewers are told of the events that were
// noted.
func (l *state) publish(ctx context.Context, tx *pg.Tx, b *pgx.Batch) error {
	if len(l.waiting) > 0 {
		if err := l.askReviewers(ctx, tx, b); err != nil {
			return err
		}
	}
	if len(l.events) == 0 {
		return nil
	}
	raised, err := delivery.FanOut(ctx, tx, l.workspaceID, l.events...)
	if err != nil {
		return err
	}
	return raised.Queue(tx, b)
}
