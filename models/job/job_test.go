package job_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/modelstest"
)

// board is a store of jobs with two workspaces.
type board struct {
	*job.Jobs
	*modelstest.Library
	t *testing.T
}

func newBoard(t *testing.T) *board {
	t.Helper()
	l := modelstest.NewLibrary(t)
	return &board{job.New(l.DB), l, t}
}

// queue queues jobs of a workspace.
func (b *board) queue(workspaceID string, n int) {
	b.t.Helper()
	require.NoError(b.t, b.DB.InTx(b.t.Context(), func(tx *pg.Tx) error {
		for i := range n {
			j := job.Job{WorkspaceID: workspaceID, ID: fmt.Sprintf("rem_%s_%03d", workspaceID, i), Kind: job.Removal, Input: []byte(`{}`)}
			if err := job.Queue(b.t.Context(), tx, j); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (b *board) claim(limit int) []job.Ref {
	b.t.Helper()
	claimed, _, err := b.Claim(b.t.Context(), "", limit)
	require.NoError(b.t, err)
	return claimed
}

func TestAJobIsClaimedOnceUntilItIsOverdue(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	b.queue("ws_one", 1)
	ref := job.Ref{WorkspaceID: "ws_one", ID: "rem_ws_one_000", Kind: job.Removal}
	require.Equal(t, []job.Ref{ref}, b.claim(10))
	require.Empty(t, b.claim(10))
	b.Exec(`UPDATE jobs SET drive_after = clock_timestamp()`)
	require.Equal(t, []job.Ref{ref}, b.claim(10), "whoever claimed it may have died")
	require.NoError(t, b.Back(t.Context(), ref))
	require.Equal(t, []job.Ref{ref}, b.claim(10), "the engine did not take it")
}

func TestJobsOfAWorkspaceWaitForEachOtherAndNotForOthers(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	b.queue("ws_one", 20)
	b.queue("ws_two", 1)
	claimed := b.claim(10)
	require.Len(t, claimed, job.Working+1)
	require.Contains(t, claimed, job.Ref{WorkspaceID: "ws_two", ID: "rem_ws_two_000", Kind: job.Removal})
	state, err := b.Complete(t.Context(), "rem_ws_one_000")
	require.NoError(t, err)
	require.Equal(t, "completed", state)
	require.Equal(t, []job.Ref{{WorkspaceID: "ws_one", ID: fmt.Sprintf("rem_ws_one_%03d", job.Working), Kind: job.Removal}}, b.claim(10), "one has ended, so the next has its turn")
}

func TestManyClaimersGetEachJobOnce(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	b.queue("ws_one", job.Working)
	var found atomic.Int64
	for _, err := range modelstest.AtOnce(8, func(int) error {
		claimed, _, err := b.Claim(t.Context(), "", 10)
		found.Add(int64(len(claimed)))
		return err
	}) {
		require.NoError(t, err)
	}
	require.EqualValues(t, job.Working, found.Load())
}

func TestAJobThatEndedStaysAsItIs(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	b.queue("ws_one", 1)
	const id = "rem_ws_one_000"
	begun, err := b.Jobs.Begin(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, &job.Job{WorkspaceID: "ws_one", ID: id, Kind: job.Removal, Input: []byte(`{}`)}, begun)
	require.NoError(t, b.Progress(t.Context(), id, 7))
	require.NoError(t, b.DB.InTx(t.Context(), func(tx *pg.Tx) error {
		return job.End(t.Context(), tx, id, &job.Failure{Code: "NOT_FOUND", Message: "it was deleted"})
	}))
	state, err := b.Complete(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "failed", state)
	var code string
	var done int
	require.NoError(t, b.DB.Pool.QueryRow(t.Context(), `SELECT state, error_code, done FROM jobs`).Scan(&state, &code, &done))
	assert.Equal(t, []any{"failed", "NOT_FOUND", 7}, []any{state, code, done})
	begun, err = b.Jobs.Begin(t.Context(), id)
	require.NoError(t, err)
	require.Nil(t, begun)
	removed, err := b.Jobs.Expire(t.Context(), 100)
	require.NoError(t, err)
	require.Zero(t, removed)
	b.Exec(`UPDATE jobs SET ended_at = clock_timestamp() - interval '31 days'`)
	removed, err = b.Jobs.Expire(t.Context(), 100)
	require.NoError(t, err)
	require.EqualValues(t, 1, removed)
}
