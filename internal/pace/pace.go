package pace

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

const (
	// Every is how far apart requests begin at an origin that has not proved to want them, five a second of
	// all workspaces together.
	Every = 200 * time.Millisecond
	// provedFor is for how long one has that answered with a 2xx.
	provedFor = 24 * time.Hour
	// remembered is how many origins are, those that were used last.
	remembered = 10_000
)

// Origins keeps the pace of requests. It is safe for concurrent use.
type Origins struct {
	clock func() time.Time
	mu    sync.Mutex
	known *simplelru.LRU[string, *proof]
}

// proof is when an origin last answered with a 2xx, and when the next request may begin at one that has not.
type proof struct{ provedAt, nextAt time.Time }

// New knows no origin. clock reads the time of the process.
func New(clock func() time.Time) *Origins {
	known, _ := simplelru.NewLRU[string, *proof](remembered, nil) // fails for a size of none alone
	return &Origins{clock: clock, known: known}
}

// Known is how many origins are remembered.
func (o *Origins) Known() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.known.Len()
}

func (o *Origins) find(origin string) *proof {
	found, known := o.known.Get(origin)
	if !known {
		found = &proof{}
		o.known.Add(origin, found)
	}
	return found
}

// Take returns how many of so many requests may begin now; where it is none, after how long
// there may be one.
func (o *Origins) Take(origin string, want int) (taken int, wait time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found, now := o.find(origin), o.clock()
	switch {
	case !found.provedAt.IsZero() && now.Sub(found.provedAt) < provedFor:
		return want, 0
	case now.Before(found.nextAt):
		return 0, found.nextAt.Sub(now)
	default:
		found.nextAt = now.Add(Every)
		return 1, 0
	}
}

// Wait waits until one request may begin, or returns the error of ctx.
func (o *Origins) Wait(ctx context.Context, origin string) error {
	for {
		taken, wait := o.Take(origin, 1)
		if taken > 0 {
			return nil
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// GiveBack takes back a request that has not begun.
func (o *Origins) GiveBack(origin string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := o.find(origin)
	found.nextAt = found.nextAt.Add(-Every)
}

// Answered notes the status of an answer: a 2xx is the proof.
func (o *Origins) Answered(origin string, status int) {
	if status < http.StatusOK || status >= http.StatusMultipleChoices {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.find(origin).provedAt = o.clock()
}
