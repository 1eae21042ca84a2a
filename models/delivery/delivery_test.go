package delivery_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/endpoint"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/nudge"
	"github.com/redline-svc/redline/models/pgtest"
)

// post is a store of deliveries with executions that have events to send.
type post struct {
	*delivery.Deliveries
	t      *testing.T
	db     *pg.DB
	nudged chan []string
	// executions send again what receivers were sent.
	executions *execution.Executions
}

const (
	sender       = "ws_sender"
	hookOrigin   = "https://receiver.test:443"
	hookURL      = "https://receiver.test/hook"
	hookSecret   = "the secret of a receiver"
	driver       = "driver"
	noSlowLimit  = 1000
	noLimit      = 1000
	rowsWaitSome = 10
)

func newPost(t *testing.T) *post {
	t.Helper()
	db := pgtest.New(t)
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(t, err)
	nudges := nudge.New(db)
	p := &post{
		delivery.New(db, box, delivery.Rules{}, endpoint.Health{}, mail.DeliveryRows), t, db, make(chan []string, 100),
		execution.New(db, box, nil, execution.Options{}),
	}
	nudges.On(nudge.Destinations, func(ids []string) { p.nudged <- ids })
	p.workspace(sender)
	return p
}

func (p *post) exec(sql string, args ...any) {
	p.t.Helper()
	_, err := p.db.Pool.Exec(p.t.Context(), sql, args...)
	require.NoError(p.t, err)
}

func (p *post) workspace(workspaceID string) {
	p.exec(`INSERT INTO owners (id, email_key) VALUES ($1::text, $1::text)`, workspaceID)
	p.exec(`INSERT INTO workspaces (id, owner_id, name, name_key, owner_email, owner_name, token_mac, hash_key_id, token_sealed)
		VALUES ($1::text, $1::text, 'n', 'n', 'e', 'o', sha256(convert_to($1::text, 'UTF8')), 'h', '')`, workspaceID)
}

// execution makes one with n external events and no receiver.
func (p *post) execution(workspaceID, executionID string, n int) {
	p.t.Helper()
	p.exec(`INSERT INTO executions (id, workspace_id, definition_id, definition_version, version_ref, definition_name, key_space,
		idempotency_key, correlation_id, status, started_at, seq, revision, step_count)
		VALUES ($2::text, $1, 'def', 3, 'v', 'n', 'caller', $2::text, 'corr', 'running', now(), $3, 1, 0)`, workspaceID, executionID, n)
	p.exec(`INSERT INTO events (workspace_id, execution_id, seq, id, type, internal, status, at, data)
		SELECT $1, $2::text, n, $2::text || '_' || n, 'step.completed', false, 'completed', now(), json_build_object('n', n)
		FROM generate_series(1, $3::integer) n`, workspaceID, executionID, n)
}

// receives gives an execution its receiver and queues its events; it gives the
// destination.
func (p *post) receives(workspaceID, executionID, origin string, n int) string {
	p.t.Helper()
	p.execution(workspaceID, executionID, n)
	seqs := make([]int64, n)
	for i := range seqs {
		seqs[i] = int64(i + 1)
	}
	dst, err := p.Enqueue(p.t.Context(), workspaceID, executionID, origin, seqs)
	require.NoError(p.t, err)
	p.exec(`UPDATE executions SET receiver_url = $3, receiver_secret = $4, receiver_destination = $5, receiver_origin = $6
		WHERE workspace_id = $1 AND id = $2`, workspaceID, executionID, hookURL, p.SealReceiver(workspaceID, executionID, hookSecret), dst, origin)
	return dst
}

// driven gives a destination with n rows of one execution and the lease taken.
func (p *post) driven(n int) string {
	p.t.Helper()
	dst := p.receives(sender, "exec_1", hookOrigin, n)
	assert.Equal(p.t, "receiver", p.lease(dst))
	return dst
}

// lease makes driver the one who claims and gives the destination's kind.
func (p *post) lease(dst string) string {
	p.t.Helper()
	kind, err := p.TakeLease(p.t.Context(), sender, dst, driver)
	require.NoError(p.t, err)
	require.NotEmpty(p.t, kind)
	return kind
}

func (p *post) claim(dst string) []*delivery.Claimed {
	p.t.Helper()
	claimed, err := p.Claim(p.t.Context(), sender, dst, driver, delivery.ClaimLimits{Rows: noLimit, Slow: noSlowLimit})
	require.NoError(p.t, err)
	return claimed.Rows
}

func (p *post) record(class webhook.Class, rows ...*delivery.Claimed) delivery.Recorded {
	p.t.Helper()
	did, err := p.Record(p.t.Context(), outcomes(class, rows))
	require.NoError(p.t, err)
	return did
}

