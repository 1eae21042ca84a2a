package models

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
)

// Find gives the id of an endpoint. Errors: the gate; NOT_FOUND.
func (w *Webhooks) Find(ctx context.Context, workspaceID, ref string) (string, error) {
	var endpointID string
	err := w.db.InTx(ctx, func(tx *Tx) error {
		e, err := admitted(ctx, tx, workspaceID, ref, "")
		endpointID = e.ID
		return err
	})
	return endpointID, err
}

// Test tells one endpoint the sample of an event type, whatever it wants to be
// told and also while it is disabled, and gives the message's id. Errors: the
// gate; NOT_FOUND.
func (w *Webhooks) Test(ctx context.Context, workspaceID string, caller Caller, ref string, event envelope.Event) (messageID string, err error) {
	err = w.db.InTx(ctx, func(tx *Tx) error {
		e, err := admitted(ctx, tx, workspaceID, ref, " FOR KEY SHARE")
		if err != nil {
			return err
		}
		r, err := match(ctx, tx, workspaceID, occasion{Event: event.Name, APIKeyID: caller.APIKeyID, Data: testData(event.Data)})
		if err != nil {
			return err
		}
		if len(r.matched) == 0 {
			return fault.Missing("endpoint") // the workspace is going away
		}
		r.cause, r.matched[0].endpoints, r.places[place{}] = causeTest, []string{e.ID}, event.SampleMetadata()
		b := &pgx.Batch{}
		if err := r.queue(tx, b); err != nil {
			return err
		}
		messageID = r.messageIDs[0]
		caller.audit(e.ID, "test").queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return "", err
	}
	return messageID, nil
}

// testData is a sample that says that it is a test.
func testData(sample json.RawMessage) json.RawMessage {
	const mark = "test"
	members := []shape.Pair{}
	for _, m := range shape.MembersOf(sample) {
		if m.Name != mark {
			members = append(members, m)
		}
	}
	return shape.AppendMembers([]byte("{}"), append(members, shape.Pair{Name: mark, Value: json.RawMessage("true")}))
}
