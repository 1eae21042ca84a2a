package delivery_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

// starts returns the times at which attempts of an endpoint began, in seconds.
func (p *post) starts(endpointID string) []float64 {
	rows, err := p.db.Pool.Query(p.t.Context(), `SELECT extract(epoch FROM begun_at)::float8 FROM deliveries
		WHERE destination_id = $1 AND begun_at IS NOT NULL ORDER BY begun_at`, endpointID)
	require.NoError(p.t, err)
	defer rows.Close()
	var all []float64
	for rows.Next() {
		var at float64
		require.NoError(p.t, rows.Scan(&at))
		all = append(all, at)
	}
	return all
}

// busiest is the greatest number of attempts that began in any second.
func busiest(starts []float64) int {
	most := 0
	for i := range starts {
		n := 0
		for _, at := range starts[i:] {
			if at < starts[i]+1 {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func TestARateLimitHoldsWhoeverClaims(t *testing.T) {
	t.Parallel()
	for name, rate := range map[string]int{"one": 1, "twenty": 20, "hundred": 100} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPost(t)
			p.endpoint(hook, &rate)
			p.enqueue(hook, 400, "schedule")
			p.claimByTwo(hook, 2*rate+1)
			assert.LessOrEqual(t, busiest(p.starts(hook)), rate+rate/20)
		})
	}
}

func TestAWorkspaceSendsTenMailsASecondWhoeverClaims(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	var dst string
	for i := range 30 {
		dst = p.mail(fmt.Sprintf("eml_%d", i))
	}
	p.claimByTwo(dst, 21)
	assert.LessOrEqual(t, busiest(p.starts(dst)), 10)
}

// claimByTwo lets two processes claim rows of a destination, each locking it
// over and over, until they have claimed so many rows.
func (p *post) claimByTwo(dst string, rows int) {
	var both sync.WaitGroup
	var claimed atomic.Int64
	failed := make(chan error, 2)
	for _, name := range []string{"one", "two"} {
		both.Go(func() {
			var err error
			for err == nil && claimed.Load() < int64(rows) {
				var n int
				n, err = p.claimAs(name, dst)
				claimed.Add(int64(n))
			}
			failed <- err
		})
	}
	both.Wait()
	require.NoError(p.t, errors.Join(<-failed, <-failed))
}

func (p *post) claimAs(name, dst string) (int, error) {
	to, err := p.LockDestination(p.t.Context(), sender, dst, name)
	if err != nil {
		return 0, err
	}
	claimed, err := p.Claim(p.t.Context(), to, name, delivery.ClaimLimits{Rows: 100})
	if err != nil {
		return 0, err
	}
	_, err = p.Record(p.t.Context(), outcomes(webhook.OK, claimed.Rows))
	return len(claimed.Rows), err
}

// instant reads one time.
func (p *post) instant(sql string, args ...any) time.Time {
	p.t.Helper()
	var at time.Time
	require.NoError(p.t, p.db.Pool.QueryRow(p.t.Context(), sql, args...).Scan(&at))
	return at
}

// retries stores an outcome, which has its row tried again after so many seconds
// from then on, and leaves the row an hour from being due.
func (p *post) retries(o delivery.Outcome, least, most float64) {
	p.t.Helper()
	since := p.instant(`SELECT clock_timestamp()`)
	_, err := p.Record(p.t.Context(), []delivery.Outcome{o})
	require.NoError(p.t, err)
	until := p.instant(`SELECT clock_timestamp()`)
	due := p.instant(`SELECT due_at FROM open_deliveries WHERE id = $1`, o.Claimed.ID)
	assert.WithinRange(p.t, due, since.Add(seconds(least)), until.Add(seconds(most)))
	p.exec(`UPDATE open_deliveries SET due_at = due_at + interval '1 hour' WHERE id = $1`, o.Claimed.ID)
	next, err := p.NextDue(p.t.Context(), o.Claimed.DestinationID)
	require.NoError(p.t, err)
	asked := due.Add(time.Hour - next.Round(time.Microsecond))
	assert.WithinRange(p.t, asked, until, p.instant(`SELECT clock_timestamp()`), "it is known how long that is")
}

func seconds(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }

func TestAPacedEndpointSaysWhenItGoesOn(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	rate := 1
	p.endpoint(hook, &rate)
	p.enqueue(hook, 3, "schedule")
	claimed := p.claimEndpoint(hook)
	require.Len(t, claimed.Rows, 1)
	assert.True(t, claimed.More)
	const pace = 1050 * time.Millisecond // a little longer than the limit asks
	assert.LessOrEqual(t, claimed.Again, pace)
	paced := p.instant(`SELECT paced_until FROM destinations`)
	assert.Equal(t, pace, paced.Sub(p.instant(`SELECT max(begun_at) FROM deliveries`)))
	p.record(webhook.OK, claimed.Rows...)
	assert.Equal(t, paced, p.instant(`SELECT destination_due($1)`, hook))
	p.exec(`UPDATE destinations SET paced_until = paced_until + interval '1 hour'`)
	since := p.instant(`SELECT clock_timestamp()`)
	claimed = p.claimEndpoint(hook)
	assert.Empty(t, claimed.Rows)
	assert.WithinRange(t, paced.Add(time.Hour-claimed.Again), since, p.instant(`SELECT clock_timestamp()`))
	p.exec(`UPDATE endpoints SET rate_limit = NULL`)
	p.exec(`UPDATE destinations SET paced_until = clock_timestamp()`)
	assert.Len(t, p.claimEndpoint(hook).Rows, 2, "what is set counts for the next attempt")
}

// mail writes one and queues it.
func (p *post) mail(mailID string) (destination string) {
	p.t.Helper()
	p.exec(`INSERT INTO mails (id, workspace_id, template, recipient, subject, body_text, body_html)
		VALUES ($1, $2, 'mention', 'ann@mail.test', 'a subject', 'a text', '<p>a text')`, mailID, sender)
	destination, err := p.EnqueueMail(p.t.Context(), sender, mailID)
	require.NoError(p.t, err)
	return destination
}

func (p *post) claimMails(dst string) []*delivery.Claimed {
	p.t.Helper()
	return p.claimUpTo(dst, few).Rows
}

func TestMailsAreTriedBySchedule(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.mail("eml_1")
	assert.Equal(t, "mail", p.lock(dst))
	for _, delay := range []float64{60, 300, 1800, 7200, 21600, 43200} {
		rows := p.claimMails(dst)
		require.Len(t, rows, 1)
		assert.Equal(t, "eml_1", rows[0].MailID)
		assert.Equal(t, 30*time.Second, rows[0].Limit)
		p.retries(outcomes("auth", rows)[0], delay, delay)
		p.later()
	}
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM mails WHERE body_text = 'a text'`))
	p.record("auth", p.claimMails(dst)...)
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM mails WHERE result = 'failed' AND class = 'auth' AND num_nonnulls(subject, body_text, body_html) = 0`))
}

