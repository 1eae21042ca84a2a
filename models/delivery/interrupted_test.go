package delivery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

// interrupted claims the one row that is due and lets its lock run out, as happens
// when the process dies during the attempt.
func (p *post) interrupted(dst string) {
	p.t.Helper()
	require.Len(p.t, p.claim(dst), 1)
	p.exec(`UPDATE open_deliveries SET locked_until = clock_timestamp() WHERE locked_until > '-infinity'`)
	require.Equal(p.t, 1, p.expire(dst))
}

// waits returns for how long the one open row waits, as its last outcome left it.
func (p *post) waits() time.Duration {
	return p.instant(`SELECT due_at FROM open_deliveries`).Sub(p.instant(`SELECT clock_timestamp()`))
}

func TestTheThirdInterruptionInARowFollowsTheSchedule(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "schedule")
	for range 2 {
		p.interrupted(hook)
		require.LessOrEqual(t, p.waits(), time.Duration(0), "again at once")
	}
	assert.Zero(t, p.number(`SELECT round FROM deliveries`), "no step of the schedule is used up")
	p.interrupted(hook)
	assert.Equal(t, 1, p.number(`SELECT round FROM deliveries`))
	assert.Greater(t, p.waits(), 3*time.Second, "the first pause of the schedule")
	assert.Zero(t, p.number(`SELECT failures FROM endpoints`), "it says nothing about the endpoint")
	all := p.attempts(hook)
	require.Len(t, all, 3)
	assert.NotNil(t, all[2].next)
	for _, a := range all {
		assert.Equal(t, "interrupted", a.class)
	}

	p.later()
	p.record(webhook.ServerError, p.claimEndpoint(hook).Rows...)
	p.later()
	for range 2 {
		p.interrupted(hook)
		require.LessOrEqual(t, p.waits(), time.Duration(0), "another outcome begins the count again")
	}
}

func TestADeliveryThatIsAlwaysInterruptedFails(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.endpoint(otherHook, nil)
	p.enqueue(hook, 1, "schedule")
	const twiceAtOnce, schedule = 2, 8
	for range twiceAtOnce + schedule {
		p.interrupted(hook)
		p.later()
	}
	assert.Equal(t, map[string]int{"dead interrupted": 1}, p.states(hook))
	assert.Zero(t, p.number(`SELECT count(*) FROM open_deliveries WHERE destination_id = $1`, hook))
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM messages WHERE event = 'message.attempt.exhausted'`))
}

func TestAReceiversDeliveryThatIsAlwaysInterruptedFails(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(1)
	const twiceAtOnce, schedule = 2, 6
	for range twiceAtOnce + schedule {
		p.interrupted(dst)
		p.later()
	}
	got := p.all("exec_1")[0]
	assert.Equal(t, delivery.Dead, got.Status)
	assert.Len(t, got.Attempts, twiceAtOnce+schedule)
}

func TestATestThatIsInterruptedThreeTimesEnds(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "test")
	for range 3 {
		p.interrupted(hook)
	}
	assert.Equal(t, map[string]int{"dead interrupted": 1}, p.states(hook))
}
