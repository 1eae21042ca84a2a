package delivery_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/workspace"
)

func (p *post) startsLate(row *delivery.Claimed) bool {
	p.t.Helper()
	granted, err := p.StartLate(p.t.Context(), row)
	require.NoError(p.t, err)
	return granted
}

func TestWhatWasClaimedForADeletedEndpointIsNotStartedLater(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 2, "schedule")
	rows := p.claimEndpoint(hook).Rows
	require.Len(t, rows, 2)
	p.exec(`UPDATE deliveries SET begun_at = begun_at - interval '1 hour'`)
	require.True(t, p.startsLate(rows[0]))
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM deliveries WHERE begun_at > clock_timestamp() - interval '30 minutes'`), "begun again")
	p.delete(hook)
	assert.False(t, p.startsLate(rows[0]))
	assert.False(t, p.startsLate(rows[1]))
	p.record(webhook.Interrupted, rows...)
	p.endAll(hook)
	assert.Equal(t, map[string]int{"dead endpoint-deleted": 2}, p.states(hook))
}

func TestARowClaimedAgainIsStartedByNobodyElse(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "test")
	first := p.claimEndpoint(hook).Rows
	require.Len(t, first, 1)
	p.later()
	require.Equal(t, 1, p.expire(hook))
	second := p.claimEndpoint(hook).Rows
	require.Len(t, second, 1)
	assert.False(t, p.startsLate(first[0]))
	assert.True(t, p.startsLate(second[0]))
	p.record(webhook.OK, second...)
	assert.False(t, p.startsLate(second[0]), "it has ended")
}

func TestWhoClosesAnEndpointWaitsForWhatStarts(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "schedule")
	require.NoError(t, p.AwaitStarts(t.Context(), hook), "nothing was claimed")
	rows := p.claimEndpoint(hook).Rows
	p.exec(`UPDATE deliveries SET begun_at = clock_timestamp() + interval '1 hour'`)
	gone, leave := context.WithCancel(t.Context())
	leave()
	require.Error(t, p.AwaitStarts(gone, hook), "it may still start")
	closed := make(chan error, 1)
	go func() { closed <- p.AwaitStarts(t.Context(), hook) }()
	p.record(webhook.OK, rows...)
	require.NoError(t, <-closed, "it has ended")
}

func TestWhoClosesAnEndpointDoesNotWaitForItsAnswers(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "schedule")
	require.Len(t, p.claimEndpoint(hook).Rows, 1)
	require.NoError(t, p.AwaitStarts(t.Context(), hook))
	ms := delivery.StartWithin.Milliseconds()
	assert.Zero(t, p.number(`SELECT count(*) FROM deliveries WHERE begun_at + $1 * interval '1 millisecond' > clock_timestamp()`, ms))
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM deliveries JOIN open_deliveries USING (id) WHERE state = 'sending' AND locked_until > begun_at + $1::interval`, 10*time.Second))
}

func TestAMailClaimedBeforeMailsWereSwitchedOffIsNotStartedLater(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.mail("eml_1")
	p.lock(dst)
	rows := p.claimMails(dst)
	require.Len(t, rows, 1)
	require.NoError(t, p.switchMails(t.Context(), true))
	require.True(t, p.startsLate(rows[0]))
	p.exec(`UPDATE deliveries SET begun_at = begun_at - interval '1 hour'`)
	require.NoError(t, p.switchMails(t.Context(), false))
	assert.False(t, p.startsLate(rows[0]))
	p.record(webhook.Interrupted, rows...)
	p.endAll(dst)
	assert.Equal(t, map[string]int{"dead mails-disabled": 1}, p.states(dst))
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM mails WHERE result = 'disabled' AND subject IS NULL`))
}

func TestWhoSwitchesMailsOffWaitsForWhatStarts(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.mail("eml_1")
	p.lock(dst)
	require.Len(t, p.claimMails(dst), 1)
	require.NoError(t, p.switchMails(t.Context(), true))
	p.exec(`UPDATE deliveries SET begun_at = clock_timestamp() + interval '1 hour'`)
	gone, leave := context.WithCancel(t.Context())
	hints := notifier.New(p.db)
	hints.On(notifier.Destinations, func([]string) { leave() }) // called after the commit
	require.Error(t, p.switchMails(gone, false), "it may still start")
	assert.Zero(t, p.number(`SELECT count(*) FROM email_settings WHERE enabled`))
}

// switchMails switches the mails of the workspace on or off.
func (p *post) switchMails(ctx context.Context, on bool) error {
	settings := mail.NewSettingsStore(p.db, modelstest.NewBox(p.t), nil, true)
	_, err := settings.Update(ctx, sender, workspace.Caller{WorkspaceID: sender, Operation: "/v2/workspace/emailconfig/update"}, mail.SettingsChange{Enabled: &on})
	return err
}
