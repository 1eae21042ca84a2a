package tests

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// A poller that found nothing new pauses, and longer each time it finds nothing again: many
// that follow executions which wait must leave the processors to those who move them.
const followPause, longestPause = 30 * time.Millisecond, 500 * time.Millisecond

// follower is a customer's poller: it passes nextCursor on and keeps what it saw.
type follower struct {
	r      *run
	cancel context.CancelFunc
	done   sync.WaitGroup
	seen   []client.Event
	fault  error
}

// follow polls the execution's events from the first one until settle.
func (r *run) follow() *follower {
	ctx, cancel := context.WithCancel(r.s.ctx)
	f := &follower{r: r, cancel: cancel}
	f.done.Go(func() { f.poll(ctx) })
	return f
}

// poll goes on over errors, as a process may be dead at the moment, and ends
// with the execution's last event.
func (f *follower) poll(ctx context.Context) {
	since, idle := int64(0), followPause
	for ctx.Err() == nil {
		page, err := f.r.s.workspace.Events(ctx, f.r.id, since, false)
		if err == nil {
			f.take(page)
			since = page.NextCursor
		}
		if f.ended() {
			return
		}
		if err == nil && len(page.Events) > 0 {
			idle = followPause
		}
		if err != nil || !page.HasMore {
			pause(ctx, idle)
			idle = min(2*idle, longestPause)
		}
	}
}

func pause(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
}

func (f *follower) take(page client.EventPage) {
	for _, event := range page.Events {
		if n := len(f.seen); n > 0 && event.Seq <= f.seen[n-1].Seq {
			f.fault = fmt.Errorf("%s: seq %d came after %d", f.r.id, event.Seq, f.seen[n-1].Seq)
		}
		f.seen = append(f.seen, event)
	}
}

func (f *follower) ended() bool {
	if len(f.seen) == 0 {
		return false
	}
	switch f.seen[len(f.seen)-1].Type {
	case "execution.completed", "execution.failed", "execution.cancelled":
		return true
	default:
		return false
	}
}

// settle waits for the end of the execution and proves that the poller saw
// each external event exactly once, in order.
func (f *follower) settle() []client.Event {
	t := f.r.s.t
	t.Helper()
	stopped := time.AfterFunc(patience, f.cancel)
	defer stopped.Stop()
	f.done.Wait()
	f.cancel()
	require.NoError(t, f.fault)
	require.Equal(t, f.r.events(), f.seen, "what the poller of %s saw against a full read", f.r.id)
	return f.seen
}
