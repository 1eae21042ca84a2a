package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/queue"
)

const (
	// pollEvery is how often what is due is looked for without a notification.
	pollEvery = time.Second
	// rowsLimit is how long one statement of a loop may take.
	rowsLimit = 10 * time.Second
	// claimedForTurn is how many rows are claimed for each that is handled at once: a claim costs as much for one row as for
	// many. The last of them waits four turns, well within its lock.
	claimedForTurn = 4
	// sendTurn is how long a row counts among those handled at once: one that hangs holds back
	// none of the others for longer. Temporal takes a hundredth of it, a tenth when it
	// has much to do.
	sendTurn = time.Second
	// retryFirst and retryMost are the shortest and the longest pause before a row is claimed
	// again whose handler has failed. The longest is how late work goes on once Temporal is back.
	retryFirst = 250 * time.Millisecond
	retryMost  = 4 * time.Second
	// notYetPause is the pause before a row is claimed again that could not be worked on yet.
	notYetPause = 5 * time.Second
)

// Queue is the queue of work (*queue.Queue).
type Queue interface {
	// Due returns the kinds of which a claim may find something.
	Due(ctx context.Context) ([]queue.Kind, error)
	Claim(ctx context.Context, kind queue.Kind, after string, most int) (queue.Batch, error)
	// Done removes rows that were claimed, Retry puts one off that fails and PutOff one that does
	// not, Release unlocks them.
	Done(ctx context.Context, kind queue.Kind, claimed ...queue.Claimed) error
	Retry(ctx context.Context, kind queue.Kind, c queue.Claimed, after time.Duration) error
	PutOff(ctx context.Context, kind queue.Kind, c queue.Claimed, after time.Duration) error
	Release(ctx context.Context, kind queue.Kind, claimed ...queue.Claimed) error
}

// handler works on a row that was claimed and reports whether it is done. One that is not,
// without an error, stays locked: its run goes on with it. errNotYet puts it off.
type handler func(ctx context.Context, c queue.Claimed) (done bool, err error)

// errNotYet is what a handler returns of a row that cannot be worked on yet, though nothing fails.
var errNotYet = errors.New("it cannot be worked on yet")

// loop claims the rows of one kind, of groups in turn, and has each handled, as many side by
// side as it has turns. It looks when it is notified: by commits, and by loops.look.
type loop struct {
	kind    queue.Kind
	rows    Queue
	metrics *telemetry.Metrics
	log     *slog.Logger
	poll    *poll.Loop
	// turns holds one for each row that is handled.
	turns chan struct{}
	// failed is how many rows were not worked on, since handlers fail, after the last one that was. Once these are patience, one row
	// at a time is claimed, to find out when handlers do not fail any more: a few rows that always fail make nobody else wait.
	failed   atomic.Int64
	patience int64
}

// newLoop makes a loop that has so many rows handled side by side.
func newLoop(kind queue.Kind, o Options, atOnce int) *loop {
	return &loop{
		kind: kind, rows: o.Queue, metrics: o.Metrics, log: o.Log, poll: poll.New(0), turns: make(chan struct{}, atOnce),
		patience: int64(2 * atOnce),
	}
}

// failing reports whether handlers fail, whatever they are given.
func (l *loop) failing() bool { return l.failed.Load() >= l.patience }

// run claims until ctx ends. Then it unlocks what nobody has begun to handle and waits for
// what is under way of its own: the run of the next session may have begun.
func (l *loop) run(ctx context.Context, handle handler) {
	l.poll.Notify() // it looks at once
	last := ""
	var handling sync.WaitGroup
	l.poll.Run(ctx, func(ctx context.Context) bool { return l.claim(ctx, &last, &handling, handle) })
	handling.Wait()
}

