package delivery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

const (
	hook      = "ep_hook"
	hookKey   = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	otherHook = "ep_other"
)

// switchOn lets the workspace have endpoints.
func (p *post) switchOn() {
	p.exec(`INSERT INTO webhook_settings (workspace_id, enabled) VALUES ($1, true) ON CONFLICT DO NOTHING`, sender)
}

// endpoint makes one that gets every event, and locks its destination where it
// has something to deliver.
func (p *post) endpoint(endpointID string, rate *int) {
	p.t.Helper()
	p.switchOn()
	p.exec(`INSERT INTO endpoints (id, workspace_id, url, rate_limit) VALUES ($1, $2, 'https://hooks.test/a?k=v', $3)`, endpointID, sender, rate)
	p.secret(endpointID, endpointID+"_1", hookKey, "1 hour")
}

// secret adds one to an endpoint; made is its age.
func (p *post) secret(endpointID, row, plain, made string) {
	p.exec(`INSERT INTO endpoint_secrets (id, endpoint_id, workspace_id, secret_sealed, created_at)
		VALUES ($1, $2, $3, $4, clock_timestamp() - $5::interval)`, row, endpointID, sender, p.SealEndpoint(sender, row, plain), made)
}

// enqueue queues n messages for the endpoint and locks its destination.
func (p *post) enqueue(endpointID string, n int, cause string) {
	p.t.Helper()
	for i := range n {
		p.message(fmt.Sprintf("msg_%s_%s_%d", endpointID, cause, i), "comment.add", cause, endpointID)
	}
	assert.Equal(p.t, "endpoint", p.lock(endpointID))
}

func (p *post) message(messageID, event, cause string, endpointIDs ...string) {
	p.t.Helper()
	p.exec(`INSERT INTO messages (id, workspace_id, sequence, event, tags, created_at)
		VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint, $3, '{}', clock_timestamp())`, messageID, sender, event)
	p.exec(`INSERT INTO message_bodies (message_id, workspace_id, body, created_at) VALUES ($1, $2, $3, clock_timestamp())`,
		messageID, sender, []byte(`{"event":"`+event+`"}`))
	require.NoError(p.t, p.EnqueueMessage(p.t.Context(), sender, messageID, endpointIDs, cause))
}

// claimEndpoint claims rows of an endpoint.
func (p *post) claimEndpoint(endpointID string) delivery.ClaimedBatch {
	p.t.Helper()
	return p.claimUpTo(endpointID, few)
}

// number reads one number.
func (p *post) number(sql string, args ...any) int {
	p.t.Helper()
	var n int
	require.NoError(p.t, p.db.Pool.QueryRow(p.t.Context(), sql, args...).Scan(&n))
	return n
}

// kept is an attempt as it stands in its row.
type kept struct {
	attempt         int
	cause, class    string
	succeeded       bool
	status          *int
	next            *time.Time
	url, event      string
	body, messageID *string
}

func (p *post) attempts(endpointID string) []kept {
	p.t.Helper()
	rows, err := p.db.Pool.Query(p.t.Context(), `SELECT attempt, cause, class, class = 'ok', http_status, next_attempt_at, url, event, response_body, message_id
		FROM attempts WHERE destination_id = $1 ORDER BY started_at, id`, endpointID)
	require.NoError(p.t, err)
	defer rows.Close()
	var all []kept
	for rows.Next() {
		var k kept
		require.NoError(p.t, rows.Scan(&k.attempt, &k.cause, &k.class, &k.succeeded, &k.status, &k.next, &k.url, &k.event, &k.body, &k.messageID))
		all = append(all, k)
	}
	return all
}

func (p *post) states(endpointID string) map[string]int {
	p.t.Helper()
	rows, err := p.db.Pool.Query(p.t.Context(), `SELECT state || coalesce(' ' || class, ''), count(*) FROM deliveries WHERE destination_id = $1 GROUP BY 1`, endpointID)
	require.NoError(p.t, err)
	defer rows.Close()
	found := map[string]int{}
	for rows.Next() {
		var state string
		var n int
		require.NoError(p.t, rows.Scan(&state, &n))
		found[state] = n
	}
	return found
}

