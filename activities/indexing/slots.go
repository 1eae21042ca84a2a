package indexing

import (
	"context"
	"slices"
	"sync"

	"github.com/redline-svc/redline/activities"
)

// keptForOthers is which part of the slots one workspace never holds, so that what
// another one brings finds a slot even while all that is under way takes long.
const keptForOthers = 4

// Slots are held by those who work, one each, and shared by workspaces in turn: a
// slot that becomes free goes to the workspace that has waited for its turn the
// longest, however many wait of another. Who waits for a converter or the model
// gives its slot back meanwhile. Nil Slots have one for everybody.
type Slots struct {
	mu   sync.Mutex
	free int
	// most is how many a workspace holds at once, held how many it does.
	most int
	held map[string]int
	// waiting are those who wait, by workspace; turns are their workspaces, the next
	// one first.
	waiting map[string][]chan struct{}
	turns   []string
}

// NewSlots makes n slots.
func NewSlots(n int) *Slots {
	return &Slots{free: n, most: n - n/keptForOthers, held: map[string]int{}, waiting: map[string][]chan struct{}{}}
}

// Acquire waits for a slot until ctx ends or the worker stops.
func (s *Slots) Acquire(ctx context.Context, workspaceID string) error {
	if err := activities.Stopping(ctx); err != nil || s == nil {
		return err
	}
	granted := s.enter(workspaceID)
	select {
	case <-granted:
		return nil
	case <-activities.WorkerStop(ctx):
	case <-ctx.Done():
	}
	s.leave(workspaceID, granted)
	return activities.Stopping(ctx)
}

// Release gives a slot back.
func (s *Slots) Release(workspaceID string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.giveBack(workspaceID)
}

// Resume takes a slot again after Release, even when ctx has ended or the worker
// stops meanwhile: its holder releases it as usual.
func (s *Slots) Resume(workspaceID string) {
	if s != nil {
		<-s.enter(workspaceID)
	}
}

// enter queues for a slot; the channel is closed once it is granted.
func (s *Slots) enter(workspaceID string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	granted := make(chan struct{})
	if len(s.waiting[workspaceID]) == 0 {
		s.turns = append(s.turns, workspaceID)
	}
	s.waiting[workspaceID] = append(s.waiting[workspaceID], granted)
	s.grant()
	return granted
}

// leave ends a wait; a slot that was granted meanwhile is given back.
func (s *Slots) leave(workspaceID string, granted chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.Index(s.waiting[workspaceID], granted)
	if at < 0 {
		s.giveBack(workspaceID)
		return
	}
	s.waiting[workspaceID] = slices.Delete(s.waiting[workspaceID], at, at+1)
	if len(s.waiting[workspaceID]) == 0 {
		delete(s.waiting, workspaceID)
		s.turns = slices.DeleteFunc(s.turns, func(w string) bool { return w == workspaceID })
	}
}

func (s *Slots) giveBack(workspaceID string) {
	s.free++
	if s.held[workspaceID]--; s.held[workspaceID] == 0 {
		delete(s.held, workspaceID)
	}
	s.grant()
}

// grant gives the free slots away, in turn.
func (s *Slots) grant() {
	for s.free > 0 {
		at := slices.IndexFunc(s.turns, func(w string) bool { return s.held[w] < s.most })
		if at < 0 {
			return
		}
		next := s.turns[at]
		s.turns = slices.Delete(s.turns, at, at+1)
		close(s.waiting[next][0])
		s.free--
		s.held[next]++
		if s.waiting[next] = s.waiting[next][1:]; len(s.waiting[next]) > 0 {
			s.turns = append(s.turns, next)
		} else {
			delete(s.waiting, next)
		}
	}
}
