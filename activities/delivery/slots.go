package delivery

import "sync"

// slots are the requests that one process may have under way. While others wait, a
// workspace has at most half of them, and one at least, so the receivers of one
// workspace that hang cannot take all.
type slots struct {
	total int

	mu      sync.Mutex
	used    map[string]int // by workspace
	sum     int
	slow    map[string]int // of them to what is slow, by kind of destination
	waiting map[string]int // workspaces that want slots and have to wait
	freed   chan struct{}  // closed when slots became free
}

func newSlots(total int) *slots {
	return &slots{total: total, used: map[string]int{}, slow: map[string]int{}, waiting: map[string]int{}, freed: make(chan struct{})}
}

// take gives up to want slots to a workspace, maybe none.
func (s *slots) take(workspaceID string, want int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	free := s.total - s.sum
	if s.othersWait(workspaceID) {
		free = min(free, max(1, s.total/2)-s.used[workspaceID])
	}
	n := max(0, min(want, free))
	s.used[workspaceID] += n
	s.sum += n
	return n
}

func (s *slots) othersWait(workspaceID string) bool {
	_, self := s.waiting[workspaceID]
	return len(s.waiting) > 1 || (len(s.waiting) == 1 && !self)
}

// give takes slots back and wakes those who wait.
func (s *slots) give(workspaceID string, n int) {
	if n == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sum -= n
	if s.used[workspaceID] -= n; s.used[workspaceID] == 0 {
		delete(s.used, workspaceID)
	}
	if len(s.waiting) > 0 {
		close(s.freed)
		s.freed = make(chan struct{})
	}
}

// queue notes that a workspace wants slots; leave must follow once it has got
// some, or gave up.
func (s *slots) queue(workspaceID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting[workspaceID]++
}

// signal is closed when slots become free while somebody is in the queue.
func (s *slots) signal() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.freed
}

func (s *slots) leave(workspaceID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting[workspaceID]--; s.waiting[workspaceID] == 0 {
		delete(s.waiting, workspaceID)
	}
}

// slowLeft is how many more requests may go to what is slow of a kind: a quarter
// of all slots.
func (s *slots) slowLeft(kind string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return max(0, max(1, s.total/SlowShare)-s.slow[kind])
}

// noteSlow counts requests to what is slow of a kind, by is 1 or -1.
func (s *slots) noteSlow(kind string, by int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.slow[kind] += by
}
