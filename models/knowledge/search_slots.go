package knowledge

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/redline-svc/redline/models/internal/pg"
)

// searchShare is which part of the pool's connections, one of so many, searches
// may hold while they wait for the index. Each keeps its snapshot open over that
// time: when the index hangs, a handful of them would otherwise hold every
// connection, and what has nothing to do with the index would stand still with
// them.
const searchShare = 2

// newSearchSlots are as many as searches may wait for the index at once.
func newSearchSlots(db *pg.DB) *semaphore.Weighted {
	return semaphore.NewWeighted(max(1, int64(db.Pool.Config().MaxConns)/searchShare))
}

// enter takes a place, before there is a connection to hold. Whoever gets none
// in the time that the index has for its answer does not ask it any more.
func (k *Knowledge) enter(ctx context.Context, until time.Time) bool {
	own, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	return k.searchSlots.Acquire(own, 1) == nil
}
