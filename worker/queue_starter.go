package worker

import (
	"context"
	"log/slog"

	"github.com/redline-svc/redline/internal/pump"
)

// claimedAtOnce is how many rows one look of a starter claims.
const claimedAtOnce = 32

// rowsOwed is a table of rows that are owed a run.
type rowsOwed[T any] struct {
	// name is what its rows are, for the log.
	name string
	// claim claims rows of workspaces in turn, from the one behind after on.
	claim func(ctx context.Context, after string, limit int) (claimed []T, last string, err error)
	// back makes one due at once.
	back func(ctx context.Context, row T) error
}

// queueStarter asks the engine for the runs that the rows of a queue are owed.
type queueStarter[T any] struct {
	rowsOwed[T]

	log  *slog.Logger
	pump *pump.Pump
}

func newQueueStarter[T any](of rowsOwed[T], log *slog.Logger) *queueStarter[T] {
	return &queueStarter[T]{rowsOwed: of, log: log, pump: pump.New(pollEvery)}
}

// run asks for runs at once, whenever it is woken, and now and then whatever is
// due, until ctx ends.
func (t *queueStarter[T]) run(ctx context.Context, start func(context.Context, T) error) {
	t.pump.Wake()
	last := ""
	t.pump.Run(ctx, func(ctx context.Context) bool { return t.startSome(ctx, &last, start) })
}

// startSome claims rows, of workspaces behind last, and asks for their runs. When the
// engine takes none the rest is released. It gives true when there may be more.
func (t *queueStarter[T]) startSome(ctx context.Context, last *string, start func(context.Context, T) error) (more bool) {
	own, cancel := context.WithTimeout(ctx, rowsLimit)
	defer cancel()
	claimed, next, err := t.claim(own, *last, claimedAtOnce)
	t.warn(ctx, "rows could not be claimed", err)
	*last = next
	for i, row := range claimed {
		if err := start(ctx, row); err != nil {
			t.warn(ctx, "a run could not be started", err)
			t.release(ctx, claimed[i:])
			return false
		}
	}
	return len(claimed) > 0
}

func (t *queueStarter[T]) release(ctx context.Context, claimed []T) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), rowsLimit)
	defer cancel()
	for _, row := range claimed {
		t.warn(ctx, "a row could not be given back", t.back(own, row))
	}
}

func (t *queueStarter[T]) warn(ctx context.Context, text string, err error) {
	if err != nil && ctx.Err() == nil {
		t.log.WarnContext(ctx, text, "part", t.name, "error", err)
	}
}
