package delivery_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/modelstest"
)

func TestAClaimedRowHasAllThatIsSent(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	rows := p.claim(p.driven(1))
	require.Len(t, rows, 1)
	row := rows[0]
	assert.Equal(t, hookURL, row.URL)
	assert.Equal(t, hookSecret, string(row.Secret))
	assert.Equal(t, hookOrigin, row.Origin)
	assert.Zero(t, row.Attempt)
	body, err := row.Event.Body()
	require.NoError(t, err)
	assert.JSONEq(t, fmt.Sprintf(`{"event":"step.completed","eventId":"exec_1_1","executionId":"exec_1","definitionId":"def","definitionVersion":3,
		"stepId":null,"status":"completed","seq":1,"timestamp":%q,"correlationId":"corr","data":{"n":1}}`,
		row.Event.At.UTC().Format("2006-01-02T15:04:05.000Z")), string(body))
}

func TestTwoClaimsTakeNoRowTwice(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(500)
	to := p.to(dst)
	var mu sync.Mutex
	seen := map[int64]int{}
	errs := modelstest.AtOnce(8, func(int) error {
		for {
			claimed, err := p.Claim(context.Background(), to, owner, delivery.ClaimLimits{Rows: rowsWaitSome, Origins: []string{hookOrigin}, Shares: []int{rowsWaitSome}})
			rows := claimed.Rows
			if err != nil || len(rows) == 0 {
				return err
			}
			mu.Lock()
			for _, row := range rows {
				seen[row.Event.Seq]++
			}
			mu.Unlock()
			if _, err := p.Record(context.Background(), outcomes(webhook.OK, rows)); err != nil {
				return err
			}
		}
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	for len(seen) < 500 { // a claim that found rows locked has ended early
		rows := p.claim(dst)
		require.NotEmpty(t, rows)
		for _, row := range rows {
			seen[row.Event.Seq]++
		}
		p.record(webhook.OK, rows...)
	}
	for seq, n := range seen {
		assert.Equal(t, 1, n, "event %d", seq)
	}
}

func TestWhoHasNotLockedTheDestinationClaimsNothing(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(10)
	taken, err := p.LockDestination(t.Context(), sender, dst, "another")
	require.NoError(t, err)
	require.Equal(t, delivery.Destination{WorkspaceID: sender, ID: dst, Kind: "receiver"}, taken, "a new activity takes it whoever has it")
	assert.Empty(t, p.claim(dst))
	held, err := p.ExtendLock(t.Context(), sender, dst, owner)
	require.NoError(t, err)
	assert.False(t, held)
	require.NoError(t, p.UnlockDestination(t.Context(), sender, dst, owner, false))
	held, err = p.ExtendLock(t.Context(), sender, dst, "another")
	require.NoError(t, err)
	assert.True(t, held, "who lost it cannot give it back")
	taken, err = p.LockDestination(t.Context(), "ws_other", dst, owner)
	require.NoError(t, err)
	assert.Empty(t, taken, "it is another workspace's")
}

func TestAClaimSaysWhetherRowsAreLeft(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(3)
	first := p.claimUpTo(dst, few)
	assert.Len(t, first.Rows, 2)
	assert.True(t, first.More)
	p.record(webhook.ServerError, first.Rows...)
	p.exec(`UPDATE open_deliveries w SET due_at = due_at + interval '1 hour' FROM deliveries d WHERE d.id = w.id AND d.attempt > 0`)
	second := p.claimUpTo(dst, few)
	assert.Len(t, second.Rows, 1)
	assert.False(t, second.More, "two wait for their next time")
}

func TestTheSettingsOfABatchEndWithIt(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.record(webhook.OK, p.claim(p.driven(1))...)
	const own = `SELECT count(*) FROM pg_settings WHERE source = 'session' AND name IN ('enable_seqscan', 'plan_cache_mode', 'synchronous_commit')`
	for _, conn := range p.db.Pool.AcquireAllIdle(t.Context()) {
		var n int
		err := conn.QueryRow(t.Context(), own).Scan(&n)
		conn.Release()
		require.NoError(t, err)
		assert.Zero(t, n)
	}
}
