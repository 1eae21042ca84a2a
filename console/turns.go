package console

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

const (
	// pagesAtOnce is how many pages of one pair of credentials are made at once: what one shows may take 100 MiB and more while it
	// is made. formsAtOnce is how many of their forms are under way, of which up to 11 MiB are in memory.
	pagesAtOnce, formsAtOnce = 2, 4
)

// turns lets so many requests of each pair of credentials go on at once; further ones wait.
type turns struct {
	atOnce int64
	mu     sync.Mutex
	queues map[string]*queue
}

// queue are the requests of one pair of credentials, with how many go on or wait.
type queue struct {
	*semaphore.Weighted

	there int
}

func newTurns(atOnce int64) *turns { return &turns{atOnce: atOnce, queues: map[string]*queue{}} }

// enter waits for a turn. The error is that of the context; without one, leave ends the turn.
func (t *turns) enter(ctx context.Context, s session) (leave func(), err error) {
	of := s.Key + " " + s.WorkspaceID
	t.mu.Lock()
	l := t.queues[of]
	if l == nil {
		l = &queue{Weighted: semaphore.NewWeighted(t.atOnce)}
		t.queues[of] = l
	}
	l.there++
	t.mu.Unlock()
	gone := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if l.there--; l.there == 0 {
			delete(t.queues, of)
		}
	}
	if err := l.Acquire(ctx, 1); err != nil {
		gone()
		return nil, err
	}
	return func() { l.Release(1); gone() }, nil
}
