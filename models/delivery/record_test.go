package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

func TestTheScheduleOfReceivers(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(1)
	for attempt, delay := range []float64{2, 8, 32, 128, 512} {
		rows := p.claim(dst)
		require.Len(t, rows, 1)
		assert.Equal(t, attempt, rows[0].Attempt)
		p.retries(outcomes(webhook.ServerError, rows)[0], delay, delay)
		assert.Empty(t, p.claim(dst), "not before its time")
		p.later()
	}
	p.record(webhook.ServerError, p.claim(dst)...)
	got := p.all("exec_1")[0]
	assert.Equal(t, delivery.Dead, got.Status)
	assert.Len(t, got.Attempts, 6)
	assert.Nil(t, got.NextAttemptAt)
	next, err := p.NextDue(t.Context(), dst)
	require.NoError(t, err)
	assert.Nil(t, next)
}

func TestRefusalIsFinal(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(1)
	p.record(webhook.RefusedByPolicy, p.claim(dst)...)
	got := p.all("exec_1")[0]
	assert.Equal(t, delivery.Refused, got.Status)
	assert.Equal(t, "refused-by-policy", *got.Attempts[0].Error)
	assert.Nil(t, got.Attempts[0].HTTPStatus)
	p.later()
	assert.Empty(t, p.claim(dst))
}

func TestAnExpiredLockIsInterruptedAndClaimedAgain(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(2)
	first := p.claim(dst)
	require.Len(t, first, 2)
	require.Zero(t, p.expire(dst), "the lock lasts")
	p.later()
	require.Equal(t, 2, p.expire(dst))
	second := p.claim(dst)
	require.Equal(t, seqsOf(first), seqsOf(second))
	assert.Equal(t, 1, second[0].Attempt)
	assert.Zero(t, p.record(webhook.OK, first...).Kept, "outcomes of rows claimed again are dropped")
	assert.Equal(t, 2, p.record(webhook.ServerError, second...).Kept)
	assert.Zero(t, p.record(webhook.OK, second...).Kept, "an outcome counts once")
	got := p.all("exec_1")[1]
	require.Len(t, got.Attempts, 2)
	assert.Equal(t, "interrupted", *got.Attempts[0].Error)
	assert.Nil(t, got.Attempts[0].DurationMs)
	assert.Equal(t, "http-5xx", *got.Attempts[1].Error)
	assert.Equal(t, 2, p.number(`SELECT count(*) FROM deliveries WHERE round = 1`), "the interrupted attempt used up no step")
}

func TestLocksAreCountedWithDueRows(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(2)
	p.claim(dst)
	assert.Equal(t, 2, p.number(`SELECT count(*) FROM deliveries JOIN open_deliveries USING (id) WHERE locked_until = begun_at + interval '20 seconds'`))
	next, err := p.NextDue(t.Context(), dst)
	require.NoError(t, err)
	require.NotNil(t, next)
	p.later()
	next, err = p.NextDue(t.Context(), dst)
	require.NoError(t, err)
	assert.Zero(t, *next, "the locks have ended")
}

func TestAnAttemptNotMadeIsGivenBack(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(1)
	p.record(webhook.Interrupted, p.claim(dst)...)
	rows := p.claim(dst)
	require.Len(t, rows, 1, "due at once")
	assert.Equal(t, 1, rows[0].Attempt)
}
