package delivery_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/modelstest"
)

// origins gives a destination one due row for each of n origins, which begin with
// the prefix.
func (p *post) origins(dst, prefix string, n int) {
	p.t.Helper()
	p.exec(`WITH e AS (
		INSERT INTO events (workspace_id, execution_id, seq, id, type, internal, status, at, data)
		SELECT $1, 'exec_1', 100 + (SELECT max(seq) FROM events) + n, $2 || n, 'step.completed', false, 'completed', now(), '{}'
		FROM generate_series(1, $3::integer) n RETURNING seq, id
	), d AS (
		INSERT INTO deliveries (workspace_id, destination_id, execution_id, seq) SELECT $1, $4, 'exec_1', seq FROM e RETURNING id, seq
	)
	INSERT INTO open_deliveries (id, destination_id, origin, due_at)
	SELECT d.id, $4, 'https://' || e.id, clock_timestamp() FROM d JOIN e USING (seq)`, sender, prefix, n, dst)
}

// destinations makes n endpoints' destinations, ep_1 and on, with a due row each.
func (p *post) destinations(n int) {
	p.t.Helper()
	p.exec(`INSERT INTO destinations (id, workspace_id, kind) SELECT 'ep_' || n, $1, 'endpoint' FROM generate_series(1, $2::integer) n`, sender, n)
	p.exec(`WITH m AS (INSERT INTO messages (id, workspace_id, sequence, event, tags, created_at)
			SELECT 'msg_' || n, $1, n, 'comment.add', '{}', now() FROM generate_series(1, $2::integer) n RETURNING id, sequence),
		d AS (INSERT INTO deliveries (workspace_id, destination_id, message_id) SELECT $1, 'ep_' || sequence, id FROM m RETURNING id, destination_id)
		INSERT INTO open_deliveries (id, destination_id, origin, due_at) SELECT id, destination_id, '', clock_timestamp() FROM d`, sender, n)
}

// claimEach claims a row of each of the next origins of a destination.
func (p *post) claimEach(dst, after string, origins int) []*delivery.Claimed {
	p.t.Helper()
	due, err := p.DueOrigins(p.t.Context(), dst, after, origins)
	require.NoError(p.t, err)
	shares := make([]int, len(due))
	for i := range due {
		shares[i] = 1
	}
	claimed, err := p.Claim(p.t.Context(), p.to(dst), owner, delivery.ClaimLimits{Rows: origins, Origins: due, Shares: shares})
	require.NoError(p.t, err)
	require.Len(p.t, claimed.Rows, len(due))
	return claimed.Rows
}

func TestManyOriginsAreClaimedInTurn(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(1)
	p.origins(dst, "origin-", 249)
	seen, after := map[string]bool{}, ""
	for left := 250; left > 0; {
		rows := p.claimEach(dst, after, 100)
		require.Len(t, rows, min(left, 100))
		left -= len(rows)
		for _, row := range rows {
			require.False(t, seen[row.Origin], "each origin has its turn")
			seen[row.Origin] = true
			after = max(after, row.Origin)
		}
	}
	assert.Empty(t, p.claimEach(dst, "", 100), "all of them are under way")
}

func TestOriginsAreDueWithTheirRows(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(1)
	p.record(webhook.OK, p.claim(dst)...)
	p.origins(dst, "a-later-", 1500)
	p.exec(`UPDATE open_deliveries SET due_at = due_at + interval '1 hour'`)
	p.origins(dst, "b-well-", 3)
	due, err := p.DueOrigins(t.Context(), dst, "", 100)
	require.NoError(t, err)
	assert.Equal(t, []string{"https://b-well-1", "https://b-well-2", "https://b-well-3"}, due)
	due, err = p.DueOrigins(t.Context(), dst, "https://b-well-1", 1)
	require.NoError(t, err)
	assert.Equal(t, []string{"https://b-well-2"}, due)
	p.claim(dst)
	due, err = p.DueOrigins(t.Context(), dst, "", 100)
	require.NoError(t, err)
	assert.Empty(t, due)
	next, err := p.NextDue(t.Context(), dst)
	require.NoError(t, err)
	assert.Positive(t, *next, "what is due is under way")
}

func TestOfManyWorkersOneStartsADestination(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.destinations(50)
	all := make([]string, 50)
	for i := range all {
		all[i] = fmt.Sprintf("ep_%d", i+1)
	}
	var woken atomic.Int64
	for _, err := range modelstest.AtOnce(5, func(i int) error {
		ask := func() (found int, err error) {
			if i%2 == 0 {
				inputs, err := p.ClaimDue(context.Background(), all)
				return len(inputs), err
			}
			inputs, _, err := p.ClaimNextDue(context.Background(), "", 50)
			return len(inputs), err
		}
		found, err := ask()
		woken.Add(int64(found))
		return err
	}) {
		require.NoError(t, err)
	}
	assert.EqualValues(t, 50, woken.Load(), "each is woken once")
}

// What changes at an attempt is in small rows: of the wide ones no index is written.
func TestMostAttemptsWriteNoIndexOfDeliveries(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(20)
	for range 3 {
		p.record(webhook.ServerError, p.claim(dst)...)
		p.later()
	}
	for p.number(`SELECT count(*) FROM open_deliveries`) > 0 {
		p.record(webhook.OK, p.claim(dst)...)
		p.later()
	}
	for _, conn := range p.db.Pool.AcquireAllIdle(t.Context()) { // each counts for itself until told to say so
		_, err := conn.Exec(t.Context(), `SELECT pg_stat_force_next_flush()`)
		require.NoError(t, err)
		conn.Release()
	}
	all := p.number(`SELECT n_tup_upd FROM pg_stat_user_tables WHERE relname = 'deliveries'`)
	hot := p.number(`SELECT n_tup_hot_upd FROM pg_stat_user_tables WHERE relname = 'deliveries'`)
	require.Positive(t, all)
	assert.Greater(t, hot, all/2, "the others found their page full before it was tidied up")
}
