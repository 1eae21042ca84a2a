package search

import (
	"context"
	"time"

	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/models/internal/pg"
)

// slotShare bounds the searches that ask the index at once: as many as one in slotShare of
// the connections, and of what one workspace may hold of these. So no workspace keeps the
// index, or when that hangs all who wait for it, busy for the others.
const slotShare = 2

// Uses are noted of the index (*knowledge.Knowledge).
type Uses interface {
	NoteUse(ctx context.Context, workspaceID string) error
	NoteSearch(ctx context.Context, workspaceID string)
}

// Searches finds chunks and rules.
type Searches struct {
	db   *pg.DB
	uses Uses
	// slots bound the searches that wait for the index.
	slots *slots.Slots
}

// New makes the store.
func New(db *pg.DB, uses Uses) *Searches {
	conns := int64(db.Pool.Config().MaxConns)
	return &Searches{db: db, uses: uses, slots: slots.NewLimited(max(1, conns/slotShare), pg.Share(conns)/slotShare)}
}

// enter takes a slot, before the search takes a connection. A search that gets
// none within the time that the index has for its answer does without the index.
func (f *Searches) enter(ctx context.Context, workspaceID string, until time.Time) bool {
	own, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	return f.slots.Acquire(own, workspaceID, 1) == nil
}