func outcomes(class webhook.Class, rows []*delivery.Claimed) []delivery.Outcome {
	all := make([]delivery.Outcome, len(rows))
	for i, row := range rows {
		all[i] = delivery.Outcome{Claimed: row, Class: class, Duration: 12 * time.Millisecond}
		if class.Answered() {
			all[i].Status = 200
		}
	}
	return all
}

// later makes all waiting rows due, and holds end, as time does.
func (p *post) later() {
	p.exec(`UPDATE deliveries SET due_at = clock_timestamp() WHERE state = 'pending'`)
	p.exec(`UPDATE deliveries SET held_until = clock_timestamp() WHERE state = 'sending'`)
	p.exec(`UPDATE origins SET failed_at = failed_at - interval '1 second'`)
	p.exec(`UPDATE destinations SET paced_until = paced_until - interval '1 second'`)
}

func (p *post) all(executionID string) []delivery.View {
	p.t.Helper()
	page, err := p.Of(p.t.Context(), sender, executionID, delivery.Filter{}, nil, 500)
	require.NoError(p.t, err)
	require.Nil(p.t, page.Next)
	return page.Items
}

func seqsOf(rows []*delivery.Claimed) []int64 {
	seqs := make([]int64, len(rows))
	for i, row := range rows {
		seqs[i] = row.Event.Seq
	}
	return seqs
}

func TestAClaimedRowHasAllThatIsSent(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	rows := p.claim(p.driven(1))
	require.Len(t, rows, 1)
	row := rows[0]
	assert.Equal(t, hookURL, row.URL)
	assert.Equal(t, hookSecret, string(row.Secret))
	assert.Equal(t, hookOrigin, row.Origin)
	assert.Zero(t, row.Attempt)
	body, err := row.Event.Body()
	require.NoError(t, err)
	assert.JSONEq(t, fmt.Sprintf(`{"event":"step.completed","eventId":"exec_1_1","executionId":"exec_1","definitionId":"def","definitionVersion":3,
		"stepId":null,"status":"completed","seq":1,"timestamp":%q,"correlationId":"corr","data":{"n":1}}`,
		row.Event.At.UTC().Format("2006-01-02T15:04:05.000Z")), string(body))
}

func TestTheWindowOpensWithSuccess(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(200)
	next := int64(1)
	for _, want := range []int{2, 8, 50, 50} { // 2 at once; each success doubles
		rows := p.claim(dst)
		require.Len(t, rows, want)
		assert.Equal(t, next, rows[0].Event.Seq, "in the order of events")
		next += int64(want)
		assert.Empty(t, p.claim(dst), "no room before an answer")
		p.record(webhook.ServerError, rows...) // any answer in time counts as a success
	}
	p.later()
	p.record(webhook.Timeout, p.claim(dst)...)
	p.later()
	assert.Len(t, p.claim(dst), 1, "fifty failures in a row: the slow lane")
}

func TestAFailureClosesTheWindow(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(100)
	p.record(webhook.OK, p.claim(dst)...)
	rows := p.claim(dst)
	require.Len(t, rows, 8)
	p.record(webhook.Unreachable, rows[0])
	p.record(webhook.OK, rows[1:]...)
	assert.Len(t, p.claim(dst), 50, "seven successes after the failure")
}

func TestTwoClaimsTakeNoRowTwice(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(500)
	p.exec(`INSERT INTO origins (destination_id, origin, room, failures, last_class) VALUES ($1, $2, 50, 0, 'ok')`, dst, hookOrigin)
	var mu sync.Mutex
	seen := map[int64]int{}
	errs := modelstest.AtOnce(8, func(int) error {
		for {
			claimed, err := p.Claim(context.Background(), sender, dst, driver, delivery.ClaimLimits{Rows: rowsWaitSome, Slow: noSlowLimit})
			rows := claimed.Rows
			if err != nil || len(rows) == 0 {
				return err
			}
			mu.Lock()
			for _, row := range rows {
				seen[row.Event.Seq]++
			}
			mu.Unlock()
			if _, err := p.Record(context.Background(), outcomes(webhook.OK, rows)); err != nil {
				return err
			}
		}
	})
	for _, err := range errs {
		require.NoError(t, err)
	}
	for len(seen) < 500 { // a claim that found the window full has ended early
		rows := p.claim(dst)
		require.NotEmpty(t, rows)
		for _, row := range rows {
			seen[row.Event.Seq]++
		}
		p.record(webhook.OK, rows...)
	}
	for seq, n := range seen {
		assert.Equal(t, 1, n, "event %d", seq)
	}
}

