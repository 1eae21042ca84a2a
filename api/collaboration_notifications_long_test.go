package api_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

// dies begins a portion of a job and ends it when it has taken what it is to write and has written nothing yet: as a process
// that is killed there.
func (d *jobWorker) dies(id string) {
	d.T.Helper()
	held, err := d.db.Pool.Begin(d.Ctx)
	require.NoError(d.T, err)
	defer func() { require.NoError(d.T, held.Rollback(d.Ctx)) }()
	_, err = held.Exec(d.Ctx, `SELECT FROM notifications WHERE workspace_id = $1 FOR UPDATE`, d.Workspace.ID)
	require.NoError(d.T, err)
	j, err := d.stores.Jobs.Begin(d.Ctx, id)
	require.NoError(d.T, err)
	ctx, die := context.WithCancel(d.Ctx)
	done := make(chan error)
	go func() {
		_, _, err := d.handlers[j.Kind](ctx, j)
		done <- err
	}()
	kit.RequireEventually(d.T, "it has taken a portion", func() bool {
		var waits bool
		err := d.db.Pool.QueryRow(d.Ctx, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO notification_recipients%')`).Scan(&waits)
		return err == nil && waits
	})
	die()
	require.Error(d.T, <-done)
}

func TestLong_NotificationsAdd_3_FiftyThousandMembersAndTwoDeaths(t *testing.T) {
	env := withMembers(t, "bob")
	manyMembers(env, 50_000)
	d := newJobWorker(env)
	_, n := told(env, telling())
	require.Equal(t, 50_001, n)
	var id string
	require.NoError(t, d.db.Pool.QueryRow(env.Ctx, `SELECT id FROM jobs WHERE workspace_id = $1 AND kind = 'notification'`, env.Workspace.ID).Scan(&id))
	for range 2 {
		require.True(t, d.step(id))
		d.dies(id)
	}
	d.work(id)
	var recipients, users int
	require.NoError(t, d.db.Pool.QueryRow(env.Ctx, `SELECT count(*), count(DISTINCT user_id) FROM notification_recipients WHERE workspace_id = $1`, env.Workspace.ID).Scan(&recipients, &users))
	require.Equal(t, []int{50_001, 50_001}, []int{recipients, users}, "each once")
}
