package delivery_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
)

// resend queues a message for the endpoint again, as its operation does.
func (p *post) resend(messageID string) {
	p.t.Helper()
	require.NoError(p.t, p.Resend(p.t.Context(), sender, messageID, hook))
}

// A cancellation that is still going on covers what it found, and nothing that was
// queued again since; the next one covers that as well.
func TestWhatIsQueuedAgainOutlivesTheCancellation(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 4, "schedule")
	const ended, waiting = "msg_ep_hook_schedule_2", "msg_ep_hook_schedule_3"
	under := p.claimEndpoint(hook).Rows // two of them
	require.Len(t, under, 2)
	p.exec(`UPDATE deliveries SET state = 'dead', class = 'http-5xx' WHERE message_id = $1`, ended)
	p.exec(`DELETE FROM open_deliveries WHERE id = (SELECT id FROM deliveries WHERE message_id = $1)`, ended)
	require.NoError(t, p.CancelPending(t.Context(), sender, []string{hook}, webhook.EndpointDisabled))
	for _, messageID := range []string{under[1].Message.ID, ended, waiting} {
		p.resend(messageID)
	}
	p.record(webhook.ServerError, under...)
	p.endAll(hook)
	assert.Equal(t, map[string]int{"dead endpoint-disabled": 1, "pending http-5xx": 2, "pending": 1}, p.states(hook))
	assert.Zero(t, p.number(`SELECT count(*) FROM destinations WHERE cancel_id IS NOT NULL`), "the cancellation has ended")

	require.NoError(t, p.CancelPending(t.Context(), sender, []string{hook}, webhook.EndpointDisabled))
	p.endAll(hook)
	assert.Equal(t, map[string]int{"dead endpoint-disabled": 4}, p.states(hook))
}

// An operator's cancellation makes the attempt under way the last one, until the
// message is resent.
func TestAResendAfterAnOperatorsCancellation(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "schedule")
	under := p.claimEndpoint(hook).Rows
	_, err := p.CancelWaiting(t.Context(), sender, hook)
	require.NoError(t, err)
	p.resend(under[0].Message.ID)
	p.record(webhook.ServerError, under...)
	assert.Equal(t, map[string]int{"pending http-5xx": 1}, p.states(hook))
	p.later()
	p.record(webhook.OK, p.claimEndpoint(hook).Rows...)
	assert.Equal(t, map[string]int{"delivered ok": 1}, p.states(hook))
}

// What waits keeps its place in the schedule, and what is under way is not tried a
// second time beside it.
func TestAResendOfWhatIsOpenBeginsNothingAgain(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "schedule")
	under := p.claimEndpoint(hook).Rows
	p.resend(under[0].Message.ID)
	require.Empty(t, p.claimEndpoint(hook).Rows, "it is under way")
	p.record(webhook.ServerError, under...)
	require.Empty(t, p.claimEndpoint(hook).Rows, "it waits for its time")
	p.resend(under[0].Message.ID)
	rows := p.claimEndpoint(hook).Rows
	require.Len(t, rows, 1, "it is tried now")
	const second = 300.0
	p.retries(outcomes(webhook.ServerError, rows)[0], 0.8*second, 1.2*second)
}
