package weight

import (
	"context"
	"sync/atomic"
)

// rowsPerWeight is how many changed rows weigh as much as a call by itself.
const rowsPerWeight = 100

// Rows are those that a call has changed. It is safe for concurrent use.
type Rows struct{ count atomic.Int64 }

type rowsKey struct{}

// Count returns a context under which the rows that are changed are counted.
func Count(ctx context.Context) (context.Context, *Rows) {
	rows := &Rows{}
	return context.WithValue(ctx, rowsKey{}, rows), rows
}

// Add counts changed rows for the call of a context, if any is counted.
func Add(ctx context.Context, changed int64) {
	if rows, ok := ctx.Value(rowsKey{}).(*Rows); ok {
		rows.count.Add(changed)
	}
}

// Extra is what the call weighs more than one that changes little: 1 for each 100 rows.
func (r *Rows) Extra() int { return int(r.count.Load() / rowsPerWeight) }
