package models

import (
	"context"

	"github.com/jackc/pgx/v5"
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

// DestinationFor asks the book inside a transaction.
func (d *Deliveries) DestinationFor(ctx context.Context, tx pgx.Tx, workspaceID, origin string) (string, error) {
	return d.destinations.destinationFor(ctx, tx, workspaceID, origin)
}

// SealReceiver seals a receiver's secret as dispatch does.
func (d *Deliveries) SealReceiver(workspaceID, executionID, secret string) []byte {
	return d.box.Seal(executionPlace(workspaceID, executionID, receiverColumn), []byte(secret))
}
