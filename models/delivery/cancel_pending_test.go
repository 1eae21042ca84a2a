package delivery_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/workspace"
)

// endAll ends what is cancelled, as a dispatcher does.
func (p *post) endAll(endpointID string) {
	p.t.Helper()
	for more := true; more; {
		var err error
		more, err = p.EndCancelled(p.t.Context(), endpointID)
		require.NoError(p.t, err)
	}
}

// delete closes an endpoint as the operation does.
func (p *post) delete(endpointID string) {
	p.exec(`UPDATE endpoints SET deleted_at = clock_timestamp() WHERE id = $1`, endpointID)
	require.NoError(p.t, p.CancelPending(p.t.Context(), sender, []string{endpointID}, webhook.EndpointDeleted))
}

func TestNothingOfADeletedEndpointIsClaimed(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 2500, "schedule")
	p.enqueue(hook, 1, "test")
	under := p.claimEndpoint(hook).Rows
	require.Len(t, under, 2)
	p.delete(hook)
	p.exec(`UPDATE open_deliveries SET due_at = due_at + interval '1 hour' WHERE locked_until = '-infinity'`)
	next, err := p.NextDue(t.Context(), hook)
	require.NoError(t, err)
	assert.Zero(t, *next, "its rows are to be ended now, whenever they are due")
	require.NoError(t, p.UnlockDestination(t.Context(), sender, hook, owner, false))
	wanting, err := p.ClaimDue(t.Context(), []string{hook})
	require.NoError(t, err)
	require.Len(t, wanting, 1)
	assert.Equal(t, "webhook/"+hook, wanting[0].WorkflowID())
	p.lock(hook)
	claimed := p.claimEndpoint(hook)
	assert.Empty(t, claimed.Rows)
	assert.True(t, claimed.Cancelled)
	p.endAll(hook)
	assert.Equal(t, map[string]int{"dead endpoint-deleted": 2499, "sending": 2}, p.states(hook))
	p.record(webhook.ServerError, under[0])
	p.record(webhook.OK, under[1])
	assert.True(t, p.claimEndpoint(hook).Cancelled, "what was under way and failed ends as well")
	p.endAll(hook)
	assert.Equal(t, map[string]int{"dead endpoint-deleted": 2500, "delivered ok": 1}, p.states(hook))
	assert.Zero(t, p.number(`SELECT count(*) FROM messages WHERE event = 'message.attempt.exhausted'`))
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM destinations WHERE cancel_id IS NULL`))
	assert.Len(t, p.attempts(hook), 2, "past attempts stay")
}

func TestACommitBesideTheDeletionIsNotSent(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "schedule")
	p.delete(hook)
	p.message("msg_late", "comment.add", "schedule", hook)
	claimed := p.claimEndpoint(hook)
	assert.Empty(t, claimed.Rows)
	assert.True(t, claimed.Cancelled)
	p.endAll(hook)
	assert.Equal(t, map[string]int{"dead endpoint-deleted": 2}, p.states(hook))
}

func TestADisabledEndpointMayStillBeTested(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 3, "schedule")
	p.enqueue(hook, 1, "test")
	p.exec(`UPDATE endpoints SET disabled = true`)
	require.NoError(t, p.CancelPending(t.Context(), sender, []string{hook}, webhook.EndpointDisabled))
	p.endAll(hook)
	assert.Equal(t, map[string]int{"dead endpoint-disabled": 3, "pending": 1}, p.states(hook))
	rows := p.claimEndpoint(hook).Rows
	require.Len(t, rows, 1)
	assert.True(t, rows[0].Message.Test)
}

func TestWhatWaitedBeforeTheDisablingIsNotSentAfterTheEnabling(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 3, "schedule")
	p.exec(`UPDATE endpoints SET disabled = true`)
	require.NoError(t, p.CancelPending(t.Context(), sender, []string{hook}, webhook.EndpointDisabled))
	p.exec(`UPDATE endpoints SET disabled = false`)
	p.message("msg_after", "comment.add", "schedule", hook)
	claimed := p.claimEndpoint(hook)
	require.Len(t, claimed.Rows, 1)
	assert.Equal(t, "msg_after", claimed.Rows[0].Message.ID)
	assert.True(t, claimed.Cancelled)
	p.endAll(hook)
	assert.Equal(t, map[string]int{"dead endpoint-disabled": 3, "sending": 1}, p.states(hook))
}

func TestWebhooksSwitchedOffEndWhatWaits(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 2, "schedule")
	p.exec(`UPDATE webhook_settings SET enabled = false`)
	claimed := p.claimEndpoint(hook)
	assert.Empty(t, claimed.Rows)
	assert.True(t, claimed.Cancelled)
	p.endAll(hook)
	assert.Equal(t, map[string]int{"dead webhooks-disabled": 2}, p.states(hook))
}

// failed makes an endpoint that has failed for so long, so often, the last time
// so long ago.
func (p *post) failed(since string, failures int, last string) {
	p.exec(`UPDATE endpoints SET failing_since = clock_timestamp() - $2::interval, failures = $3, last_attempt_at = clock_timestamp() - $4::interval WHERE id = $1`,
		hook, since, failures, last)
}

func TestAnEndpointThatFailsForDaysIsDisabled(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		since    string
		failures int
		last     string
		class    webhook.Class
		disabled bool
	}{
		"for five days, ten times":          {"120 hours", 9, "10 hours", webhook.ServerError, true},
		"not yet for five days":             {"119 hours", 50, "10 hours", webhook.ServerError, false},
		"for five days, nine times":         {"300 hours", 8, "10 hours", webhook.Timeout, false},
		"a pause of more than two days":     {"300 hours", 50, "49 hours", webhook.ServerError, false},
		"gone, the first time":              {"0 hours", 0, "0 hours", webhook.Gone, true},
		"refused by policy counts":          {"120 hours", 9, "10 hours", webhook.RefusedByPolicy, true},
		"interrupted does not":              {"300 hours", 50, "10 hours", webhook.Interrupted, false},
		"a success after all starts afresh": {"300 hours", 50, "10 hours", webhook.OK, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPost(t)
			p.endpoint(hook, nil)
			p.endpoint(otherHook, nil)
			p.enqueue(hook, 5, "schedule")
			p.failed(c.since, c.failures, c.last)
			did := p.record(c.class, p.claimEndpoint(hook).Rows[:1]...)
			published := p.number(`SELECT count(*) FROM deliveries d JOIN messages m ON m.id = d.message_id WHERE m.event = 'endpoint.disabled' AND d.destination_id = $1`, otherHook)
			off := p.number(`SELECT count(*) FROM endpoints WHERE disabled AND id = $1`, hook)
			if !c.disabled {
				assert.Empty(t, did.Disabled)
				assert.Zero(t, published+off)
				return
			}
			assert.Len(t, did.Disabled, 1)
			assert.Equal(t, 1, published)
			assert.Equal(t, 1, off)
			p.endAll(hook)
			assert.GreaterOrEqual(t, p.states(hook)["dead endpoint-disabled"], 3)
			assert.LessOrEqual(t, p.number(`SELECT count(*) FROM messages WHERE event = 'message.attempt.exhausted'`), 1)
		})
	}
}

func TestOneSuccessRestartsTheClockOfFailures(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 4, "schedule")
	p.failed("300 hours", 50, "10 hours")
	rows := p.claimEndpoint(hook).Rows
	p.record(webhook.OK, rows[0])
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM endpoints WHERE failing_since IS NULL AND failures = 0`))
	p.record(webhook.ServerError, rows[1])
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM endpoints WHERE failing_since > clock_timestamp() - interval '1 hour' AND failures = 1 AND NOT disabled`))
}

func TestTwoProcessesDisableOnce(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.endpoint(otherHook, nil)
	p.enqueue(hook, 50, "schedule")
	p.failed("120 hours", 9, "10 hours")
	rows := p.claimUpTo(hook, 50).Rows
	require.Len(t, rows, 50)
	var reasons []string
	var failed error
	var mu sync.Mutex
	var both sync.WaitGroup
	for i := range rows {
		both.Go(func() {
			did, err := p.Record(t.Context(), outcomes(webhook.Gone, rows[i:i+1]))
			mu.Lock()
			defer mu.Unlock()
			reasons, failed = append(reasons, did.Disabled...), errors.Join(failed, err)
		})
	}
	both.Wait()
	require.NoError(t, failed)
	assert.Len(t, reasons, 1)
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM messages WHERE event = 'endpoint.disabled'`))
	assert.Equal(t, 50, p.number(`SELECT count(*) FROM messages WHERE event = 'message.attempt.exhausted'`))
}

