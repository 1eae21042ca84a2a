package worker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/pump"
	"github.com/redline-svc/redline/models/knowledge"
)

// shelf plays the rows of versions in work.
type shelf struct {
	mu  sync.Mutex
	due []knowledge.VersionRef
	// looks counts the claims, started what was given to the engine.
	looks   int
	started []knowledge.VersionRef
	refuse  bool
}

func (s *shelf) put(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range n {
		s.due = append(s.due, knowledge.VersionRef{WorkspaceID: "ws", SourceID: fmt.Sprint("src_", i), Version: 1})
	}
}

func (s *shelf) ClaimVersions(_ context.Context, _ string, limit int) ([]knowledge.VersionRef, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks++
	n := min(limit, len(s.due))
	claimed := s.due[:n]
	s.due = s.due[n:]
	return claimed, "", nil
}

func (s *shelf) VersionBack(_ context.Context, v knowledge.VersionRef) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.due = append(s.due, v)
	return nil
}

func (s *shelf) start(_ context.Context, v knowledge.VersionRef) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.refuse {
		return errors.New("away")
	}
	s.started = append(s.started, v)
	return nil
}

func (s *shelf) has(t *testing.T, what string, holds func() bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return holds()
	}, time.Minute, time.Millisecond, what)
}

func newShelfStarter(s *shelf) *queueStarter[knowledge.VersionRef] {
	return newQueueStarter(rowsOwed[knowledge.VersionRef]{"versions", s.ClaimVersions, s.VersionBack}, slog.New(slog.DiscardHandler))
}

// starting runs a starter until the test ends, which looks that often by itself.
func starting(t *testing.T, s *shelf, every time.Duration) *queueStarter[knowledge.VersionRef] {
	t.Helper()
	in := newShelfStarter(s)
	in.pump = pump.New(every)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { in.run(ctx, s.start) })
	t.Cleanup(func() { cancel(); running.Wait() })
	return in
}

func TestQueueStarterStartsMoreThanOneClaimHolds(t *testing.T) {
	s := &shelf{}
	s.put(3 * claimedAtOnce)
	starting(t, s, time.Hour)
	s.has(t, "all are started", func() bool { return len(s.started) == 3*claimedAtOnce })
}

func TestQueueStarterLooksAtOnceWhenItIsWoken(t *testing.T) {
	s := &shelf{}
	in := starting(t, s, time.Hour)
	s.has(t, "the first look", func() bool { return s.looks > 0 })
	s.put(1)
	in.pump.Wake()
	s.has(t, "the wake", func() bool { return len(s.started) == 1 })
}

func TestQueueStarterLooksWithoutAWakeToo(t *testing.T) {
	s := &shelf{}
	starting(t, s, time.Millisecond)
	s.has(t, "the first look", func() bool { return s.looks > 0 })
	s.put(1)
	s.has(t, "the poll", func() bool { return len(s.started) == 1 })
}

func TestQueueStarterReleasesWhatTheEngineDoesNotTake(t *testing.T) {
	s := &shelf{refuse: true}
	s.put(5)
	in := newShelfStarter(s)
	last := ""
	require.False(t, in.startSome(t.Context(), &last, s.start))
	require.Len(t, s.due, 5)
	s.refuse = false
	require.True(t, in.startSome(t.Context(), &last, s.start), "there may be more")
	require.Len(t, s.started, 5)
}
