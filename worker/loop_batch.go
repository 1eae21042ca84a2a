package worker

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/queue"
)

// retryBatchMost is the longest pause before a row is claimed again that is worked on together with
// others.
const retryBatchMost = time.Minute

// batchHandler works on rows that were claimed together, in their order, and returns what became
// of each. Where it fails as a whole, all that it does not call left are tried again; without
// outcomes that is every one.
type batchHandler func(ctx context.Context, claimed []queue.Claimed) ([]queue.Outcome, error)

// runBatches claims and works on one batch after the other until ctx ends. It rests behind each as
// long as that took: nobody waits for an answer of it, and others share the processors.
func (l *loop) runBatches(ctx context.Context, handle batchHandler) {
	l.poll.Notify() // it looks at once
	last := ""
	l.poll.Run(ctx, func(ctx context.Context) (more bool) {
		began := time.Now()
		more = l.batch(ctx, &last, handle)
		pause(ctx, time.Since(began))
		return more
	})
}

// batch claims rows behind the group last and has them worked on. It reports whether more may be
// due that can be worked on.
func (l *loop) batch(ctx context.Context, last *string, handle batchHandler) (more bool) {
	batch, err := l.next(ctx, *last, cap(l.turns))
	if *last = batch.Last; err != nil || len(batch.Rows) == 0 {
		return false
	}
	outcomes, err := l.handleTraced(ctx, batch.Rows, handle)
	if outcomes == nil {
		outcomes = make([]queue.Outcome, len(batch.Rows))
		for i := range outcomes {
			outcomes[i] = queue.Failed
		}
	}
	*last = batch.LastInTurn(outcomes)
	if err == nil {
		l.works()
	} else if ctx.Err() == nil {
		l.noteFailure(ctx, len(batch.Rows), batch.Rows[0].WorkspaceID, err)
	}
	left := l.endBatch(ctx, batch.Rows, outcomes, err != nil)
	return (batch.More || left) && !l.failing()
}

// handleTraced has a batch worked on in a span that is linked to the calls that put its rows.
func (l *loop) handleTraced(ctx context.Context, rows []queue.Claimed, handle batchHandler) ([]queue.Outcome, error) {
	parents := make([]string, len(rows))
	for i, c := range rows {
		parents[i] = c.TraceParent
	}
	ctx, span := telemetry.StartBatch(ctx, "batch "+string(l.kind), parents)
	defer span.End()
	outcomes, err := handle(ctx, rows)
	if err != nil {
		span.RecordError(err)
	}
	return outcomes, err
}

// endBatch ends a batch by what became of its rows, and reports whether any were left.
func (l *loop) endBatch(ctx context.Context, rows []queue.Claimed, outcomes []queue.Outcome, failed bool) (left bool) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), rowsLimit)
	defer cancel()
	var done, released []queue.Claimed
	for i, c := range rows {
		switch {
		case outcomes[i] == queue.Left:
			released = append(released, c)
		case failed || outcomes[i] == queue.Failed:
			l.warn(ctx, couldNotPutOff, l.rows.Retry(own, l.kind, c, retryBatchAfter(ctx, c.Attempts)))
		default:
			done = append(done, c)
		}
	}
	l.warn(ctx, "work could not be unlocked", l.rows.Release(own, l.kind, released...))
	l.warn(ctx, "work that is done could not be removed, it is done again", l.rows.Done(own, l.kind, done...))
	return len(released) > 0
}

// retryBatchAfter is the pause behind an attempt, counted from 1: none where the process ends. Each row has
// one of its own, so that one which always fails takes others along only for once.
func retryBatchAfter(ctx context.Context, attempt int) time.Duration {
	if ctx.Err() != nil {
		return 0
	}
	after := min(retryBatchMost, time.Second<<min(attempt, 10))
	return after/2 + rand.N(after) //nolint:gosec // spreads attempts, keeps no secret
}
