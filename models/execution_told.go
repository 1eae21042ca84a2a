package models

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/walk"
)

// toldEver tells, as part of a statement about a workspace named $1, whether it
// ever switched webhooks on: all others pay no more for its endpoints.
const toldEver = `EXISTS (SELECT FROM webhook_settings t WHERE t.workspace_id = $1)`

// toldEvent is an event of an execution as endpoints are told of it. StepID is
// null where the event is of the execution as a whole.
type toldEvent struct {
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
func (l *loaded) note(ev walk.Event, eventID string) {
	l.noteWaiting(ev)
	if ev.Internal || !l.told {
		return
	}
	l.occasions = append(l.occasions, occasion{
		Event: ev.Type, At: l.now, APIKeyID: l.apiKeyID, DefinitionID: l.definitionID,
		OrganizationID: present(l.organizationID), DocumentID: present(l.documentID),
		Data: toldEvent{
			EventID: eventID, Seq: ev.Seq, ExecutionID: l.state.ExecutionID, DefinitionID: l.definitionID,
			DefinitionVersion: l.definitionVersion, CorrelationID: l.correlationID, StepID: optional(ev.StepID),
			Status: optional(ev.Status), Data: ev.Data,
		},
	})
}

// raise queues what endpoints and reviewers are told of the events that were
// noted.
func (l *loaded) raise(ctx context.Context, tx *Tx, b *pgx.Batch) error {
	if len(l.waiting) > 0 {
		if err := l.askReviewers(ctx, tx, b); err != nil {
			return err
		}
	}
	if len(l.occasions) == 0 {
		return nil
	}
	raised, err := match(ctx, tx, l.workspaceID, l.occasions...)
	if err != nil {
		return err
	}
	return raised.queue(tx, b)
}