func TestWithoutTheLeaseNothingIsClaimed(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(10)
	kind, err := p.TakeLease(t.Context(), sender, dst, "another")
	require.NoError(t, err)
	require.Equal(t, "receiver", kind, "a new activity takes it whoever holds it")
	assert.Empty(t, p.claim(dst))
	held, err := p.RenewLease(t.Context(), sender, dst, driver)
	require.NoError(t, err)
	assert.False(t, held)
	require.NoError(t, p.GiveLeaseBack(t.Context(), sender, dst, driver))
	held, err = p.RenewLease(t.Context(), sender, dst, "another")
	require.NoError(t, err)
	assert.True(t, held, "who lost it cannot give it back")
	kind, err = p.TakeLease(t.Context(), "ws_other", dst, driver)
	require.NoError(t, err)
	assert.Empty(t, kind, "it is another workspace's")
}

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

func TestAnExpiredHoldIsInterruptedAndClaimedAgain(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(3)
	first := p.claim(dst)
	require.Len(t, first, 2)
	n, err := p.Revive(t.Context(), "receiver", dst)
	require.NoError(t, err)
	require.Zero(t, n, "the hold lasts")
	p.later()
	n, err = p.Revive(t.Context(), "receiver", dst)
	require.NoError(t, err)
	require.Equal(t, 2, n)
	second := p.claim(dst)
	require.Equal(t, seqsOf(first), seqsOf(second))
	assert.Equal(t, 1, second[0].Attempt)
	assert.Zero(t, p.record(webhook.OK, first...).Kept, "outcomes of rows claimed again are dropped")
	assert.Equal(t, 2, p.record(webhook.ServerError, second...).Kept)
	assert.Zero(t, p.record(webhook.OK, second...).Kept, "an outcome counts once")
	got := p.all("exec_1")[2]
	require.Len(t, got.Attempts, 2)
	assert.Equal(t, "interrupted", *got.Attempts[0].Error)
	assert.Nil(t, got.Attempts[0].DurationMs)
	assert.Equal(t, "http-5xx", *got.Attempts[1].Error)
	assert.Equal(t, 2, p.number(`SELECT count(*) FROM deliveries WHERE round = 1`), "the interrupted attempt used up no step")
}

func TestAClaimSaysWhetherRowsAreLeft(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(3)
	limits := delivery.ClaimLimits{Rows: noLimit, Slow: noSlowLimit}
	first, err := p.Claim(t.Context(), sender, dst, driver, limits)
	require.NoError(t, err)
	assert.Len(t, first.Rows, 2)
	assert.True(t, first.More)
	p.record(webhook.ServerError, first.Rows...)
	p.exec(`UPDATE deliveries SET due_at = due_at + interval '1 hour' WHERE attempt > 0`)
	second, err := p.Claim(t.Context(), sender, dst, driver, limits)
	require.NoError(t, err)
	assert.Len(t, second.Rows, 1)
	assert.False(t, second.More, "two wait for their next time")
}

func TestHoldsAreCountedWithDueRows(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	dst := p.driven(2)
	p.claim(dst)
	assert.Equal(t, 2, p.number(`SELECT count(*) FROM deliveries WHERE held_until = begun_at + interval '20 seconds'`))
	next, err := p.NextDue(t.Context(), dst)
	require.NoError(t, err)
	require.NotNil(t, next)
	p.later()
	next, err = p.NextDue(t.Context(), dst)
	require.NoError(t, err)
	assert.Zero(t, *next, "the holds have ended")
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

func TestTheSettingsOfABatchEndWithIt(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.record(webhook.OK, p.claim(p.driven(1))...)
	const own = `SELECT count(*) FROM pg_settings WHERE source = 'session' AND name IN ('enable_seqscan', 'plan_cache_mode', 'synchronous_commit')`
	for _, conn := range p.db.Pool.AcquireAllIdle(t.Context()) {
		var n int
		err := conn.QueryRow(t.Context(), own).Scan(&n)
		conn.Release()
		require.NoError(t, err)
		assert.Zero(t, n)
	}
}

func TestDeliveries_APageEndsEarlyWhenItHasManyAttempts(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.driven(5)
	p.exec(`INSERT INTO delivery_attempts (delivery_id, attempt, id, workspace_id, at, class)
		SELECT d.id, n, 'att_' || d.id || '_' || n, d.workspace_id, clock_timestamp(), 'ok' FROM deliveries d CROSS JOIN generate_series(1, 25000) AS n WHERE d.seq <> 5`)
	var pages [][]int64
	var after *int64
	for first := true; first || after != nil; first = false {
		page, err := p.Of(t.Context(), sender, "exec_1", delivery.Filter{}, after, 500)
		require.NoError(t, err)
		var seqs []int64
		for _, d := range page.Items {
			seqs = append(seqs, d.Seq)
			if d.Seq != 5 {
				require.Len(t, d.Attempts, 25000)
			}
		}
		pages = append(pages, seqs)
		after = page.Next
	}
	require.Equal(t, [][]int64{{5, 4, 3}, {2, 1}}, pages)
}
