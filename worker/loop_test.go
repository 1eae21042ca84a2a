package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/queue"
)

// rows plays the rows of one kind.
type rows struct {
	mu       sync.Mutex
	due      []queue.Claimed
	claims   []int
	done     map[string]int
	pauses   []time.Duration
	putOff   []time.Duration
	released int
	changed  chan struct{}
}

func newRows(n int) *rows {
	r := &rows{done: map[string]int{}, changed: make(chan struct{}, 1)}
	for i := range n {
		r.due = append(r.due, queue.Claimed{Key: fmt.Sprintf("key_%d", i), Attempts: 1})
	}
	return r
}

func (r *rows) Due(context.Context) ([]queue.Kind, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.due) == 0 {
		return nil, nil
	}
	return []queue.Kind{queue.Jobs}, nil
}

func (r *rows) Claim(_ context.Context, _ queue.Kind, _ string, most int) (queue.Batch, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.claims = append(r.claims, most)
	n := min(most, len(r.due))
	claimed := r.due[:n]
	r.due = r.due[n:]
	r.notify()
	return queue.Batch{Rows: claimed, More: n == most}, nil
}

func (r *rows) Done(_ context.Context, _ queue.Kind, claimed ...queue.Claimed) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range claimed {
		r.done[c.Key]++
	}
	r.notify()
	return nil
}

func (r *rows) Retry(_ context.Context, _ queue.Kind, c queue.Claimed, after time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pauses = append(r.pauses, after)
	r.due = append(r.due, c)
	r.notify()
	return nil
}

func (r *rows) PutOff(_ context.Context, _ queue.Kind, c queue.Claimed, after time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.putOff = append(r.putOff, after)
	r.notify()
	return nil
}

func (r *rows) Release(_ context.Context, _ queue.Kind, claimed ...queue.Claimed) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.released += len(claimed)
	r.due = append(r.due, claimed...)
	r.notify()
	return nil
}

func (r *rows) notify() {
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// until waits until the rows are like that.
func (r *rows) until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(time.Minute)
	for {
		r.mu.Lock()
		ok := holds()
		r.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-r.changed:
		case <-deadline:
			require.FailNow(t, what)
		}
	}
}

// looping starts a loop and returns the function that stops it and waits.
func looping(t *testing.T, r *rows, atOnce int, handle handler) func() {
	t.Helper()
	l := loopOver(r, atOnce)
	startLook(t, l, r)
	return startedLoop(t, l, handle)
}

// startLook looks for what is due until the test ends.
func startLook(t *testing.T, l *loop, r *rows) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { loops{l.kind: l}.look(ctx, Options{Queue: r, Log: slog.New(slog.DiscardHandler)}) })
	t.Cleanup(func() { cancel(); done.Wait() })
}

func loopOver(r *rows, atOnce int) *loop {
	return newLoop(queue.Jobs, Options{Queue: r, Log: slog.New(slog.DiscardHandler)}, atOnce)
}

// startedLoop runs a loop; the function that it returns stops it.
func startedLoop(t *testing.T, l *loop, handle handler) func() {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() { l.run(ctx, handle) })
	stop := sync.OnceFunc(func() { cancel(); done.Wait() })
	t.Cleanup(stop)
	return stop
}

// atOnce is the handler of work that is done by looking at it.
func atOnce(context.Context, queue.Claimed) (bool, error) { return true, nil }

func TestLoopHandlesWhatIsDueSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const due, turns = 400, 8
		r := newRows(due)
		begun, release := make(chan struct{}, due), make(chan struct{})
		stop := looping(t, r, turns, func(context.Context, queue.Claimed) (bool, error) {
			begun <- struct{}{}
			<-release
			return true, nil
		})
		synctest.Wait()
		require.Len(t, begun, turns, "as many as there are turns are under way")
		close(release)
		r.until(t, "all are done", func() bool { return len(r.done) == due })
		stop()
		for key, n := range r.done {
			require.Equal(t, 1, n, key)
		}
		for _, most := range r.claims {
			require.Equal(t, claimedForTurn*turns, most)
		}
	})
}

func TestARowThatHangsHoldsBackTheOthersForItsTurnAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const due = 50
		r := newRows(due)
		hangs := make(chan struct{})
		began := time.Now()
		stop := looping(t, r, 1, func(_ context.Context, c queue.Claimed) (bool, error) {
			if c.Key == "key_0" {
				<-hangs
			}
			return true, nil
		})
		r.until(t, "all others are done", func() bool { return len(r.done) == due-1 })
		require.Equal(t, sendTurn, time.Since(began))
		require.NotContains(t, r.done, "key_0")
		close(hangs)
		stop()
		require.Equal(t, 1, r.done["key_0"])
	})
}

func TestWhatARunGoesOnWithStaysLocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRows(3)
		handled := make(chan struct{}, 3)
		stop := looping(t, r, 2, func(context.Context, queue.Claimed) (bool, error) { handled <- struct{}{}; return false, nil })
		synctest.Wait()
		stop()
		require.Len(t, handled, 3)
		require.Empty(t, r.done)
		require.Zero(t, r.released)
	})
}

func TestAHandlerGoesOnWithTheTraceOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newRows(1)
		rows.due[0].TraceParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
		var trace string
		stop := looping(t, rows, 1, func(ctx context.Context, _ queue.Claimed) (bool, error) {
			trace = telemetry.TraceID(ctx)
			return true, nil
		})
		synctest.Wait()
		stop()
		require.Equal(t, "0af7651916cd43dd8448eb211c80319c", trace)
	})
}

func TestLoopLooksWhenItIsNotified(t *testing.T) {
	r := newRows(0)
	l := loopOver(r, 2)
	startedLoop(t, l, atOnce)
	r.until(t, "the first look found nothing", func() bool { return len(r.claims) == 1 })
	r.put("key_new")
	l.poll.Notify()
	r.until(t, "the new one is done", func() bool { return r.done["key_new"] == 1 })
}

func TestLoopLooksWithoutANotification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRows(0)
		looping(t, r, 2, atOnce)
		r.until(t, "the first look found nothing", func() bool { return len(r.claims) > 0 })
		r.put("key_new")
		began := time.Now()
		r.until(t, "the new one is done", func() bool { return r.done["key_new"] == 1 })
		require.Equal(t, pollEvery, time.Since(began))
	})
}

func TestLoopsOfWhichNothingIsDueAreLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRows(0)
		stop := looping(t, r, 2, atOnce)
		time.Sleep(time.Hour)
		stop()
		require.Len(t, r.claims, 1, "the look at the start")
	})
}

func TestLoopFindsOutWhenTemporalIsBack(t *testing.T) {
	const due = 50
	r := newRows(due)
	var away atomic.Bool
	away.Store(true)
	looping(t, r, 4, func(context.Context, queue.Claimed) (bool, error) {
		if away.Load() {
			return false, errors.New("Temporal is away")
		}
		return true, nil
	})
	r.until(t, "rows are put off", func() bool { return len(r.pauses) >= 12 })
	r.until(t, "one at a time is tried", func() bool { return r.claims[len(r.claims)-1] == 1 })
	require.Empty(t, r.done)
	away.Store(false)
	r.until(t, "all are done", func() bool { return len(r.done) == due })
}

// While others are done a row that always fails is the only one that waits.
func TestARowThatAlwaysFailsHoldsBackNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const due = 400
		r := newRows(due)
		var tries, done atomic.Int64
		stop := looping(t, r, 4, func(_ context.Context, c queue.Claimed) (bool, error) {
			if c.Key == "key_0" && done.Load() < due-1 {
				tries.Add(1)
				return false, errors.New("refused")
			}
			done.Add(1)
			return true, nil
		})
		r.until(t, "all are done", func() bool { return len(r.done) == due })
		stop()
		require.Positive(t, tries.Load())
		require.NotContains(t, r.claims, 1)
	})
}

func TestWhatCannotBeWorkedOnYetIsPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRows(40)
		stop := looping(t, r, 4, func(context.Context, queue.Claimed) (bool, error) { return false, errNotYet })
		synctest.Wait()
		stop()
		require.Len(t, r.putOff, 40)
		require.Equal(t, notYetPause, r.putOff[0])
		require.Empty(t, r.pauses, "nothing fails")
		require.Empty(t, r.done)
		require.NotContains(t, r.claims, 1)
	})
}

func TestPausesGrowUpToFourSeconds(t *testing.T) {
	for attempt, after := range map[int]time.Duration{1: retryFirst, 2: 2 * retryFirst, 4: 8 * retryFirst, 5: retryMost, 1000: retryMost} {
		require.Equal(t, after, retryAfter(attempt))
	}
}

func TestLoopThatStopsUnlocksWhatItHasNotBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const due, turns = 100, 2
		r := newRows(due)
		release := make(chan struct{})
		stop := looping(t, r, turns, func(ctx context.Context, _ queue.Claimed) (bool, error) {
			<-release
			return true, ctx.Err()
		})
		synctest.Wait() // the turns are taken, and no more can be claimed
		stopped := make(chan struct{})
		go func() { stop(); close(stopped) }()
		r.until(t, "what is claimed is unlocked", func() bool { return r.released > 0 })
		close(release)
		<-stopped
		require.Len(t, r.done, turns, "what was under way has ended well")
		require.Len(t, r.due, due-turns)
	})
}

