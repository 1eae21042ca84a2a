package slots

import (
	"context"
	"slices"
	"sync"
)

// keptForOthers is which part of the slots one workspace never holds: one in so many, and
// one at least.
const keptForOthers = 4

// Slots are what the work of a process shares. It is safe for concurrent use; nil has a
// slot for everybody.
type Slots struct {
	mu          sync.Mutex
	total, free int64
	// most is what one workspace may hold, whoever waits; 0 goes by who waits.
	most int64
	held map[string]int64 // by workspace
	// waiting are those who wait, by workspace; turns are their workspaces, the next one
	// first.
	waiting map[string][]*wait
	turns   []string
}

// wait is one who waits for so many slots; granted is closed once they are theirs.
type wait struct {
	size    int64
	granted chan struct{}
}

// New makes so many slots.
func New(total int64) *Slots {
	return &Slots{total: total, free: total, held: map[string]int64{}, waiting: map[string][]*wait{}}
}

// NewLimited makes so many slots, of which one workspace never holds more than most.
func NewLimited(total, most int64) *Slots {
	s := New(total)
	s.most = most
	return s
}

// Acquire waits for so many slots, all of them at the most, until ctx ends, whose error it
// returns. Release follows where there is no error.
func (s *Slots) Acquire(ctx context.Context, workspaceID string, size int64) error {
	if err := ctx.Err(); err != nil || s == nil {
		return err
	}
	w := s.enter(workspaceID, size)
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
		s.leave(workspaceID, w)
		return ctx.Err()
	}
}

// Free returns how many slots nobody has.
func (s *Slots) Free() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.free
}

// Release frees slots.
func (s *Slots) Release(workspaceID string, size int64) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(workspaceID, size)
}

func (s *Slots) enter(workspaceID string, size int64) *wait {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &wait{size: size, granted: make(chan struct{})}
	if len(s.waiting[workspaceID]) == 0 {
		s.turns = append(s.turns, workspaceID)
	}
	s.waiting[workspaceID] = append(s.waiting[workspaceID], w)
	s.grant()
	return w
}

// leave ends a wait; slots that were granted meanwhile are given back.
func (s *Slots) leave(workspaceID string, w *wait) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(s.waiting[workspaceID], w)
	if at < 0 {
		s.release(workspaceID, w.size)
		return
	}
	s.remove(workspaceID, at)
	s.grant()
}

// remove takes one who waits out of the line of a workspace.
func (s *Slots) remove(workspaceID string, at int) {
	s.waiting[workspaceID] = slices.Delete(s.waiting[workspaceID], at, at+1)
	if len(s.waiting[workspaceID]) == 0 {
		delete(s.waiting, workspaceID)
		s.turns = slices.DeleteFunc(s.turns, func(w string) bool { return w == workspaceID })
	}
}

func (s *Slots) release(workspaceID string, size int64) {
	s.free += size
	if s.held[workspaceID] -= size; s.held[workspaceID] == 0 {
		delete(s.held, workspaceID)
	}
	s.toTheEnd(workspaceID)
	s.grant()
}

// toTheEnd makes the turn of a workspace that waits the last one.
func (s *Slots) toTheEnd(workspaceID string) {
	if at := slices.Index(s.turns, workspaceID); at >= 0 {
		s.turns = append(slices.Delete(s.turns, at, at+1), workspaceID)
	}
}

// grant gives the free slots away, in turn. Who waits for more than there are keeps the
// turn, or a large piece of work would never have it.
func (s *Slots) grant() {
	for {
		at := slices.IndexFunc(s.turns, s.mayHave)
		if at < 0 {
			return
		}
		next := s.turns[at]
		w := s.waiting[next][0]
		if w.size > s.free {
			return
		}
		s.free -= w.size
		s.held[next] += w.size
		close(w.granted)
		s.toTheEnd(next)
		s.remove(next, 0)
	}
}

// mayHave reports whether a workspace may have what it waits for beside what it holds.
func (s *Slots) mayHave(workspaceID string) bool {
	held := s.held[workspaceID]
	return held == 0 || held+s.waiting[workspaceID][0].size <= s.share()
}

// share is what one workspace may hold at this moment.
func (s *Slots) share() int64 {
	switch {
	case s.most > 0:
		return s.most
	case len(s.turns) > 1:
		return s.total / 2
	default:
		return s.total - max(1, s.total/keptForOthers)
	}
}
