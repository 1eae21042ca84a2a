package delivery

import "sync"

// slots are the requests that one process may have under way. A workspace has at
// most shareOfFree times what it leaves free, and one at least: one alone four
// fifths, three alike four thirteenths each. So however many receivers hang,
// whoever comes finds slots. While others wait, it has at most half.
type slots struct {
	total int

	mu      sync.Mutex
	used    map[string]int // by workspace
	sum     int
	waiting map[string]int // workspaces that want slots and have to wait
	freed   chan struct{}  // closed when slots became free
}

// shareOfFree is how many slots a workspace may have for each one that is free.
const shareOfFree = 4

func newSlots(total int) *slots {
	return &slots{total: total, used: map[string]int{}, waiting: map[string]int{}, freed: make(chan struct{})}
}

// take returns up to want slots to a workspace, maybe none.
func (s *slots) take(workspaceID string, want int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	free, used := s.total-s.sum, s.used[workspaceID]
	most := (shareOfFree*free - used) / (shareOfFree + 1) // so that used + most is at most the share of what is left
	if used == 0 {
		most = max(most, 1)
	}
	if s.othersWait(workspaceID) {
		most = min(most, max(1, s.total/2)-used)
	}
	n := max(0, min(want, free, most))
	s.used[workspaceID] += n
	s.sum += n
	return n
}

func (s *slots) othersWait(workspaceID string) bool {
	_, self := s.waiting[workspaceID]
	return len(s.waiting) > 1 || (len(s.waiting) == 1 && !self)
}

// give takes slots back and lets those go on who wait.
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
