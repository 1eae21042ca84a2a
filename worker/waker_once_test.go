package worker

import (
	"context"
	"log/slog"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
)

// An engine that is away keeps every wake waiting for its answer; looking again
// meanwhile must not pile up more of them.
func TestWakerWakesADestinationOnceAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := &idle{undone: map[string]bool{"dst_stuck": true}}
		begun, release := 0, make(chan struct{})
		w := newWaker(rows, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() {
			w.run(ctx, func(context.Context, contract.DeliveryInput) error {
				begun++
				<-release
				return nil
			})
		})
		time.Sleep(time.Minute)
		w.note([]string{"dst_stuck"})
		synctest.Wait()
		require.Greater(t, len(rows.asked), 50, "it is looked at every second")
		require.Equal(t, 1, begun, "the wake under way is the only one")

		release <- struct{}{}
		time.Sleep(wakeAgain)
		synctest.Wait()
		require.Equal(t, 2, begun, "it was found meanwhile and nobody took it, so it is woken again")
		cancel()
		close(release)
		done.Wait()
	})
}

// However many destinations have something while the engine is away, a bounded
// number of wakes waits for it, and all are woken when it is back.
func TestWakerHoldsABoundedNumberOfWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := &idle{undone: map[string]bool{}}
		for i := range 2*wakesNoted + 1 {
			rows.undone[strconv.Itoa(i)] = true
		}
		away := make(chan struct{})
		w := newWaker(rows, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(t.Context())
		var done sync.WaitGroup
		done.Go(func() {
			w.run(ctx, func(_ context.Context, d contract.DeliveryInput) error {
				<-away
				rows.mu.Lock()
				defer rows.mu.Unlock()
				delete(rows.undone, d.DestinationID)
				return nil
			})
		})
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Len(t, w.woken, wakesNoted)
		close(away)
		time.Sleep(5 * pollEvery)
		synctest.Wait()
		require.Empty(t, rows.undone)
		cancel()
		done.Wait()
	})
}

// The wakes of a session that ends are its own: those of the next one, which may
// begin meanwhile, do not hold up its end.
func TestAWakerThatEndsWaitsForItsOwnWakesAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rows := &idle{undone: map[string]bool{}}
		w := newWaker(rows, slog.New(slog.DiscardHandler))
		release := make(chan struct{})
		session := func(send sendWake) (end context.CancelFunc, ended *bool) {
			ctx, cancel := context.WithCancel(t.Context())
			ended = new(false)
			go func() { w.run(ctx, send); *ended = true }()
			synctest.Wait()
			return cancel, ended
		}
		endFirst, firstEnded := session(func(context.Context, contract.DeliveryInput) error { <-release; return nil })
		rows.undone["dst_first"] = true
		w.note([]string{"dst_first"})
		synctest.Wait()
		endFirst()
		hang := make(chan struct{})
		endNext, _ := session(func(context.Context, contract.DeliveryInput) error { <-hang; return nil })
		rows.undone["dst_next"] = true
		w.note([]string{"dst_next"})
		synctest.Wait()
		require.False(t, *firstEnded, "its own wake is under way")
		release <- struct{}{}
		synctest.Wait()
		require.True(t, *firstEnded)
		endNext()
		close(release)
		close(hang)
		synctest.Wait()
	})
}
