package slots

import (
	"context"
	"slices"
	"sync"
)

// shareOfFree is how many slots a workspace may hold for each one that is free then: one
// alone four fifths, three alike four thirteenths each. So whoever comes finds a slot.
const shareOfFree = 4

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
	waiting map[string][]*Wait
	turns   []string
}

// Wait is somebody who waits for slots of a workspace.
type Wait struct {
	slots       *Slots
	workspaceID string
	size        int64
	granted     chan struct{}
}

// Granted is closed once the slots are theirs; nil where nobody waits.
func (w *Wait) Granted() <-chan struct{} {
	if w == nil {
		return nil
	}
	return w.granted
}

// Leave ends the wait, and releases the slots where they were granted.
func (w *Wait) Leave() {
	w.slots.mu.Lock()
	defer w.slots.mu.Unlock()
	w.slots.leave(w)
}

// New makes so many slots.
func New(total int64) *Slots {
	return &Slots{total: total, free: total, held: map[string]int64{}, waiting: map[string][]*Wait{}}
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
	w := s.Queue(workspaceID, size)
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
		w.Leave()
		return ctx.Err()
	}
}

// Take returns how many slots of those wanted a workspace has got, which may be none: it does
// not wait.
func (s *Slots) Take(workspaceID string, want int) (got int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for got < want && s.free > 0 && s.mayHold(workspaceID, 1) {
		s.give(workspaceID, 1)
		got++
	}
	return got
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

// Queue begins to wait for so many slots, which may be granted at once.
func (s *Slots) Queue(workspaceID string, size int64) *Wait {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &Wait{slots: s, workspaceID: workspaceID, size: size, granted: make(chan struct{})}
	if len(s.waiting[workspaceID]) == 0 {
		s.turns = append(s.turns, workspaceID)
	}
	s.waiting[workspaceID] = append(s.waiting[workspaceID], w)
	s.grant()
	return w
}

func (s *Slots) leave(w *Wait) {
	at := slices.Index(s.waiting[w.workspaceID], w)
	if at < 0 {
		s.release(w.workspaceID, w.size)
		return
	}
	s.remove(w.workspaceID, at)
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
		at := slices.IndexFunc(s.turns, func(w string) bool { return s.mayHold(w, s.waiting[w][0].size) })
		if at < 0 {
			return
		}
		next := s.turns[at]
		w := s.waiting[next][0]
		if w.size > s.free {
			return
		}
		s.give(next, w.size)
		close(w.granted)
		s.toTheEnd(next)
		s.remove(next, 0)
	}
}

func (s *Slots) give(workspaceID string, size int64) {
	s.free -= size
	s.held[workspaceID] += size
}

// mayHold reports whether a workspace may hold so many slots beside those that it holds. One
// that holds none may, however many that are.
func (s *Slots) mayHold(workspaceID string, more int64) bool {
	held := s.held[workspaceID]
	switch {
	case held == 0:
		return true
	case s.most > 0:
		return held+more <= s.most
	case s.othersWait(workspaceID) && held+more > s.total/2:
		return false
	default:
		return held+more <= shareOfFree*(s.free-more)
	}
}

func (s *Slots) othersWait(workspaceID string) bool {
	return len(s.turns) > 1 || len(s.turns) == 1 && s.turns[0] != workspaceID
}