func TestReEnablingStartsFromZero(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.failed("200 hours", 50, "10 hours") // the next failure would disable it
	endpoints := delivery.NewEndpoints(p.db, nil, 0)
	for _, disabled := range []bool{true, false} {
		_, err := endpoints.Update(t.Context(), sender, workspace.Caller{WorkspaceID: sender, Operation: "test"}, hook, delivery.EndpointChange{Disabled: &disabled})
		require.NoError(t, err)
	}
	p.enqueue(hook, 2, "schedule")
	begun := p.instant(`SELECT clock_timestamp()`)
	p.record(webhook.ServerError, p.claimEndpoint(hook).Rows...)
	since := p.instant(`SELECT failing_since FROM endpoints WHERE failures = 2 AND NOT disabled`)
	assert.WithinRange(t, since, begun, p.instant(`SELECT clock_timestamp()`))
}

// What an operator cancels ends in batches: a row that somebody holds keeps none of the
// others waiting, and the outcomes of other destinations are stored meanwhile.
func TestWhatAnOperatorCancelsEndsInBatches(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 2500, "schedule")
	held, err := p.db.Pool.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = held.Rollback(t.Context()) }()
	_, err = held.Exec(t.Context(), `SELECT id FROM open_deliveries ORDER BY id LIMIT 1 FOR UPDATE`)
	require.NoError(t, err)
	ended, err := p.CancelWaiting(t.Context(), sender, hook)
	require.NoError(t, err)
	assert.Equal(t, 2499, ended)
	require.NoError(t, held.Rollback(t.Context()))
	p.lock(hook)
	claimed := p.claimEndpoint(hook)
	assert.Empty(t, claimed.Rows, "what was held is not sent either")
	assert.True(t, claimed.Cancelled)
	p.endAll(hook)
	assert.Equal(t, map[string]int{"dead cancelled-by-operator": 2500}, p.states(hook))
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM destinations WHERE cancel_id IS NULL`), "what comes or is asked for again is sent")
	assert.Zero(t, p.number(`SELECT count(*) FROM messages WHERE event = 'message.attempt.exhausted'`))
}