func TestAMailThatEndedLosesItsText(t *testing.T) {
	t.Parallel()
	for result, state := range map[string]string{delivery.MailSent: "delivered", delivery.MailFailed: "dead", delivery.MailDisabled: "dead"} {
		p := newPost(t)
		dst := p.mail("eml_1")
		assert.Equal(t, dst, p.mail("eml_2"), "one destination for all of a workspace")
		p.lock(dst)
		rows := p.claimMails(dst)
		require.NotEmpty(t, rows)
		_, err := p.Record(t.Context(), []delivery.Outcome{{Claimed: rows[0], Class: "a-class", MailResult: result}})
		require.NoError(t, err)
		assert.Equal(t, 1, p.number(`SELECT count(*) FROM mails WHERE result = $1 AND class = 'a-class' AND subject IS NULL AND ended_at IS NOT NULL`, result))
		assert.Equal(t, 1, p.states(dst)[state+" a-class"])
		assert.Equal(t, 1, p.number(`SELECT count(*) FROM mails WHERE subject = 'a subject'`))
	}
}

// A mail that waits for the operator's relay was not tried: it has used up no step of its schedule.
func TestAMailThatWaitsUsesNothingUp(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.mail("eml_1")
	for range 9 {
		p.lock(dst)
		rows := p.claimMails(dst)
		require.Len(t, rows, 1)
		_, err := p.Record(t.Context(), []delivery.Outcome{{Claimed: rows[0], Class: "relay-full", MailWaits: true, RetryAfter: time.Hour}})
		require.NoError(t, err)
		require.Equal(t, 1, p.states(dst)["pending relay-full"])
		require.Equal(t, 1, p.number(`SELECT count(*) FROM open_deliveries WHERE due_at BETWEEN now() + interval '50 minutes' AND now() + interval '70 minutes'`))
		p.exec(`UPDATE open_deliveries SET due_at = now()`)
		p.exec(`UPDATE destinations SET paced_until = NULL`)
	}
	require.Equal(t, 1, p.number(`SELECT count(*) FROM deliveries WHERE round = 0`))
	require.Zero(t, p.number(`SELECT count(*) FROM attempts`))
	require.Equal(t, 1, p.number(`SELECT count(*) FROM mails WHERE result IS NULL AND subject = 'a subject'`))
}

func TestCancellingEndsTheMailsThatWait(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.mail("eml_1")
	p.lock(dst)
	under := p.claimMails(dst)
	require.Len(t, under, 1)
	p.mail("eml_2")
	n, err := p.CancelWaiting(t.Context(), sender, dst)
	require.NoError(t, err)
	assert.Equal(t, 2, n)
	const ended = `SELECT count(*) FROM mails WHERE id = $1 AND result = 'failed' AND class = $2 AND num_nonnulls(subject, body_text, body_html) = 0`
	assert.Equal(t, 1, p.number(ended, "eml_2", webhook.Cancelled), "its text goes, and it is removed by age like all that ended")
	p.record("auth", under...)
	assert.Equal(t, 1, p.number(ended, "eml_1", "auth"), "the one under way had its last try")
}

func TestMailsWaitWhenTheyAreSwitchedOffNoLonger(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.mail("eml_1")
	p.lock(dst)
	require.NoError(t, p.CancelPending(t.Context(), sender, []string{dst}, webhook.MailsDisabled))
	p.mail("eml_2")
	more, err := p.EndCancelled(t.Context(), dst)
	require.NoError(t, err)
	assert.False(t, more)
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM mails WHERE id = 'eml_1' AND result = 'disabled' AND subject IS NULL`))
	rows := p.claimMails(dst)
	require.Len(t, rows, 1)
	assert.Equal(t, "eml_2", rows[0].MailID, "what was written after it is sent")
}
