package poll_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/poll"
)

// rounds counts the rounds of a loop that runs until the test ends; each takes
// that long.
func rounds(t *testing.T, p *poll.Loop, takes time.Duration) *atomic.Int64 {
	t.Helper()
	n := new(atomic.Int64)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.Run(ctx, func(context.Context) bool { n.Add(1); time.Sleep(takes); return false })
	}()
	t.Cleanup(func() { cancel(); <-ended })
	synctest.Wait()
	return n
}

func TestLoopWaitsForANotification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := poll.New(0)
		n := rounds(t, p, 0)
		time.Sleep(24 * time.Hour)
		require.Zero(t, n.Load(), "without ticks it never works by itself")
		p.Notify()
		synctest.Wait()
		require.EqualValues(t, 1, n.Load())
	})
}

func TestLoopRemembersANotificationFromBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := poll.New(time.Hour)
		p.Notify()
		require.EqualValues(t, 1, rounds(t, p, 0).Load())
	})
}

func TestNotificationsDuringTheWorkCostOneMoreRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := poll.New(time.Hour)
		p.Notify()
		n := rounds(t, p, time.Second)
		for range 100 {
			p.Notify()
		}
		time.Sleep(time.Minute)
		require.EqualValues(t, 2, n.Load())
	})
}

func TestLoopTicksAfterAWhileWithoutANotification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := poll.New(time.Second)
		n := rounds(t, p, 0)
		time.Sleep(time.Second - time.Nanosecond)
		p.Notify()
		synctest.Wait()
		require.EqualValues(t, 1, n.Load())
		time.Sleep(time.Second - time.Nanosecond)
		require.EqualValues(t, 1, n.Load(), "the wait begins again with each round")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		require.EqualValues(t, 11, n.Load())
	})
}

func TestLoopGoesOnWhileThereIsMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := poll.New(0)
		p.Notify()
		left := 5
		ctx, cancel := context.WithCancel(t.Context())
		go p.Run(ctx, func(context.Context) bool { left--; return left > 0 })
		synctest.Wait()
		require.Zero(t, left)
		cancel()
	})
}

func TestLoopEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p, ended := poll.New(time.Second), false
		p.Notify()
		go func() {
			p.Run(ctx, func(context.Context) bool { time.Sleep(time.Millisecond); return true })
			ended = true
		}()
		time.Sleep(time.Second)
		cancel()
		time.Sleep(time.Millisecond)
		synctest.Wait()
		require.True(t, ended, "though there is always more")

		worked := false
		p.Notify()
		p.Run(ctx, func(context.Context) bool { worked = true; return false })
		require.False(t, worked, "a notification makes nobody work after the end")
		require.EqualValues(t, 1, rounds(t, p, 0).Load(), "but is there for the next one")
	})
}

func TestSignalIsReceivedOnce(t *testing.T) {
	s := poll.NewSignal()
	s.Set()
	s.Set()
	require.Len(t, s, 1)
	<-s
	require.Empty(t, s)
	s.Clear()
	s.Set()
	s.Clear()
	require.Empty(t, s)
}
