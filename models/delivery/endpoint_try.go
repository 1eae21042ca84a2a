package delivery

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/workspace"
)

// Find returns the id of an endpoint that can be tested. Errors: the gate; NOT_FOUND.
func (w *Endpoints) Find(ctx context.Context, workspaceID, ref string) (string, error) {
	var endpointID string
	err := w.db.InTx(ctx, func(tx *pg.Tx) error {
		e, err := findListed(ctx, tx, workspaceID, ref)
		endpointID = e.ID
		return err
	})
	return endpointID, err
}

// Test sends one endpoint the sample of an event type, whatever its filters are and
// also while it is disabled, and gives the message's id. Errors: the gate;
// NOT_FOUND.
func (w *Endpoints) Test(ctx context.Context, workspaceID string, caller workspace.Caller, ref string, event envelope.Event) (messageID string, err error) {
	err = w.db.InTx(ctx, func(tx *pg.Tx) error {
		e, err := findListed(ctx, tx, workspaceID, ref, lockToKeep)
		if err != nil {
			return err
		}
		r, err := FanOut(ctx, tx, workspaceID, Event{Event: event.Name, APIKeyID: caller.APIKeyID, Data: testData(event.Data)})
		if err != nil {
			return err
		}
		if len(r.Matched) == 0 {
			return fault.NotFound("endpoint") // the workspace is going away
		}
		r.Cause, r.Matched[0].Endpoints, r.Locations[Location{}] = causeTest, []string{e.ID}, event.SampleMetadata()
		b := &pgx.Batch{}
		if err := r.Queue(ctx, tx, b); err != nil {
			return err
		}
		messageID = r.MessageIDs[0]
		caller.Audit(e.ID, "test").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return "", err
	}
	return messageID, nil
}

// Resend sends a message to one endpoint again, or for the first time, whatever its
// filters are, and gives the endpoint's id. Errors: the gate; NOT_FOUND of either;
// FAILED_PRECONDITION (endpoint-disabled).
func (w *Endpoints) Resend(ctx context.Context, workspaceID string, caller workspace.Caller, messageID, ref string) (endpointID string, err error) {
	err = w.db.InTx(ctx, func(tx *pg.Tx) error {
		e, err := findEnabled(ctx, tx, workspaceID, ref, lockToKeep)
		if err != nil {
			return err
		}
		endpointID = e.ID
		b := &pgx.Batch{}
		if err := resend(ctx, tx, b, workspaceID, messageID, e); err != nil {
			return err
		}
		if e.Disabled {
			return disabledEndpoint()
		}
		caller.Audit(e.ID, "resend").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	return endpointID, err
}

// ResendWaiting makes all that waits for an endpoint due now, and gives the endpoint's id and
// how much that was. Errors: the gate; NOT_FOUND; FAILED_PRECONDITION (endpoint-disabled).
func (w *Endpoints) ResendWaiting(ctx context.Context, workspaceID string, caller workspace.Caller, ref string) (endpointID string, resent int, err error) {
	err = w.db.InTx(ctx, func(tx *pg.Tx) error {
		e, err := findEnabled(ctx, tx, workspaceID, ref)
		if err != nil {
			return err
		}
		if e.Disabled {
			return disabledEndpoint()
		}
		endpointID = e.ID
		b := &pgx.Batch{}
		caller.Audit(e.ID, "resend").Queue(b)
		return tx.SendBatch(ctx, b).Close()
	})
	if err != nil {
		return "", 0, err
	}
	resent, err = makeDue(ctx, w.db, endpointID)
	return endpointID, resent, err
}

func disabledEndpoint() error {
	return fault.FailedPrecondition("endpoint-disabled", "the endpoint is disabled; use endpoints/update")
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
