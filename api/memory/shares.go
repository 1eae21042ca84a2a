package memory

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// shares bound the bytes that are worked on at once in a process, and how many of them
// are of one workspace. Of one workspace no more than its share stands before the others,
// so whoever comes waits for one share of each workspace at most, however much one of
// them brings.
type shares struct {
	all  *semaphore.Weighted
	each int64

	mu sync.Mutex
	// own are the shares of the workspaces that have something under way or waiting.
	own map[string]*share
}

// share is that of one workspace. users are those who hold some of it or wait for it.
type share struct {
	left  *semaphore.Weighted
	users int
}

// newShares lets so many bytes be worked on, and of one workspace so many of them. No
// single piece of work may be larger than each.
func newShares(all, each int64) *shares {
	return &shares{all: semaphore.NewWeighted(all), each: each, own: map[string]*share{}}
}

// acquire waits for room for so many bytes until ctx ends; release gives it back.
func (s *shares) acquire(ctx context.Context, workspaceID string, size int64) (release func(), err error) {
	of := s.enter(workspaceID)
	if err := of.left.Acquire(ctx, size); err != nil {
		s.leave(workspaceID)
		return nil, err
	}
	if err := s.all.Acquire(ctx, size); err != nil {
		of.left.Release(size)
		s.leave(workspaceID)
		return nil, err
	}
	return func() {
		s.all.Release(size)
		of.left.Release(size)
		s.leave(workspaceID)
	}, nil
}

func (s *shares) enter(workspaceID string) *share {
	s.mu.Lock()
	defer s.mu.Unlock()
	of := s.own[workspaceID]
	if of == nil {
		of = &share{left: semaphore.NewWeighted(s.each)}
		s.own[workspaceID] = of
	}
	of.users++
	return of
}

func (s *shares) leave(workspaceID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.own[workspaceID]; of.users > 1 {
		of.users--
	} else {
		delete(s.own, workspaceID)
	}
}
