package pg

import (
	"context"
	"sync"
	"time"
)

const (
	// countedFor is how long a count holds.
	countedFor = time.Second
	// countsKept bounds the memory of the counts; full, they start anew.
	countsKept = 10_000
)

// RecentCounts remembers, for a second, how many of something each workspace has.
type RecentCounts struct {
	count func(ctx context.Context, workspaceID string) (int, error)

	mu     sync.Mutex
	counts map[string]recentCount
}

type recentCount struct {
	n  int
	at time.Time
}

// NewRecentCounts counts by a function, whose errors it passes on.
func NewRecentCounts(count func(ctx context.Context, workspaceID string) (int, error)) *RecentCounts {
	return &RecentCounts{count: count, counts: map[string]recentCount{}}
}

// Of is the count of a workspace. Of several who ask when it is too old, one counts; the
// others take the old one.
func (r *RecentCounts) Of(ctx context.Context, workspaceID string) (int, error) {
	r.mu.Lock()
	known, ok := r.counts[workspaceID]
	stale := !ok || time.Since(known.at) > countedFor
	if stale {
		r.keep(workspaceID, known.n)
	}
	r.mu.Unlock()
	if !stale {
		return known.n, nil
	}
	n, err := r.count(ctx, workspaceID)
	if err != nil {
		return 0, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep(workspaceID, n)
	return n, nil
}

func (r *RecentCounts) keep(workspaceID string, n int) {
	if len(r.counts) >= countsKept {
		clear(r.counts)
	}
	r.counts[workspaceID] = recentCount{n: n, at: time.Now()}
}