// What a run has under way is its own: that of the next one, which may begin meanwhile, does
// not hold up its end.
func TestARunThatEndsWaitsForItsOwnRowsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRows(1)
		l := loopOver(r, 2)
		release, hang := make(chan struct{}), make(chan struct{})
		endFirst, firstEnded := startedRun(t, l, func(context.Context, queue.Claimed) (bool, error) { <-release; return true, nil })
		endFirst()
		r.put("key_next")
		endNext, nextEnded := startedRun(t, l, func(context.Context, queue.Claimed) (bool, error) { <-hang; return true, nil })
		require.False(t, *firstEnded, "its own row is under way")
		close(release)
		synctest.Wait()
		require.True(t, *firstEnded)
		endNext()
		synctest.Wait()
		require.False(t, *nextEnded)
		close(hang)
		synctest.Wait()
		require.True(t, *nextEnded)
		require.Equal(t, map[string]int{"key_0": 1, "key_next": 1}, r.done)
	})
}

// startedRun begins a run of a loop in a bubble and returns when all of it waits.
func startedRun(t *testing.T, l *loop, handle handler) (end context.CancelFunc, ended *bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended = new(false)
	go func() { l.run(ctx, handle); *ended = true }()
	synctest.Wait()
	return cancel, ended
}

func (r *rows) put(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.due = append(r.due, queue.Claimed{Key: key, Attempts: 1})
}

// Of rows that are worked on together each ends as its outcome says; where that fails as a whole, those
// that were left are due at once and the others in a while.
func TestRowsOfABatchEndByTheirOutcomes(t *testing.T) {
	t.Parallel()
	r := newRows(4)
	l := newLoop(queue.Judgments, Options{Queue: r, Log: slog.New(slog.DiscardHandler)}, 4)
	last := ""
	more := l.batch(t.Context(), &last, func(context.Context, []queue.Claimed) ([]queue.Outcome, error) {
		return []queue.Outcome{queue.Finished, queue.Failed, queue.Left, queue.Finished}, nil
	})
	require.True(t, more)
	require.Equal(t, map[string]int{"key_0": 1, "key_3": 1}, r.done)
	require.Len(t, r.pauses, 1)
	require.Equal(t, 1, r.released)

	more = l.batch(t.Context(), &last, func(context.Context, []queue.Claimed) ([]queue.Outcome, error) {
		return []queue.Outcome{queue.Finished, queue.Left}, errors.New("away")
	})
	require.True(t, more, "others may be worked on")
	require.Len(t, r.done, 2)
	require.Len(t, r.pauses, 2)
	require.Equal(t, 2, r.released)
	for !l.failing() {
		require.Less(t, l.failed.Load(), l.patience)
		more = l.batch(t.Context(), &last, func(_ context.Context, claimed []queue.Claimed) ([]queue.Outcome, error) {
			return slices.Repeat([]queue.Outcome{queue.Failed}, len(claimed)), errors.New("away")
		})
	}
	require.False(t, more, "whatever is worked on fails")
}

// Whoever waits for an answer has the processors for half of the time at least.
func TestBatchesRestAsLongAsTheyTook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRows(8)
		l := newLoop(queue.Judgments, Options{Queue: r, Log: slog.New(slog.DiscardHandler)}, 4)
		ctx, stop := context.WithCancel(t.Context())
		began := time.Now()
		var starts []time.Duration
		l.runBatches(ctx, func(_ context.Context, claimed []queue.Claimed) ([]queue.Outcome, error) {
			starts = append(starts, time.Since(began))
			if len(starts) == 2 {
				stop()
			}
			time.Sleep(300 * time.Millisecond)
			return slices.Repeat([]queue.Outcome{queue.Finished}, len(claimed)), nil
		})
		require.Equal(t, []time.Duration{0, 600 * time.Millisecond}, starts)
		require.Len(t, r.done, 8)
	})
}

// A row that always fails is not tried together with the same ones again and again.
func TestPausesOfABatchDifferAndGrow(t *testing.T) {
	t.Parallel()
	for attempt, longest := range map[int]time.Duration{1: 3 * time.Second, 4: 24 * time.Second, 40: 90 * time.Second} {
		one, other := retryBatchAfter(t.Context(), attempt), retryBatchAfter(t.Context(), attempt)
		require.NotEqual(t, one, other)
		require.Less(t, max(one, other), longest)
		require.GreaterOrEqual(t, min(one, other), longest/3)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.Zero(t, retryBatchAfter(ended, 3))
}