func TestARowIsClaimedWithTheEndpointAsItIsNow(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "schedule")
	p.secret(hook, "new", "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=", "0 hours")
	p.secret(hook, "ended", "whsec_", "2 hours")
	p.exec(`UPDATE endpoint_secrets SET expires_at = clock_timestamp() WHERE id = 'ended'`)
	before := p.to(hook)
	p.exec(`UPDATE endpoints SET url = 'https://hooks.test/new'`)
	elsewhere, err := p.Claim(t.Context(), before, owner, delivery.ClaimLimits{Rows: noLimit})
	require.NoError(t, err)
	assert.Empty(t, elsewhere.Rows, "nothing is claimed for another address than it has")
	assert.Equal(t, "https://hooks.test/new", elsewhere.URL)
	claimed := p.claimEndpoint(hook)
	require.Len(t, claimed.Rows, 1)
	row := claimed.Rows[0]
	assert.Equal(t, "https://hooks.test/new", row.URL)
	assert.Equal(t, 15*time.Second, row.Limit)
	require.Len(t, row.Message.Secrets, 2, "the living ones")
	assert.Equal(t, hookKey, string(row.Message.Secrets[1]), "newest first")
	assert.Equal(t, "comment.add", row.Message.Event)
	assert.Equal(t, `{"event":"comment.add"}`, string(row.Message.Body))
	assert.Empty(t, p.claimEndpoint(hook).Rows)
}

func TestAnAttemptAtAnEndpointIsKept(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "schedule")
	rows := p.claimEndpoint(hook).Rows
	_, err := p.Record(t.Context(), []delivery.Outcome{{Claimed: rows[0], Class: webhook.ServerError, Status: 500, Body: "oh no", Duration: time.Second}})
	require.NoError(t, err)
	tried := p.instant(`SELECT due_at FROM open_deliveries`)
	p.later()
	p.record(webhook.OK, p.claimEndpoint(hook).Rows...)
	all := p.attempts(hook)
	require.Len(t, all, 2)
	assert.Equal(t, 1, all[0].attempt)
	assert.Equal(t, "http-5xx", all[0].class)
	assert.Equal(t, 500, *all[0].status)
	assert.Equal(t, "oh no", *all[0].body)
	assert.False(t, all[0].succeeded)
	assert.Equal(t, tried, *all[0].next)
	assert.Equal(t, "https://hooks.test/a?k=v", all[0].url)
	assert.Equal(t, 2, all[1].attempt)
	assert.True(t, all[1].succeeded)
	assert.Nil(t, all[1].next)
	assert.Equal(t, map[string]int{"delivered ok": 1}, p.states(hook))
}

