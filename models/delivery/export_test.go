package delivery

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Aged is what goes by its age.
var Aged = map[string]pg.Aged{
	"bodies": agedBodies, "messages": agedMessages, "attempts": agedAttempts,
}

// Enqueue queues deliveries as a commit of events does.
func (d *Deliveries) Enqueue(ctx context.Context, workspaceID, executionID, origin string, seqs []int64) (string, error) {
	destination, err := DestinationFor(ctx, d.db.Pool, workspaceID, origin)
	if err != nil {
		return "", err
	}
	batch := &pgx.Batch{}
	EnqueueDeliveries(batch, workspaceID, executionID, destination, origin, seqs)
	return destination, d.db.Pool.SendBatch(ctx, batch).Close()
}

// EnqueueMessage queues a message as Publish does.
func (d *Deliveries) EnqueueMessage(ctx context.Context, workspaceID, messageID string, endpointIDs []string, cause string) error {
	batch := &pgx.Batch{}
	enqueueDestinations(batch, workspaceID, endpointIDs)
	enqueueMessages(batch, workspaceID, slices.Repeat([]string{messageID}, len(endpointIDs)), endpointIDs, cause)
	return d.db.Pool.SendBatch(ctx, batch).Close()
}

// EnqueueMail queues a mail as the commit that writes it does.
func (d *Deliveries) EnqueueMail(ctx context.Context, workspaceID, mailID string) (destination string, err error) {
	err = d.db.InTx(ctx, func(tx *pg.Tx) error {
		if destination, err = DestinationOfMail(ctx, tx, workspaceID); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		EnqueueMails(batch, workspaceID, destination, []string{mailID}, 0)
		return tx.SendBatch(ctx, batch).Close()
	})
	return destination, err
}

// CancelPending cancels what waits for destinations, as closing them does.
func (d *Deliveries) CancelPending(ctx context.Context, workspaceID string, destinationIDs []string, class webhook.Class) error {
	return d.db.InTx(ctx, func(tx *pg.Tx) error {
		batch := &pgx.Batch{}
		CancelPending(tx, batch, workspaceID, destinationIDs, class)
		return tx.SendBatch(ctx, batch).Close()
	})
}

// Resend queues a message again as its operation does.
func (d *Deliveries) Resend(ctx context.Context, workspaceID, messageID, endpointID string) error {
	return d.db.InTx(ctx, func(tx *pg.Tx) error {
		batch := &pgx.Batch{}
		if err := resend(ctx, tx, batch, workspaceID, messageID, Endpoint{ID: endpointID}); err != nil {
			return err
		}
		return tx.SendBatch(ctx, batch).Close()
	})
}

// AwaitStarts waits as what closes endpoints does.
func (d *Deliveries) AwaitStarts(ctx context.Context, endpointIDs ...string) error {
	return AwaitStarts(ctx, d.db, endpointIDs)
}

// SealEndpoint seals an endpoint's secret as its creation does.
func (d *Deliveries) SealEndpoint(workspaceID, row, secret string) []byte {
	return d.box.Seal(endpointSecretBinding(workspaceID, row), []byte(secret))
}

// DestinationFor asks the cache inside a transaction.
func (d *Deliveries) DestinationFor(ctx context.Context, tx pg.RowQueryer, workspaceID, origin string) (string, error) {
	return DestinationFor(ctx, tx, workspaceID, origin)
}

// SealReceiver seals a receiver's secret as dispatch does.
func (d *Deliveries) SealReceiver(workspaceID, executionID, secret string) []byte {
	return d.box.Seal(ReceiverSecretBinding(workspaceID, executionID), []byte(secret))
}

// MakeDue makes what waits for a destination due as the operator's command does.
func (d *Deliveries) MakeDue(ctx context.Context, destinationID string) (int, error) {
	return makeDue(ctx, d.db, destinationID)
}
