package delivery

import (
	"context"
	"hash/fnv"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
)

// receiverSlots is how many destinations the receivers of one workspace share.
const receiverSlots = 16

type slot struct {
	workspaceID, kind string
	slot              int16
}

// slotFor spreads origins evenly over a workspace's destinations.
func slotFor(origin string) int16 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(origin)) // a hash never fails
	return int16(h.Sum32() % receiverSlots)
}

// DestinationFor returns the id of the destination that serves an origin, making
// it in tx when this is the first of its slot.
func DestinationFor(ctx context.Context, tx pg.RowQueryer, workspaceID, origin string) (string, error) {
	return destinationAt(ctx, tx, slot{workspaceID, kindReceiver, slotFor(origin)})
}

// destinationAt reads a destination, or makes it.
func destinationAt(ctx context.Context, tx pg.RowQueryer, at slot) (string, error) {
	found, err := readDestination(ctx, tx, at)
	if pg.IsNoRow(err) {
		return makeDestination(ctx, tx, at)
	}
	return found, pg.Translate(err)
}

// readDestination is by hand, as makeDestination: transactions of two trips call them.
func readDestination(ctx context.Context, tx pg.RowQueryer, at slot) (string, error) {
	var found string
	err := tx.QueryRow(ctx, `SELECT id FROM destinations WHERE workspace_id = $1 AND kind = $2 AND slot = $3`,
		at.workspaceID, at.kind, at.slot).Scan(&found)
	return found, err
}

// makeDestination inserts the row; if another transaction was first, its row
// counts. The empty update makes the statement give back either.
func makeDestination(ctx context.Context, tx pg.RowQueryer, at slot) (string, error) {
	var made string
	err := tx.QueryRow(ctx, `INSERT INTO destinations (id, workspace_id, kind, slot) VALUES ($1, $2, $3, $4)
		ON CONFLICT ON CONSTRAINT destinations_slot DO UPDATE SET slot = excluded.slot RETURNING id`,
		id.New(id.Destination), at.workspaceID, at.kind, at.slot).Scan(&made)
	return made, pg.Translate(err)
}

// EnqueueDeliveries adds one statement to a commit's batch: a delivery for each
// of the events with these numbers, due at once and in their order. The execution's
// row is locked by the transaction; destinationID comes from DestinationFor.
func EnqueueDeliveries(b *pgx.Batch, workspaceID, executionID, destinationID, origin string, seqs []int64) {
	b.Queue(`WITH made AS (
		INSERT INTO deliveries (workspace_id, execution_id, destination_id, seq)
		SELECT $1, $2, $3, s.seq FROM unnest($5::bigint[]) AS s (seq) ORDER BY s.seq RETURNING id)
		INSERT INTO open_deliveries (id, destination_id, origin, due_at) SELECT id, $3, $4, (SELECT clock_timestamp()) FROM made`,
		workspaceID, executionID, destinationID, origin, seqs)
}
