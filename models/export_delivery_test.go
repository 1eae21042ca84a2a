package models

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/webhook"
)

// Enqueue queues deliveries as a commit of events does.
func (d *Deliveries) Enqueue(ctx context.Context, workspaceID, executionID, origin string, seqs []int64) (string, error) {
	destination, err := d.destinations.destinationFor(ctx, d.db.Pool, workspaceID, origin)
	if err != nil {
		return "", err
	}
	batch := &pgx.Batch{}
	enqueueDeliveries(batch, workspaceID, executionID, destination, origin, seqs)
	return destination, d.db.Pool.SendBatch(ctx, batch).Close()
}

// EnqueueMessage queues a message as raising it does.
func (d *Deliveries) EnqueueMessage(ctx context.Context, workspaceID, messageID string, endpointIDs []string, cause string) error {
	batch := &pgx.Batch{}
	enqueueDestinations(batch, workspaceID, endpointIDs)
	enqueueMessage(batch, workspaceID, messageID, endpointIDs, cause)
	return d.db.Pool.SendBatch(ctx, batch).Close()
}

// EnqueueMail queues a mail as the commit that writes it does.
func (d *Deliveries) EnqueueMail(ctx context.Context, workspaceID, mailID string) (destination string, err error) {
	err = d.db.InTx(ctx, func(tx *Tx) error {
		if destination, err = destinationOfMail(ctx, tx, workspaceID); err != nil {
			return err
		}
		batch := &pgx.Batch{}
		enqueueMail(batch, workspaceID, destination, mailID)
		return tx.SendBatch(ctx, batch).Close()
	})
	return destination, err
}

// Cut cuts destinations as what closes them does.
func (d *Deliveries) Cut(ctx context.Context, workspaceID string, destinationIDs []string, class webhook.Class) error {
	return d.db.InTx(ctx, func(tx *Tx) error {
		batch := &pgx.Batch{}
		cutDestinations(tx, batch, workspaceID, destinationIDs, class)
		return tx.SendBatch(ctx, batch).Close()
	})
}

// AwaitStarts waits as what closes endpoints does.
func (d *Deliveries) AwaitStarts(ctx context.Context, endpointIDs ...string) error {
	return awaitStarts(ctx, d.db, endpointIDs)
}

// SealEndpoint seals an endpoint's secret as its creation does.
func (d *Deliveries) SealEndpoint(workspaceID, row, secret string) []byte {
	return d.box.Seal(EndpointSecretPlace(workspaceID, row), []byte(secret))
}

// DestinationFor asks the book inside a transaction.
func (d *Deliveries) DestinationFor(ctx context.Context, tx RowQueryer, workspaceID, origin string) (string, error) {
	return d.destinations.destinationFor(ctx, tx, workspaceID, origin)
}

// SealReceiver seals a receiver's secret as dispatch does.
func (d *Deliveries) SealReceiver(workspaceID, executionID, secret string) []byte {
	return d.box.Seal(ReceiverSecretPlace(workspaceID, executionID), []byte(secret))
}
