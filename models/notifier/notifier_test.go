package notifier_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/pgtest"
)

// whole is a topic without ids.
const whole pg.Topic = "whole"

// executions is a topic without ids.
const executions pg.Topic = "execution"

// hearer notes what a process hears.
type hearer struct {
	mu           sync.Mutex
	executions   int
	versions     int
	destinations map[string]int
	unknown      int
	batches      int
}

func listenTo(n *notifier.Notifier) *hearer {
	h := &hearer{destinations: map[string]int{}}
	n.On(executions, func([]string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.executions++
	})
	n.On(whole, func([]string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.versions++
	})
	n.On(notifier.Destinations, func(ids []string) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.batches++
		if len(ids) == 0 {
			h.unknown++
		}
		for _, id := range ids {
			h.destinations[id]++
		}
	})
	return h
}

func (h *hearer) has(t *testing.T, what string, holds func(h *hearer) bool) {
	t.Helper()
	require.Eventually(t, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return holds(h)
	}, time.Minute, 5*time.Millisecond, what)
}

// twoProcesses share a database; the second one listens.
func twoProcesses(t *testing.T) (db *pg.DB, here, there *notifier.Notifier, hears *hearer) {
	t.Helper()
	db = pgtest.New(t)
	here, there = notifier.New(db), notifier.New(db)
	db.OnCommit(here.Notify)
	hears = listenTo(there)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { here.Run(ctx) })
	running.Go(func() { there.Listen(ctx) })
	t.Cleanup(func() { cancel(); running.Wait() })
	hears.has(t, "a listener that has connected looks at everything once", func(h *hearer) bool {
		return h.executions == 1 && h.versions == 1 && h.unknown == 1
	})
	return db, here, there, hears
}

// commit notifies a topic in one process, as a commit does.
func commit(n *notifier.Notifier, topic pg.Topic, ids ...string) {
	n.Notify([]pg.Hint{{Topic: topic, IDs: ids}})
}

func TestANotificationIsHeardInItsOwnProcessAtOnce(t *testing.T) {
	db := pgtest.New(t)
	n := notifier.New(db)
	h := listenTo(n)
	commit(n, executions)
	require.Zero(t, h.versions)
	commit(n, whole)
	commit(n, notifier.Destinations, "dst_1", "dst_2")
	db.Notify(notifier.Destinations)
	require.Equal(t, 1, h.executions)
	require.Equal(t, 1, h.versions)
	require.Equal(t, map[string]int{"dst_1": 1, "dst_2": 1}, h.destinations)
	require.Zero(t, h.unknown, "no destination is not every destination")
}

func TestANotificationIsHeardInOtherProcesses(t *testing.T) {
	_, here, _, hears := twoProcesses(t)
	commit(here, executions)
	commit(here, notifier.Destinations, "dst_1")
	hears.has(t, "the other process", func(h *hearer) bool { return h.executions == 2 && h.destinations["dst_1"] == 1 })
	commit(here, whole)
	hears.has(t, "a hints of versions only", func(h *hearer) bool { return h.versions == 2 && h.executions == 2 })
}

func TestManyNotificationsCostFewOfPostgres(t *testing.T) {
	db, _, _, hears := twoProcesses(t)
	other := notifier.New(db) // it sends nothing before Flush
	const many = 5000
	for i := range many {
		commit(other, executions)
		commit(other, notifier.Destinations, fmt.Sprintf("dst_%026d", i%1000))
	}
	other.Flush(t.Context())
	commit(other, notifier.Destinations, "dst_end")
	other.Flush(t.Context())
	hears.has(t, "what came after", func(h *hearer) bool { return h.destinations["dst_end"] == 1 })
	hears.mu.Lock()
	defer hears.mu.Unlock()
	require.Len(t, hears.destinations, 1000+1)
	require.Equal(t, 1+1, hears.executions, "one notification stands for all")
	require.Equal(t, 1+5+1, hears.batches, "200 destinations in each payload, each of them once")
}

func TestListenerThatLostItsConnectionHearsAgain(t *testing.T) {
	db, here, _, hears := twoProcesses(t)
	_, err := db.Pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
		WHERE datname = current_database() AND pid <> pg_backend_pid() AND query LIKE 'LISTEN%'`)
	require.NoError(t, err)
	hears.has(t, "connected again, it looks at everything", func(h *hearer) bool { return h.unknown == 2 })
	commit(here, notifier.Destinations, "dst_9")
	hears.has(t, "the next hints", func(h *hearer) bool { return h.destinations["dst_9"] == 1 })
}

func TestProcessDoesNotHearItself(t *testing.T) {
	_, here, there, hears := twoProcesses(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var running sync.WaitGroup
	running.Go(func() { there.Run(ctx) })
	commit(there, notifier.Destinations, "dst_own")
	there.Flush(ctx)
	commit(here, notifier.Destinations, "dst_end")
	here.Flush(ctx)
	hears.has(t, "what came after", func(h *hearer) bool { return h.destinations["dst_end"] > 0 })
	hears.mu.Lock()
	require.Equal(t, 1, hears.destinations["dst_own"], "once, from the call itself")
	hears.mu.Unlock()
	cancel()
	running.Wait()
}
