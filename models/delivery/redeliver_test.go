package delivery_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/modelstest"
)

func (p *post) redeliver(r execution.Redelivery) int {
	p.t.Helper()
	n, err := p.executions.Redeliver(p.t.Context(), sender, "exec_1", r)
	require.NoError(p.t, err)
	return n
}

// end records an outcome for everything that waits, as often as it takes.
func (p *post) end(dst string, class webhook.Class) {
	p.t.Helper()
	for {
		p.later()
		rows := p.claim(dst)
		if len(rows) == 0 {
			return
		}
		p.record(class, rows...)
	}
}

func TestRedeliver_1_ADeliveredEventIsSentAgainWithTheSameBytes(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(1)
	first := p.claim(dst)
	p.record(webhook.OK, first...)
	assert.Equal(t, 1, p.redeliver(execution.Redelivery{EventIDs: []string{"exec_1_1", "exec_1_1"}}))
	assert.Equal(t, []string{dst}, <-p.notified)
	second := p.claim(dst)
	require.Len(t, second, 1)
	assert.Equal(t, 1, second[0].Attempt, "numbers go on")
	before, err := first[0].Event.Body()
	require.NoError(t, err)
	after, err := second[0].Event.Body()
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
}

func TestRedeliver_2_TwoAtOnceMakeOneRound(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(50)
	p.end(dst, webhook.OK)
	errs := modelstest.AtOnce(8, func(int) error {
		_, err := p.executions.Redeliver(context.Background(), sender, "exec_1", execution.Redelivery{EventIDs: []string{"exec_1_7", "exec_1_3"}})
		return err
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	assert.ElementsMatch(t, []int64{3, 7}, seqsOf(p.claim(dst)))
	assert.Empty(t, p.claim(dst))
}

func TestRedeliverGivesTheFullSchedule(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(1)
	for range 4 {
		p.later()
		p.record(webhook.ServerError, p.claim(dst)...)
	}
	assert.Equal(t, 1, p.redeliver(execution.Redelivery{EventIDs: []string{"exec_1_1"}}), "a waiting row is made due now")
	rows := p.claim(dst)
	require.Len(t, rows, 1)
	assert.Equal(t, 1, p.redeliver(execution.Redelivery{EventIDs: []string{"exec_1_1"}}), "one under way is the first of its new round")
	assert.Empty(t, p.claim(dst), "it is not sent twice at once")
	p.record(webhook.ServerError, rows...)
	for range 5 {
		assert.Equal(t, delivery.Pending, p.all("exec_1")[0].Status)
		p.later()
		p.record(webhook.ServerError, p.claim(dst)...)
	}
	got := p.all("exec_1")[0]
	assert.Equal(t, delivery.Dead, got.Status)
	assert.Len(t, got.Attempts, 4+6)
}

func TestRedeliverOfAllThatEndedBadly(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(3)
	rows := p.claim(dst)
	p.record(webhook.RefusedByPolicy, rows[0])
	p.record(webhook.OK, rows[1])
	p.end(dst, webhook.ServerError)
	assert.Equal(t, 2, p.redeliver(execution.Redelivery{}), "the refused one and the dead one")
	p.end(dst, webhook.OK)
	assert.Zero(t, p.redeliver(execution.Redelivery{}))
}

func TestRedeliverMakesWhatTheReceiverDidNotWant(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(1)
	p.end(dst, webhook.OK)
	p.exec(`INSERT INTO events (workspace_id, execution_id, seq, id, type, internal, at) VALUES
		($1, 'exec_1', 2, 'evt_other', 'step.failed', false, now()), ($1, 'exec_1', 3, 'evt_internal', 'step.started', true, now())`, sender)
	assert.Equal(t, 1, p.redeliver(execution.Redelivery{EventIDs: []string{"evt_other"}}))
	assert.Equal(t, []int64{2}, seqsOf(p.claim(dst)))
	_, err := p.executions.Redeliver(t.Context(), sender, "exec_1", execution.Redelivery{EventIDs: []string{"evt_internal"}})
	assert.True(t, fault.Is(err, fault.StatusNotFound))
	_, err = p.executions.Redeliver(t.Context(), sender, "exec_1", execution.Redelivery{EventIDs: []string{"evt_other", "evt_unknown"}})
	assert.True(t, fault.Is(err, fault.StatusNotFound))
}

func TestRedeliverWithoutReceiver(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.execution(sender, "exec_1", 2)
	_, err := p.executions.Redeliver(t.Context(), sender, "exec_1", execution.Redelivery{})
	modelstest.RequireRefusal(t, err, fault.StatusFailedPrecondition, "no-receiver")
	_, err = p.executions.Redeliver(t.Context(), "ws_other", "exec_1", execution.Redelivery{})
	assert.True(t, fault.Is(err, fault.StatusNotFound))
	assert.Empty(t, p.all("exec_1"))
	fresh := execution.Receiver{URL: "https://new.test/x", Origin: "https://new.test:443", Secret: "another secret of 16"}
	assert.Equal(t, 2, p.redeliver(execution.Redelivery{EventIDs: []string{"exec_1_1", "exec_1_2"}, Receiver: &fresh}))
}

func TestANewReceiverTakesWhatWaits(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	old := p.driven(4)
	p.exec(`UPDATE executions SET receiver_event_types = '{step.failed}'`)
	rows := p.claim(old)
	require.Len(t, rows, 2)
	origin := otherSlot(t, p, old)
	fresh := execution.Receiver{URL: "https://new.test/x", Origin: origin, Secret: "another secret of 16"}
	assert.Zero(t, p.redeliver(execution.Redelivery{Receiver: &fresh}), "nothing was dead")
	to := (<-p.notified)[0]
	require.NotEqual(t, old, to)
	assert.Empty(t, p.claim(old))
	did := p.record(webhook.OK, rows[0])
	assert.Empty(t, did.Moved)
	did = p.record(webhook.Timeout, rows[1])
	assert.Equal(t, []string{to}, did.Moved, "the next attempt goes to the new receiver, which must be woken")
	p.lock(to)
	p.later()
	moved := p.claim(to)
	require.Len(t, moved, 2)
	assert.Equal(t, "https://new.test/x", moved[0].URL)
	assert.Equal(t, "another secret of 16", string(moved[0].Secret))
	var types []string
	require.NoError(t, p.db.Pool.QueryRow(t.Context(), `SELECT receiver_event_types FROM executions WHERE id = 'exec_1'`).Scan(&types))
	assert.Nil(t, types, "the filter of types has ended")
}

// otherSlot finds an origin of another destination.
func otherSlot(t *testing.T, p *post, dst string) string {
	t.Helper()
	p.execution(sender, "exec_probe", 0)
	for _, origin := range []string{"https://a.test:443", "https://b.test:443", "https://c.test:443", "https://d.test:443"} {
		if got, err := p.Enqueue(t.Context(), sender, "exec_probe", origin, nil); err == nil && got != dst {
			return origin
		}
	}
	t.Fatal("four origins share one destination")
	return ""
}

func TestPagesOfDeliveries(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(25)
	rows := p.claim(dst)
	p.record(webhook.OK, rows[0])
	var seqs []int64
	var after *int64
	for {
		page, err := p.Of(t.Context(), sender, "exec_1", delivery.Filter{}, after, 10)
		require.NoError(t, err)
		for _, d := range page.Items {
			seqs = append(seqs, d.Seq)
		}
		if after = page.Next; after == nil {
			break
		}
	}
	require.Len(t, seqs, 25)
	for i, seq := range seqs {
		assert.EqualValues(t, 25-i, seq)
	}
	pending, err := p.Of(t.Context(), sender, "exec_1", delivery.Filter{Status: "pending"}, nil, 500)
	require.NoError(t, err)
	require.Len(t, pending.Items, 24)
	underWay := pending.Items[23]
	assert.EqualValues(t, 2, underWay.Seq)
	assert.Equal(t, "pending", underWay.Status)
	assert.Nil(t, underWay.NextAttemptAt)
	require.Len(t, underWay.Attempts, 1)
	assert.Nil(t, underWay.Attempts[0].DurationMs)
	assert.NotNil(t, pending.Items[0].NextAttemptAt)
	done, err := p.Of(t.Context(), sender, "exec_1", delivery.Filter{Status: "delivered"}, nil, 500)
	require.NoError(t, err)
	require.Len(t, done.Items, 1)
	assert.Equal(t, 200, *done.Items[0].Attempts[0].HTTPStatus)
	assert.Nil(t, done.Items[0].Attempts[0].Error)
	assert.Equal(t, 12, *done.Items[0].Attempts[0].DurationMs)
	_, err = p.Of(t.Context(), "ws_other", "exec_1", delivery.Filter{}, nil, 10)
	assert.True(t, fault.Is(err, fault.StatusNotFound))
}

func TestAttemptsGoAfterTheirDays(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(3)
	p.end(dst, webhook.OK)
	p.exec(`UPDATE attempts SET started_at = started_at - interval '91 days' WHERE delivery_id IN (SELECT id FROM deliveries WHERE seq < 3)`)
	for _, want := range []int64{2, 0} {
		n, err := p.ExpireAttempts(t.Context(), 90, 1)
		require.NoError(t, err)
		assert.Equal(t, want, n)
	}
	all := p.all("exec_1")
	require.Len(t, all, 3)
	assert.Len(t, all[0].Attempts, 1)
	assert.Empty(t, all[2].Attempts, "the delivery stays")
	assert.Equal(t, 1, p.redeliver(execution.Redelivery{EventIDs: []string{"exec_1_1"}}))
	assert.Equal(t, 1, p.claim(dst)[0].Attempt, "and its numbers go on")
}
