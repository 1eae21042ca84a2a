package delivery

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

func TestALostLockEndsTheClaims(t *testing.T) {
	t.Parallel()
	o := &outbox{}
	d := newActivities(t, o, 10, fine)
	run := &dispatcher{Activities: d, to: dispatched(contract.KindReceiver), owner: "old", ends: time.Now().Add(lingers), notified: poll.NewSignal()}
	o.owner = "new"
	o.add(event(1, "exec_1"))
	claimed, _, err := run.claimOnce(t.Context())
	require.NoError(t, err)
	assert.Zero(t, claimed)
	assert.True(t, run.over(), "the lock was not its own any more")
}

func TestAClaimThatFailsIsTemporalsToRepeat(t *testing.T) {
	t.Parallel()
	o := &outbox{due: events(1, "exec_1"), claimErr: fault.Unavailable(errors.New("the database is away"))}
	d := newActivities(t, o, 10, fine)
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.RegisterActivityWithOptions(d.Dispatch, activity.RegisterOptions{Name: contract.ActivityDispatch})
	_, err := env.ExecuteActivity(contract.ActivityDispatch, target)
	require.Error(t, err)
	assert.True(t, o.released)
	assert.EqualValues(t, 10, d.slots.Free(), "all slots are back")
}

func TestTooLateInTheLockIsNotSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &outbox{}
		var sent atomic.Int32
		d := newActivities(t, o, 10, func(context.Context, guard.Request) (*guard.Response, error) {
			sent.Add(1)
			return &guard.Response{Status: http.StatusOK}, nil
		})
		d.slots.Take(target.WorkspaceID, 2)
		stale := event(1, "exec_1")
		d.start([]*delivery.Claimed{stale}, time.Now().Add(-stale.FreshFor()))
		held := event(2, "exec_2")
		_, _ = d.order.join("exec_2") // the one before never leaves
		d.start([]*delivery.Claimed{held}, time.Now().Add(50*time.Millisecond-held.FreshFor()))
		d.Wait(t.Context())
		assert.Zero(t, sent.Load())
		require.Len(t, o.outcomes(), 2)
		for _, got := range o.outcomes() {
			assert.Equal(t, webhook.Interrupted, got.Class)
		}
	})
}

func TestWithoutItsSecretNothingIsSent(t *testing.T) {
	t.Parallel()
	o := &outbox{}
	d := newActivities(t, o, 1, fine)
	d.slots.Take(target.WorkspaceID, 1)
	blind := event(1, "exec_1")
	blind.Secret = nil
	d.start([]*delivery.Claimed{blind}, time.Now())
	d.Wait(t.Context())
	assert.Empty(t, o.outcomes())
	assert.Equal(t, 1, d.slots.Take("ws_x", 1))
}

func TestOutcomeClasses(t *testing.T) {
	t.Parallel()
	late := &guard.Error{Class: guard.ClassTimeout}
	broken := &guard.Error{Class: guard.ClassUnreachable}
	for _, c := range []struct {
		answer *guard.Response
		err    error
		class  webhook.Class
		status int
	}{
		{&guard.Response{Status: 204}, nil, webhook.OK, 204},
		{&guard.Response{Status: 302}, nil, webhook.Redirect, 302},
		{&guard.Response{Status: 410}, nil, webhook.ClientError, 410},
		{&guard.Response{Status: 200, BodyErr: late}, nil, webhook.Timeout, 0},
		{&guard.Response{Status: 200, BodyErr: broken}, nil, webhook.OK, 200},
		{nil, late, webhook.Timeout, 0},
		{nil, broken, webhook.Unreachable, 0},
		{nil, &guard.Error{Class: guard.ClassRefused}, webhook.RefusedByPolicy, 0},
		{nil, &guard.Error{Class: guard.ClassDNS}, webhook.DNS, 0},
		{nil, &guard.Error{Class: guard.ClassTLS}, webhook.TLS, 0},
	} {
		class, status := classOf(c.answer, c.err)
		assert.Equal(t, c.class, class)
		assert.Equal(t, c.status, status)
	}
}

func TestStandingBecomesTimerAndText(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	assert.Equal(t, contract.DispatchResult{Details: "rows waiting: 0"}, resultOf(delivery.DestinationState{At: now}, failing{}, 0))
	next, since := 1500*time.Microsecond, now.Add(-time.Hour)
	got := resultOf(delivery.DestinationState{At: now, Next: &next, Waiting: 7}, failing{since: since, lastClass: "timeout"}, 0)
	assert.EqualValues(t, 2, *got.NextIn, "rounded up: a moment early would find nothing")
	assert.Equal(t, "rows waiting: 7\n\nlast class: timeout\n\nfailing since: 2026-01-02T02:04:05Z\n\nnext: 2026-01-02T03:04:05Z", got.Details)
	idle := resultOf(delivery.DestinationState{At: now, Next: &next, Waiting: delivery.WaitingShown}, failing{}, emptyPause)
	assert.Equal(t, emptyPause.Milliseconds(), *idle.NextIn, "nothing could be claimed: no hurry")
	assert.Contains(t, idle.Details, "10000 or more")
}
