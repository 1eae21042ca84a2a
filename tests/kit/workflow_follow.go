package kit

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
)

// A poller that found nothing new pauses, and longer each time it finds nothing again: many
// that follow executions which wait must leave the processors to those who move them.
const (
	// FollowPause is the first pause of a poller; each further one is twice as long.
	FollowPause = 30 * time.Millisecond
	// LongestPause is the longest pause of a poller.
	LongestPause = 500 * time.Millisecond
)

// Follower is a customer's poller: it passes nextCursor on and keeps what it saw.
type Follower struct {
	R      *Run
	Cancel context.CancelFunc
	Done   sync.WaitGroup
	Seen   []redline.Event
	Fault  error
}

// Follow polls the execution's events from the first one to its end; Settle waits for that.
func (r *Run) Follow() *Follower {
	ctx, cancel := context.WithCancel(r.S.Ctx)
	f := &Follower{R: r, Cancel: cancel}
	f.Done.Go(func() { f.poll(ctx) })
	return f
}

// poll goes on over errors, as a process may be dead at the moment, and ends
// with the execution's last event.
func (f *Follower) poll(ctx context.Context) {
	since, idle := int64(0), FollowPause
	for ctx.Err() == nil {
		page, err := f.R.S.Workspace.Events(ctx, f.R.ID, since, false)
		if err == nil {
			f.take(page)
			since = page.NextCursor
		}
		if f.ended() {
			return
		}
		if err == nil && len(page.Events) > 0 {
			idle = FollowPause
		}
		if err != nil || !page.HasMore {
			Pause(ctx, idle)
			idle = min(2*idle, LongestPause)
		}
	}
}

// Pause returns after the length of time, or earlier when the context ends.
func Pause(ctx context.Context, length time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(length):
	}
}

func (f *Follower) take(page redline.EventList) {
	for _, event := range page.Events {
		if n := len(f.Seen); n > 0 && event.Seq <= f.Seen[n-1].Seq {
			f.Fault = fmt.Errorf("%s: seq %d came after %d", f.R.ID, event.Seq, f.Seen[n-1].Seq)
		}
		f.Seen = append(f.Seen, event)
	}
}

func (f *Follower) ended() bool {
	if len(f.Seen) == 0 {
		return false
	}
	switch f.Seen[len(f.Seen)-1].Type {
	case "execution.completed", "execution.failed", "execution.cancelled":
		return true
	default:
		return false
	}
}

// Settle waits for the end of the execution and requires that the poller saw
// each external event exactly once, in order. It returns them.
func (f *Follower) Settle() []redline.Event {
	t := f.R.S.T
	t.Helper()
	stopped := time.AfterFunc(Patience, f.Cancel)
	defer stopped.Stop()
	f.Done.Wait()
	f.Cancel()
	require.NoError(t, f.Fault)
	require.Equal(t, f.R.Events(), f.Seen, "what the poller of %s saw against a full read", f.R.ID)
	return f.Seen
}
