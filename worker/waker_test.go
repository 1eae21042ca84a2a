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
	rows := &idle{undone: map[string]bool{"dst_idle": true}}
	w, got := waking(t, rows, true)
	require.Eventually(t, func() bool { return got.of("dst_idle") == 1 }, 10*time.Second, time.Millisecond, "found at the start")
	rows.mu.Lock()
	rows.undone["dst_new"] = true
	rows.mu.Unlock()
	w.rouse([]string{"dst_new", "dst_driven"})
	require.Eventually(t, func() bool { return got.of("dst_new") == 1 }, 10*time.Second, time.Millisecond)
	require.Zero(t, got.of("dst_driven"))
}

func TestWakerGivesAWokenDestinationAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, got := waking(t, &idle{undone: map[string]bool{"dst_slow": true}}, false)
		for times := 1; times <= 3; times++ {
			for range 50 {
				w.rouse([]string{"dst_slow"})
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
	rows := &idle{undone: map[string]bool{"dst_lost": true}}
	w, got := waking(t, rows, true)
	require.Eventually(t, func() bool { return got.of("dst_lost") == 1 }, 10*time.Second, time.Millisecond)
	rows.mu.Lock()
	rows.undone["dst_lost"] = true
	rows.mu.Unlock()
	n, err := w.overdue(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Eventually(t, func() bool { return got.of("dst_lost") >= 2 }, 10*time.Second, time.Millisecond)
}
