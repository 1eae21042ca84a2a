package knowledge

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/redline-svc/redline/models/internal/pg"
)

// searchShare bounds the connections that searches may hold while they wait for
// the index: one in searchShare. Each search keeps its snapshot open meanwhile, so
// when the index hangs, a few searches would otherwise hold every connection and
// stop all operations that have nothing to do with the index.
const searchShare = 2

// newSearchSlots makes a slot for each search that may wait for the index at once.
func newSearchSlots(db *pg.DB) *semaphore.Weighted {
	return semaphore.NewWeighted(max(1, int64(db.Pool.Config().MaxConns)/searchShare))
}

// enter takes a slot, before the search takes a connection. A search that gets
// none within the time that the index has for its answer does without the index.
func (k *Knowledge) enter(ctx context.Context, until time.Time) bool {
	own, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	return k.searchSlots.Acquire(own, 1) == nil
}