// claim claims some rows for each turn, behind the group last, and has each handled when it is its
// turn. It reports whether more may be due that can be handled.
func (l *loop) claim(ctx context.Context, last *string, handling *sync.WaitGroup, handle handler) (more bool) {
	batch, err := l.next(ctx, *last, claimedForTurn*cap(l.turns))
	if err != nil {
		return false
	}
	*last = batch.Last
	for i, c := range batch.Rows {
		select {
		case l.turns <- struct{}{}:
			handling.Go(func() { l.handleInTurn(ctx, handle, c) })
		case <-ctx.Done():
			l.release(ctx, batch.Rows[i:]...)
			return false
		}
	}
	return batch.More && !l.failing()
}

// next claims up to most rows, behind the group last; one while handlers fail.
func (l *loop) next(ctx context.Context, last string, most int) (queue.Batch, error) {
	if l.failing() {
		pause(ctx, usableEvery)
	}
	if l.failing() {
		most = 1
	}
	own, cancel := context.WithTimeout(ctx, rowsLimit)
	defer cancel()
	batch, err := l.rows.Claim(own, l.kind, last, most)
	if err != nil {
		if ctx.Err() == nil {
			l.log.WarnContext(ctx, "work could not be claimed", "kind", l.kind, "error", err)
		}
		return batch, err
	}
	if l.metrics != nil {
		l.metrics.ExpiredLocks.WithLabelValues(string(l.kind)).Add(float64(batch.Expired))
	}
	return batch, nil
}

const couldNotPutOff = "work could not be put off, it is claimed again when its lock runs out"

// handleInTurn passes the turn on when the row is handled, or when that takes long.
func (l *loop) handleInTurn(ctx context.Context, handle handler, c queue.Claimed) {
	next := sync.OnceFunc(func() { <-l.turns })
	defer next()
	defer time.AfterFunc(sendTurn, next).Stop()
	if ctx.Err() != nil {
		l.release(ctx, c)
		return
	}
	done, err := handle(telemetry.WithTraceParent(context.WithoutCancel(ctx), c.TraceParent), c)
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), rowsLimit)
	defer cancel()
	if err != nil && !errors.Is(err, errNotYet) {
		l.retry(own, c, err)
		return
	}
	l.works()
	switch {
	case err != nil:
		l.warn(ctx, couldNotPutOff, l.rows.PutOff(own, l.kind, c, notYetPause))
	case done:
		l.warn(ctx, "work that is done could not be removed, it is done again", l.rows.Done(own, l.kind, c))
	}
}

// works notes that a handler has done its work: then all that is due is claimed again.
func (l *loop) works() {
	if l.failed.Swap(0) >= l.patience {
		l.poll.Notify()
	}
}

// retry puts a row off whose handler has failed.
func (l *loop) retry(ctx context.Context, c queue.Claimed, err error) {
	l.noteFailure(ctx, 1, c.WorkspaceID, err)
	l.warn(ctx, couldNotPutOff, l.rows.Retry(ctx, l.kind, c, retryAfter(c.Attempts)))
}

// noteFailure counts so many rows that failed and logs why. The first time is a warning, the others say nothing new.
func (l *loop) noteFailure(ctx context.Context, rows int, workspaceID string, err error) {
	level := slog.LevelDebug
	if l.failed.Add(int64(rows)) == int64(rows) {
		level = slog.LevelWarn
	}
	l.log.Log(ctx, level, "work could not be done, it is tried again", "kind", l.kind, "workspace_id", workspaceID, "error", err)
}

// retryAfter is the pause behind an attempt, counted from 1.
func retryAfter(attempt int) time.Duration {
	after := retryFirst
	for range attempt - 1 {
		if after *= 2; after >= retryMost {
			return retryMost
		}
	}
	return after
}

// release unlocks rows at once; one that could not be unlocked is claimed again when its lock
// runs out.
func (l *loop) release(ctx context.Context, rows ...queue.Claimed) {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), rowsLimit)
	defer cancel()
	l.warn(ctx, "work could not be unlocked", l.rows.Release(own, l.kind, rows...))
}

func (l *loop) warn(ctx context.Context, text string, err error) {
	if err != nil {
		l.log.WarnContext(ctx, text, "kind", l.kind, "error", err)
	}
}
