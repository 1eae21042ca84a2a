package models

import (
	"context"
	"hash/fnv"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
)

// receiverSlots is how many destinations the receivers of one workspace share.
const receiverSlots = 16

// destinationBook remembers the destinations of workspaces; they never change
// and go only with their workspace.
type destinationBook struct {
	mu    sync.Mutex
	known map[slotOf]string
}

type slotOf struct {
	workspaceID, kind string
	slot              int16
}

// bookLimit bounds the memory of a book; a full one starts anew.
const bookLimit = 100_000

func newDestinationBook() *destinationBook {
	return &destinationBook{known: map[slotOf]string{}}
}

// slotFor spreads origins evenly over a workspace's destinations.
func slotFor(origin string) int16 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(origin)) // a hash never fails
	return int16(h.Sum32() % receiverSlots)
}

// destinationFor gives the id of the destination that serves an origin, making
// it in tx when this is the first of its slot. A row made here is remembered
// only when it is read again, since tx may be rolled back.
func (b *destinationBook) destinationFor(ctx context.Context, tx RowQueryer, workspaceID, origin string) (string, error) {
	place := slotOf{workspaceID, kindReceiver, slotFor(origin)}
	if found, ok := b.lookup(place); ok {
		return found, nil
	}
	found, err := readDestination(ctx, tx, place)
	if err == nil {
		b.remember(place, found)
		return found, nil
	}
	if !IsNoRow(err) {
		return "", Translate(err)
	}
	return makeDestination(ctx, tx, place)
}

func (b *destinationBook) lookup(place slotOf) (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	found, ok := b.known[place]
	return found, ok
}

func (b *destinationBook) remember(place slotOf, destinationID string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.known) >= bookLimit {
		clear(b.known)
	}
	b.known[place] = destinationID
}

func readDestination(ctx context.Context, tx RowQueryer, place slotOf) (string, error) {
	var found string
	err := tx.QueryRow(ctx, `SELECT id FROM destinations WHERE workspace_id = $1 AND kind = $2 AND slot = $3`,
		place.workspaceID, place.kind, place.slot).Scan(&found)
	return found, err
}

// makeDestination inserts the row; if another transaction was first, its row
// counts. The empty update makes the statement give back either.
func makeDestination(ctx context.Context, tx RowQueryer, place slotOf) (string, error) {
	var made string
	err := tx.QueryRow(ctx, `INSERT INTO destinations (id, workspace_id, kind, slot) VALUES ($1, $2, $3, $4)
		ON CONFLICT ON CONSTRAINT destinations_slot DO UPDATE SET slot = excluded.slot RETURNING id`,
		id.New(id.Destination), place.workspaceID, place.kind, place.slot).Scan(&made)
	return made, Translate(err)
}

// enqueueDeliveries adds one statement to a commit's batch: a delivery for each
// of the events with these numbers, due at once and in their order. The execution's
// row is locked by the transaction; destinationID is destinationFor(origin).
func enqueueDeliveries(b *pgx.Batch, workspaceID, executionID, destinationID, origin string, seqs []int64) {
	b.Queue(`INSERT INTO deliveries (workspace_id, execution_id, destination_id, origin, seq, due_at)
		SELECT $1, $2, $3, $4, s.seq, (SELECT clock_timestamp())
		FROM unnest($5::bigint[]) AS s (seq) ORDER BY s.seq`,
		workspaceID, executionID, destinationID, origin, seqs)
}
