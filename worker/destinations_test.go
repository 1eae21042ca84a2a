package worker

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
)

// idle plays the rows of destinations that nobody drives. A claim lasts a second.
type idle struct {
	mu      sync.Mutex
	undone  map[string]bool
	claimed map[string]time.Time
	looks   int
}

func newIdle(ids ...string) *idle {
	d := &idle{undone: map[string]bool{}, claimed: map[string]time.Time{}}
	for _, id := range ids {
		d.undone[id] = true
	}
	return d
}

func (d *idle) ClaimDue(_ context.Context, ids []string) ([]contract.DeliveryInput, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []contract.DeliveryInput
	for _, id := range ids {
		if d.undone[id] && time.Since(d.claimed[id]) >= time.Second {
			d.claimed[id] = time.Now()
			found = append(found, contract.DeliveryInput{DestinationID: id})
		}
	}
	return found, nil
}

// ClaimNextDue visits a hundred at most.
func (d *idle) ClaimNextDue(ctx context.Context, after string, most int) ([]contract.DeliveryInput, string, error) {
	d.mu.Lock()
	d.looks++
	ids := slices.Sorted(maps.Keys(d.undone))
	d.mu.Unlock()
	at, _ := slices.BinarySearch(ids, after+"\x00")
	turn := slices.Concat(ids[at:], ids[:at])
	turn = turn[:min(100, most, len(turn))]
	if len(turn) == 0 {
		return nil, "", nil
	}
	found, err := d.ClaimDue(ctx, turn)
	return found, turn[len(turn)-1], err
}

func (d *idle) Overdue(context.Context) ([]contract.DeliveryInput, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var found []contract.DeliveryInput
	for id := range d.undone {
		found = append(found, contract.DeliveryInput{DestinationID: id})
	}
	return found, nil
}

// leave gives a destination something that nobody sends; done drives it.
func (d *idle) leave(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.undone[id] = true
}

func (d *idle) done(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.undone, id)
	delete(d.claimed, id)
}

func (d *idle) left() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.undone)
}

// starts counts what was started.
type starts struct {
	mu    sync.Mutex
	count map[string]int
}

func (s *starts) note(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count[id]++
}

func (s *starts) of(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count[id]
}

// starting runs a loop of destinations whose starts are counted and then end as send says.
func starting(t *testing.T, rows *idle, send func(id string)) (*destinationLoop, *starts) {
	t.Helper()
	w, got := newDestinationLoop(rows, slog.New(slog.DiscardHandler)), &starts{count: map[string]int{}}
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		w.run(ctx, func(_ context.Context, d contract.DeliveryInput) error {
			got.note(d.DestinationID)
			send(d.DestinationID)
			return nil
		})
	})
	t.Cleanup(func() {
		cancel()
		done.Wait()
	})
	return w, got
}

func TestDestinationsStartWhatNobodyDrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newIdle("dst_idle")
		w, got := starting(t, rows, rows.done)
		time.Sleep(pollEvery)
		synctest.Wait()
		require.Equal(t, 1, got.of("dst_idle"), "found without a notification")
		rows.leave("dst_new")
		w.note([]string{"dst_new", "dst_driven"})
		synctest.Wait()
		require.Equal(t, 1, got.of("dst_new"))
		require.Zero(t, got.of("dst_driven"))
	})
}

func TestDestinationsStartAgainWhatNobodyClaimed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, got := starting(t, newIdle("dst_slow"), func(string) {})
		for range 50 {
			w.note([]string{"dst_slow"})
			synctest.Wait()
		}
		require.Equal(t, 1, got.of("dst_slow"), "its claim lasts")
		time.Sleep(pollEvery + time.Nanosecond)
		synctest.Wait()
		require.Equal(t, 2, got.of("dst_slow"), "nobody took it")
	})
}

func TestOverdueDestinationsAreStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newIdle()
		w, got := starting(t, rows, rows.done)
		synctest.Wait()
		rows.leave("dst_lost")
		n, err := w.overdue(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, n)
		synctest.Wait()
		require.Equal(t, 1, got.of("dst_lost"))
	})
}

// However many destinations have something while Temporal is away, a bounded
// number of starts waits for it, and all are started when it is back.
func TestDestinationsKeepABoundedNumberOfNotes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newIdle()
		for i := range 2001 {
			rows.leave(strconv.Itoa(i))
		}
		away := make(chan struct{})
		_, got := starting(t, rows, func(id string) {
			<-away
			rows.done(id)
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Len(t, got.count, destinationsAtOnce)
		close(away)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Zero(t, rows.left())
	})
}

// Whatever else is found to be left, some at a time, what is noted is started at once.
func TestDestinationsStartWhatIsNotedBeforeWhatIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newIdle()
		for i := range 1000 {
			rows.leave(strconv.Itoa(i))
		}
		w, got := starting(t, rows, rows.done)
		synctest.Wait()
		w.note(nil)
		synctest.Wait()
		require.Less(t, len(got.count), 100, "the others have time")
		rows.leave("noted")
		w.note([]string{"noted"})
		synctest.Wait()
		require.Equal(t, 1, got.of("noted"))
		require.Greater(t, rows.left(), 900)
	})
}

// The starts of a session that ends are its own: those of the next one, which may
// begin meanwhile, do not hold up its end, and what it has not begun is left to it.
func TestALoopThatEndsWaitsForItsOwnStartsAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := newIdle()
		w := newDestinationLoop(rows, slog.New(slog.DiscardHandler))
		session := func(send sendStart) (end context.CancelFunc, ended *bool) {
			ctx, cancel := context.WithCancel(t.Context())
			ended = new(false)
			go func() { w.run(ctx, send); *ended = true }()
			synctest.Wait()
			return cancel, ended
		}
		release := make(chan struct{})
		var begun atomic.Int32
		endFirst, firstEnded := session(func(context.Context, contract.DeliveryInput) error { begun.Add(1); <-release; return nil })
		ids := []string{"dst_first"}
		for i := range destinationsAtOnce {
			ids = append(ids, strconv.Itoa(i))
		}
		for _, id := range ids {
			rows.leave(id)
		}
		w.note(ids)
		synctest.Wait()
		endFirst()
		hang := make(chan struct{})
		endNext, _ := session(func(context.Context, contract.DeliveryInput) error { <-hang; return nil })
		require.False(t, *firstEnded, "its own starts are under way")
		for range destinationsAtOnce {
			release <- struct{}{}
		}
		synctest.Wait()
		require.True(t, *firstEnded)
		require.EqualValues(t, destinationsAtOnce, begun.Load(), "it begins nothing after its end")
		endNext()
		close(hang)
		synctest.Wait()
	})
}