func TestTheScheduleOfEndpoints(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.endpoint(otherHook, nil)
	p.enqueue(hook, 1, "schedule")
	for attempt, delay := range []float64{5, 300, 1800, 7200, 18000, 36000, 36000} {
		rows := p.claimEndpoint(hook).Rows
		require.Len(t, rows, 1, "attempt %d", attempt)
		assert.Equal(t, attempt, rows[0].Attempt)
		p.retries(outcomes(webhook.ServerError, rows)[0], 0.8*delay, 1.2*delay)
		assert.Empty(t, p.claimEndpoint(hook).Rows, "not before its time")
		p.later()
	}
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM messages`))
	p.record(webhook.ServerError, p.claimEndpoint(hook).Rows...)
	assert.Equal(t, map[string]int{"dead http-5xx": 1}, p.states(hook))
	assert.Len(t, p.attempts(hook), 8)
	assert.Equal(t, []string{otherHook}, p.lastHint(), "the others get it")
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM deliveries d JOIN messages m ON m.id = d.message_id
		WHERE m.event = 'message.attempt.exhausted' AND d.destination_id = $1`, otherHook))
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM deliveries WHERE destination_id = $1`, hook), "not who it speaks of")
}

// lastHint is the last hint of destinations.
func (p *post) lastHint() []string {
	var last []string
	for {
		select {
		case ids := <-p.notified:
			last = ids
		default:
			return last
		}
	}
}

func TestPausesAreAsLongAsTheEndpointAsks(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		outcome     delivery.Outcome
		least, most float64
	}{
		"as scheduled":               {delivery.Outcome{Class: webhook.ClientError, Status: 404}, 4, 6},
		"a timeout":                  {delivery.Outcome{Class: webhook.Timeout}, 60, 60},
		"429 that says nothing":      {delivery.Outcome{Class: webhook.Throttled, Status: 429}, 60, 60},
		"503 that says nothing":      {delivery.Outcome{Class: webhook.Throttled, Status: 503}, 4, 6},
		"less than scheduled":        {delivery.Outcome{Class: webhook.Throttled, Status: 429, RetryAfter: time.Second, AsksToWait: true}, 4, 6},
		"no time":                    {delivery.Outcome{Class: webhook.Throttled, Status: 429, AsksToWait: true}, 4, 6},
		"what is asked":              {delivery.Outcome{Class: webhook.Throttled, Status: 503, RetryAfter: 90 * time.Second, AsksToWait: true}, 90, 90},
		"not more than an hour here": {delivery.Outcome{Class: webhook.Throttled, Status: 503, RetryAfter: 5 * time.Hour, AsksToWait: true}, 3600, 3600},
	}
	p := newPost(t)
	for name, c := range cases {
		p.endpoint(name, nil)
		p.enqueue(name, 1, "schedule")
		c.outcome.Claimed = p.claimEndpoint(name).Rows[0]
		p.retries(c.outcome, c.least, c.most)
	}
	var pause float64
	require.NoError(t, p.db.Pool.QueryRow(t.Context(), `SELECT extract(epoch FROM pause_after(36000, 0, 100000))::float8`).Scan(&pause))
	assert.InDelta(t, 72000, pause, 0.001, "twice the scheduled pause where that is longer")
}

func TestARefusedAddressEndsTheDeliveryAndIsPublished(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "schedule")
	p.record(webhook.RefusedByPolicy, p.claimEndpoint(hook).Rows...)
	assert.Equal(t, map[string]int{"refused refused-by-policy": 1}, p.states(hook))
	assert.Equal(t, 1, p.number(`SELECT count(*) FROM messages WHERE event = 'message.attempt.exhausted'`))
}

func TestAnEventAboutADeliveryCausesNoFurtherEvent(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.message("msg_1", "message.attempt.exhausted", "schedule", hook)
	p.message("msg_2", "endpoint.disabled", "schedule", hook)
	p.lock(hook)
	rows := p.claimEndpoint(hook).Rows
	require.Len(t, rows, 2)
	p.record(webhook.RefusedByPolicy, rows...)
	assert.Equal(t, 2, p.number(`SELECT count(*) FROM messages`))
}

func TestATestIsSentOnce(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.exec(`UPDATE endpoints SET disabled = true`)
	p.enqueue(hook, 1, "test")
	p.enqueue(hook, 1, "schedule")
	claimed := p.claimEndpoint(hook)
	require.Len(t, claimed.Rows, 1, "also at an endpoint that is disabled")
	assert.True(t, claimed.Rows[0].Message.Test)
	p.record(webhook.Gone, claimed.Rows...)
	assert.Equal(t, 1, p.states(hook)["dead gone"])
	assert.Equal(t, "test", p.attempts(hook)[0].cause)
	assert.Equal(t, 2, p.number(`SELECT count(*) FROM messages`), "no event is published")
	assert.Zero(t, p.number(`SELECT failures FROM endpoints`))
}

func TestInterruptedAttemptsAreKeptAndUseUpNothing(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "schedule")
	first := p.claimEndpoint(hook).Rows
	p.later()
	assert.Equal(t, 1, p.expire(hook))
	second := p.claimEndpoint(hook).Rows
	assert.Zero(t, p.record(webhook.OK, first...).Kept)
	p.record(webhook.Interrupted, second...)
	third := p.claimEndpoint(hook).Rows
	require.Len(t, third, 1, "at once")
	p.record(webhook.ServerError, third...)
	assert.Equal(t, 1, p.number(`SELECT round FROM deliveries`))
	assert.Equal(t, 1, p.number(`SELECT failures FROM endpoints`))
	all := p.attempts(hook)
	require.Len(t, all, 3)
	assert.Equal(t, "interrupted", all[0].class)
	assert.Equal(t, "interrupted", all[1].class)
	assert.Equal(t, 3, all[2].attempt)
}

func TestWithoutItsBodyAMessageEnds(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.endpoint(hook, nil)
	p.enqueue(hook, 1, "schedule")
	p.exec(`DELETE FROM message_bodies`)
	rows := p.claimEndpoint(hook).Rows
	require.Nil(t, rows[0].Message.Body)
	p.record(webhook.Expired, rows...)
	assert.Equal(t, map[string]int{"dead payload-expired": 1}, p.states(hook))
}
