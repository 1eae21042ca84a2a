package pg

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/internal/weight"
)

// turnLimit is how long a call waits for its turn to have a connection.
const turnLimit = 20 * time.Second

// shares bound how many connections of a pool are held for one workspace (slots.For). It
// takes a slot before the pool looks for a connection, so what waits holds none, and it
// does so as a tracer of the pool, which comes before every connection that it lends out.
type shares struct {
	slots *slots.Slots
	// limit is how long a call waits.
	limit time.Duration
	mu    sync.Mutex
	// holders are the workspaces for which connections are held.
	holders map[*pgx.Conn]string
}

// Share is how many of so many connections are held for one workspace at most: a quarter,
// and at least 4.
func Share(conns int64) int64 { return max(4, conns/4) }

// newShares makes the shares of a pool with so many connections.
func newShares(conns int64) *shares {
	return &shares{slots: slots.NewLimited(conns, Share(conns)), limit: turnLimit, holders: map[*pgx.Conn]string{}}
}

type holderKey struct{}

// TraceAcquireStart waits for a slot. A call that gets none is not passed on to the pool:
// its context has ended, with the error that the caller is answered.
func (s *shares) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	workspaceID := slots.WorkspaceOf(ctx)
	own, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	err := s.slots.Acquire(own, workspaceID, 1)
	switch {
	case err == nil:
		return context.WithValue(ctx, holderKey{}, workspaceID)
	case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
		return refused{ctx, fault.Busy()}
	default:
		return ctx // which has ended itself
	}
}

// TraceAcquireEnd notes who has the connection, or gives the slot back where there was none.
func (s *shares) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, data pgxpool.TraceAcquireEndData) {
	workspaceID, waited := ctx.Value(holderKey{}).(string)
	switch {
	case !waited:
	case data.Err != nil:
		s.slots.Release(workspaceID, 1)
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		s.holders[data.Conn] = workspaceID
	}
}

// TraceRelease frees the slot of a connection back.
func (s *shares) TraceRelease(_ *pgxpool.Pool, data pgxpool.TraceReleaseData) {
	s.mu.Lock()
	workspaceID, held := s.holders[data.Conn]
	delete(s.holders, data.Conn)
	s.mu.Unlock()
	if held {
		s.slots.Release(workspaceID, 1)
	}
}

// TraceQueryStart does nothing: what a statement changed is known at its end.
func (*shares) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd counts the rows that a statement changed among those of its call.
func (*shares) TraceQueryEnd(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryEndData) {
	noteChanged(ctx, data.CommandTag)
}

// TraceBatchStart does nothing.
func (*shares) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchQuery is TraceQueryEnd for a statement of a batch.
func (*shares) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	noteChanged(ctx, data.CommandTag)
}

// TraceBatchEnd does nothing.
func (*shares) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// noteChanged counts what a statement says it has changed: nothing where it ends in a SELECT.
func noteChanged(ctx context.Context, tag pgconn.CommandTag) {
	if !tag.Select() {
		weight.Add(ctx, tag.RowsAffected())
	}
}

// ended is closed.
var ended = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// refused is a context that has ended with an error of ours.
type refused struct {
	context.Context //nolint:containedctx // it is one

	err error
}

// Done is closed.
func (refused) Done() <-chan struct{} { return ended }

// Err returns why the call was refused.
func (r refused) Err() error { return r.err }
