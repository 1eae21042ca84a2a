package job_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/queue"
)

// board is a store of jobs with two workspaces, and the queue.
type board struct {
	*job.Jobs
	*modelstest.Library
	work *queue.Queue
	t    *testing.T
}

func newBoard(t *testing.T) *board {
	t.Helper()
	l := modelstest.NewLibrary(t)
	return &board{job.New(l.DB), l, queue.New(l.DB), t}
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

// claim claims work of jobs and returns the jobs.
func (b *board) claim(limit int) []string {
	b.t.Helper()
	batch, err := b.work.Claim(b.t.Context(), queue.Jobs, "", limit)
	require.NoError(b.t, err)
	ids := []string{}
	for _, c := range batch.Rows {
		ids = append(ids, c.Key)
	}
	return ids
}

func TestAJobIsClaimedOnceUntilItIsOverdue(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	b.queue("ws_one", 1)
	const id = "rem_ws_one_000"
	require.Equal(t, []string{id}, b.claim(10))
	require.Empty(t, b.claim(10))
	b.Exec(`UPDATE work SET locked_until = clock_timestamp()`)
	require.Equal(t, []string{id}, b.claim(10), "whoever claimed it may have died")
	b.Exec(`UPDATE work SET locked_until = clock_timestamp()`)
	begun, err := b.Jobs.Begin(t.Context(), id)
	require.NoError(t, err)
	require.NotNil(t, begun)
	require.Empty(t, b.claim(10), "a run works on it")
	b.Exec(`UPDATE work SET locked_until = clock_timestamp()`)
	require.NoError(t, b.Progress(t.Context(), id, 1))
	require.Empty(t, b.claim(10), "a run goes on with it")
}

func TestAnOpenJobSaysWhatItIs(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	b.queue("ws_one", 1)
	const id = "rem_ws_one_000"
	open, err := b.Open(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, &job.Ref{WorkspaceID: "ws_one", ID: id, Kind: job.Removal}, open)
	_, err = b.Complete(t.Context(), id)
	require.NoError(t, err)
	for _, gone := range []string{id, "rem_unknown"} {
		open, err = b.Open(t.Context(), gone)
		require.NoError(t, err)
		require.Nil(t, open)
	}
}

func TestJobsOfAWorkspaceWaitForEachOtherAndNotForOthers(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	b.queue("ws_one", 20)
	b.queue("ws_two", 1)
	claimed := b.claim(10)
	require.Len(t, claimed, 2+1)
	require.Contains(t, claimed, "rem_ws_two_000")
	state, err := b.Complete(t.Context(), "rem_ws_one_000")
	require.NoError(t, err)
	require.Equal(t, "completed", state)
	require.Equal(t, []string{"rem_ws_one_002"}, b.claim(10), "one has ended, so the next has its turn")
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
	require.NoError(t, b.DB.Pool.QueryRow(t.Context(), `SELECT error_code, done FROM jobs`).Scan(&code, &done))
	assert.Equal(t, []any{"NOT_FOUND", 7}, []any{code, done})
	require.Empty(t, b.claim(10))
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

func TestAJobOfAStoppedWorkspaceWaits(t *testing.T) {
	t.Parallel()
	b := newBoard(t)
	b.queue("ws_one", 1)
	const id = "rem_ws_one_000"
	require.Equal(t, []string{id}, b.claim(10))
	b.Exec(`UPDATE workspaces SET suspended_at = now(), stopped_at = now() WHERE id = 'ws_one'`)
	begun, err := b.Jobs.Begin(t.Context(), id)
	require.NoError(t, err)
	require.Nil(t, begun, "its run ends")
	b.Exec(`UPDATE work SET locked_until = clock_timestamp()`)
	require.Empty(t, b.claim(10))
	b.Exec(`UPDATE workspaces SET suspended_at = NULL, stopped_at = NULL`)
	require.Equal(t, []string{id}, b.claim(10))
	begun, err = b.Jobs.Begin(t.Context(), id)
	require.NoError(t, err)
	require.NotNil(t, begun)
}
