package pattern_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/modelstest"
	patterns "github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/queue"
)

// Patterns are looked for a minute after the last change, and ten minutes after the first
// one if there is no rest before.
func TestChangesAreGatheredForAWhile(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.note(patterns.Changed, modelstest.Workspace)
	require.Equal(t, 9*time.Minute, d.queued(queue.Patterns).Sub(*d.queued(queue.Rested)))
	require.Zero(t, d.begin(), "a minute after the change")
	for range 10 {
		d.pass("59 seconds")
		require.Zero(t, d.begin())
		d.note(patterns.Changed, modelstest.Workspace, "ws_other", modelstest.Workspace)
	}
	require.True(t, d.queued(queue.Patterns).Before(*d.queued(queue.Rested)))
	require.True(t, d.answers(`SELECT max(run_at) FILTER (WHERE kind = 'rested') < max(run_at) FILTER (WHERE kind = 'pattern') FROM work WHERE key = 'ws_other'`))
	d.pass("20 seconds")
	require.Equal(t, 1, d.begin(), "ten minutes after the first one")
	require.Nil(t, d.queued(queue.Patterns))
	require.Nil(t, d.queued(queue.Rested))
}

// What is gone does not wait for rest: at the latest a minute after it went.
func TestARemovalDoesNotWaitForRest(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.note(patterns.Changed, modelstest.Workspace)
	d.note(patterns.Removed, modelstest.Workspace)
	d.pass("40 seconds")
	d.note(patterns.Changed, modelstest.Workspace)
	d.note(patterns.Removed, modelstest.Workspace)
	require.Zero(t, d.begin())
	d.pass("30 seconds")
	require.Equal(t, 1, d.begin())
}

// Of a workspace one job is open at a time. What changes meanwhile is due after it.
func TestRunsOfAWorkspaceDoNotOverlap(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 3)...)
	first := d.opened()
	d.note(patterns.Changed, modelstest.Workspace)
	d.pass("1 hour")
	errs := modelstest.AtOnce(4, func(int) error {
		begun, err := d.Begin(t.Context(), modelstest.Workspace)
		require.False(t, begun)
		return err
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	require.Zero(t, d.begin())
	require.NotNil(t, d.queued(queue.Patterns), "it stays due")
	require.NotNil(t, d.queued(queue.Rested))
	d.finish(first)
	begun := make([]bool, 4)
	for _, err := range modelstest.AtOnce(4, func(i int) (err error) {
		begun[i], err = d.Begin(t.Context(), modelstest.Workspace)
		return err
	}) {
		require.NoError(t, err)
	}
	require.Len(t, slices.DeleteFunc(begun, func(b bool) bool { return !b }), 1)
	require.NotEqual(t, first.ID, d.open().ID)
}

// A workspace that has patterns, or may get some, looks for them again after a day.
func TestPatternsAreLookedForDaily(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 2)...)
	require.Empty(t, d.detect())
	require.Nil(t, d.queued(queue.Patterns), "two judgments never are one")
	d.review(alike("b", 1)...)
	require.Len(t, d.detect(), 2, "of all content and of its type")
	d.pass("23 hours 59 minutes")
	require.Zero(t, d.begin())
	d.pass("1 minute")
	require.Equal(t, 1, d.begin())
	d.note(patterns.Changed, modelstest.Workspace)
	require.False(t, d.queued(queue.Rested).After(modelstest.ClockOf(t, d.db).Add(time.Minute)), "a change does not wait for that")
}

// What was in dispute a year ago may be the practice today, though nobody judged since.
func TestAPatternComesOutWhenThoseWhoDisagreedAreTooOld(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.review(alike("a", 3)...)
	d.review(alike("b", 2, rejecting)...)
	require.Empty(t, d.detect())
	d.exec(`UPDATE judgments SET created_at = created_at - interval '365 days' WHERE decision = 'reject'`)
	d.pass("1 day")
	require.Equal(t, 1, d.begin())
	d.finish(d.open())
	require.Len(t, d.list(), 2, "of all content and of its type")
}

func TestAnOperatorHasPatternsLookedFor(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	modelstest.AddWorkspace(t, d.db, "ws_empty")
	modelstest.AddWorkspace(t, d.db, "ws_other")
	d.review(alike("a", 3)...)
	modelstest.AddReviews(t, d.db, "ws_other", alike("a", 3)...)
	made, err := d.MakeDue(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, 2, made)
	require.Equal(t, 2, d.begin())
	made, err = d.MakeDue(t.Context(), "ws_other")
	require.NoError(t, err)
	require.Equal(t, 1, made)
	_, err = d.MakeDue(t.Context(), "ws_unknown")
	require.True(t, fault.Is(err, fault.StatusNotFound), err)
}
