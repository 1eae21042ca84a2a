package delivery_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/modelstest"
)

func TestADeadOriginDoesNotHoldUpItsNeighbour(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(300)
	other := sameSlot(t, p, dst)
	require.Equal(t, dst, p.receives(sender, "exec_2", other, 3))
	rows := p.claim(dst)
	assert.Equal(t, []int64{1, 2, 1, 2}, seqsOf(rows), "two of each origin, oldest first")
}

// sameSlot finds another origin of the same destination.
func sameSlot(t *testing.T, p *post, dst string) string {
	t.Helper()
	p.execution(sender, "exec_probe", 0)
	for i := range 1000 {
		origin := fmt.Sprintf("https://other-%d.test:443", i)
		if got, err := p.Enqueue(t.Context(), sender, "exec_probe", origin, nil); err == nil && got == dst {
			return origin
		}
	}
	t.Fatal("no other origin shares the destination")
	return ""
}

func TestWhoseRunIsStarted(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(1)
	startable := func(ids ...string) int {
		found, err := p.ClaimDue(t.Context(), ids)
		require.NoError(t, err)
		p.exec(`UPDATE destinations SET claimed_until = NULL`)
		return len(found)
	}
	overdue := func() int {
		found, err := p.Overdue(t.Context())
		require.NoError(t, err)
		return len(found)
	}
	assert.Zero(t, startable(dst), "its owner lives")
	require.NoError(t, p.UnlockDestination(t.Context(), sender, dst, owner, false))
	found, err := p.ClaimDue(t.Context(), []string{dst})
	require.NoError(t, err)
	require.Len(t, found, 1)
	again, err := p.ClaimDue(t.Context(), []string{dst})
	require.NoError(t, err)
	assert.Empty(t, again, "another starts it")
	p.lock(dst)
	require.NoError(t, p.UnlockDestination(t.Context(), sender, dst, owner, false))
	assert.Equal(t, sender, found[0].WorkspaceID)
	assert.Equal(t, dst, found[0].DestinationID)
	assert.Equal(t, 1, startable(dst), "its owner came and went")
	assert.Zero(t, startable("dst_unknown"))
	assert.Zero(t, overdue(), "due for less than a minute")
	p.exec(`UPDATE open_deliveries SET due_at = due_at - interval '61 seconds'`)
	assert.Equal(t, 1, overdue())
	p.exec(`UPDATE destinations SET locked_by = 'x', locked_until = clock_timestamp() - interval '1 second'`)
	assert.Equal(t, 1, overdue(), "the destination's lock ran out")
	p.lock(dst)
	rows := p.claim(dst)
	require.NoError(t, p.UnlockDestination(t.Context(), sender, dst, owner, false))
	assert.Zero(t, startable(dst), "under way")
	p.exec(`UPDATE open_deliveries SET locked_until = locked_until - interval '90 seconds'`)
	assert.Equal(t, 1, overdue(), "a lock that ran out")
	open, err := p.Open(t.Context())
	require.NoError(t, err)
	assert.Len(t, open, 1)
	p.record(webhook.OK, rows...)
	assert.Zero(t, startable(dst))
	open, err = p.Open(t.Context())
	require.NoError(t, err)
	assert.Empty(t, open)
}

func TestTheStateOfADestination(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(2)
	rows := p.claim(dst)
	p.record(webhook.Timeout, rows[0])
	p.record(webhook.OK, rows[1])
	s, err := p.State(t.Context(), dst)
	require.NoError(t, err)
	assert.Equal(t, 1, s.Waiting)
	require.NotNil(t, s.Next)
	p.later()
	p.record(webhook.OK, p.claim(dst)...)
	s, err = p.State(t.Context(), dst)
	require.NoError(t, err)
	assert.Equal(t, delivery.DestinationState{At: s.At}, s)
}

// What is due then is late for a reason: its owner has said so.
func TestADestinationThatWasThrottledSaysSo(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(1)
	for _, throttled := range []bool{true, false} {
		p.lock(dst)
		require.NoError(t, p.UnlockDestination(t.Context(), sender, dst, owner, throttled))
		assert.Equal(t, 1, p.number(`SELECT count(*) FROM destinations WHERE throttled = $1`, throttled))
	}
}

func TestCancellingEndsWhatWaits(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(5)
	rows := p.claim(dst)
	require.Len(t, rows, 2)
	n, err := p.CancelWaiting(t.Context(), "ws_other", dst)
	require.NoError(t, err)
	require.Zero(t, n)
	_, err = p.CancelWaiting(t.Context(), sender, dst)
	require.NoError(t, err)
	require.Zero(t, p.number(`SELECT count(*) FROM destinations WHERE cancel_id IS NOT NULL`), "what is under way may be asked for again")
	p.record(webhook.OK, rows[0])
	p.record(webhook.ServerError, rows[1])
	var status []string
	for _, d := range p.all("exec_1") {
		status = append(status, d.Status)
	}
	assert.Equal(t, []string{"dead", "dead", "dead", "dead", "delivered"}, status, "newest first")
	var class string
	require.NoError(t, p.db.Pool.QueryRow(t.Context(), `SELECT class FROM deliveries WHERE seq = 5`).Scan(&class))
	assert.Equal(t, "cancelled-by-operator", class)
}

func TestOneDestinationForAnOriginHoweverManyAsk(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	ids := make([]string, 50)
	errs := modelstest.AtOnce(50, func(i int) (err error) {
		tx, err := p.db.Pool.Begin(context.Background())
		if err != nil {
			return err
		}
		defer func() { _ = tx.Commit(context.Background()) }()
		ids[i], err = p.DestinationFor(context.Background(), tx, sender, hookOrigin)
		return err
	})
	for i, err := range errs {
		require.NoError(t, err)
		assert.Equal(t, ids[0], ids[i])
	}
}

func TestADestinationThatWasRolledBackIsMadeAgain(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	tx, err := p.db.Pool.Begin(t.Context())
	require.NoError(t, err)
	lost, err := p.DestinationFor(t.Context(), tx, sender, hookOrigin)
	require.NoError(t, err)
	require.NoError(t, tx.Rollback(t.Context()))
	err = pgx.BeginFunc(t.Context(), p.db.Pool, func(tx pgx.Tx) error {
		kept, err := p.DestinationFor(t.Context(), tx, sender, hookOrigin)
		assert.NotEqual(t, lost, kept)
		return err
	})
	require.NoError(t, err)
	p.workspace("ws_two")
	foreign := p.receives("ws_two", "exec_9", hookOrigin, 1)
	assert.NotEqual(t, foreign, p.receives(sender, "exec_8", hookOrigin, 1))
}
