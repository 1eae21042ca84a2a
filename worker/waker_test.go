package worker

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
)

// idle plays destinations of which some are driven.
type idle struct {
	mu     sync.Mutex
	undone map[string]bool
	asked  [][]string
}

func (d *idle) Undriven(_ context.Context, ids []string) ([]contract.DeliveryInput, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.asked = append(d.asked, ids)
	return d.list(ids), nil
}

func (d *idle) Overdue(context.Context) ([]contract.DeliveryInput, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.list(nil), nil
}

// leave gives a destination something that nobody sends.
func (d *idle) leave(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.undone[id] = true
}

func (d *idle) list(ids []string) []contract.DeliveryInput {
	var found []contract.DeliveryInput
	for id := range d.undone {
		if ids == nil || slices.Contains(ids, id) {
			found = append(found, contract.DeliveryInput{DestinationID: id})
		}
	}
	return found
}

// wakes counts what was woken.
type wakes struct {
	mu    sync.Mutex
	count map[string]int
}

func (w *wakes) of(id string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count[id]
}

func waking(t *testing.T, rows *idle, drives bool) (*waker, *wakes) {
	t.Helper()
	w := newWaker(rows, slog.New(slog.DiscardHandler))
	got := &wakes{count: map[string]int{}}
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		w.run(ctx, func(_ context.Context, d contract.DeliveryInput) error {
			got.mu.Lock()
			got.count[d.DestinationID]++
			got.mu.Unlock()
			if drives {
				rows.mu.Lock()
				delete(rows.undone, d.DestinationID)
				rows.mu.Unlock()
			}
			return nil
		})
	})
	t.Cleanup(func() {
		cancel()
		done.Wait()
	})
	return w, got
}

func TestWakerWakesWhatNobodyDrives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := &idle{undone: map[string]bool{"dst_idle": true}}
		w, got := waking(t, rows, true)
		time.Sleep(pollEvery)
		synctest.Wait()
		require.Equal(t, 1, got.of("dst_idle"), "found without a wake")
		rows.leave("dst_new")
		w.note([]string{"dst_new", "dst_driven"})
		synctest.Wait()
		require.Equal(t, 1, got.of("dst_new"))
		require.Zero(t, got.of("dst_driven"))
	})
}

func TestWakerGivesAWokenDestinationAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, got := waking(t, &idle{undone: map[string]bool{"dst_slow": true}}, false)
		for times := 1; times <= 3; times++ {
			for range 50 {
				w.note([]string{"dst_slow"})
				synctest.Wait()
			}
			require.Equal(t, times, got.of("dst_slow"), "woken a moment ago")
			time.Sleep(wakeAgain - time.Nanosecond)
			synctest.Wait()
			require.Equal(t, times, got.of("dst_slow"))
			time.Sleep(time.Nanosecond)
			synctest.Wait()
			require.Equal(t, times+1, got.of("dst_slow"), "nobody took it, so it is woken again")
		}
	})
}

func TestSweepWakesWhatIsOverdue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := &idle{undone: map[string]bool{"dst_lost": true}}
		w, got := waking(t, rows, true)
		time.Sleep(pollEvery)
		synctest.Wait()
		require.Equal(t, 1, got.of("dst_lost"))
		time.Sleep(wakeAgain)
		rows.leave("dst_lost")
		n, err := w.overdue(t.Context())
		require.NoError(t, err)
		require.Equal(t, 1, n)
		synctest.Wait()
		require.Equal(t, 2, got.of("dst_lost"))
	})
}
