package delivery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/pgtest"
)

// post is a store of deliveries with executions that have events to send.
type post struct {
	*delivery.Deliveries
	t        testing.TB
	db       *pg.DB
	notified chan []string
	// executions send again what receivers were sent.
	executions *execution.Executions
}

const (
	sender       = "ws_sender"
	hookOrigin   = "https://receiver.test:443"
	hookURL      = "https://receiver.test/hook"
	hookSecret   = "the secret of a receiver"
	owner        = "owner"
	noLimit      = 1000
	rowsWaitSome = 10
	// few is how many rows of an origin are claimed at once where a test says nothing else.
	few = 2
)

func newPost(t testing.TB) *post {
	t.Helper()
	db := pgtest.New(t)
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(t, err)
	hints := notifier.New(db)
	p := &post{
		delivery.New(db, box, delivery.Rules{}, mail.DeliveryRows), t, db, make(chan []string, 100),
		execution.New(db, box, nil, execution.Options{}),
	}
	hints.On(notifier.Destinations, func(ids []string) { p.notified <- ids })
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

// receives gives an execution its receiver and queues its events; it returns the
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

// driven returns a destination with n rows of one execution, and locks it.
func (p *post) driven(n int) string {
	p.t.Helper()
	dst := p.receives(sender, "exec_1", hookOrigin, n)
	assert.Equal(p.t, "receiver", p.lock(dst))
	return dst
}

// lock makes owner the one who claims and returns the destination's kind.
func (p *post) lock(dst string) string {
	p.t.Helper()
	taken, err := p.LockDestination(p.t.Context(), sender, dst, owner)
	require.NoError(p.t, err)
	require.NotEmpty(p.t, taken.Kind)
	return taken.Kind
}

// to is a destination as it is now.
func (p *post) to(dst string) delivery.Destination {
	p.t.Helper()
	to := delivery.Destination{WorkspaceID: sender, ID: dst}
	require.NoError(p.t, p.db.Pool.QueryRow(p.t.Context(), `SELECT k.kind, coalesce(e.url, '') FROM destinations k LEFT JOIN endpoints e ON e.id = k.id
		WHERE k.id = $1`, dst).Scan(&to.Kind, &to.URL))
	return to
}

// upTo are the limits of a claim of so many rows of each origin.
func (p *post) upTo(dst string, rows int) delivery.ClaimLimits {
	p.t.Helper()
	origins, err := p.DueOrigins(p.t.Context(), dst, "", noLimit)
	require.NoError(p.t, err)
	l := delivery.ClaimLimits{Rows: noLimit, Origins: origins}
	for range origins {
		l.Shares = append(l.Shares, rows)
	}
	if p.to(dst).Kind != "receiver" {
		l.Rows = rows
	}
	return l
}

// claimUpTo claims up to so many rows of each origin.
func (p *post) claimUpTo(dst string, rows int) delivery.ClaimedBatch {
	p.t.Helper()
	claimed, err := p.Claim(p.t.Context(), p.to(dst), owner, p.upTo(dst, rows))
	require.NoError(p.t, err)
	return claimed
}

func (p *post) claim(dst string) []*delivery.Claimed {
	p.t.Helper()
	return p.claimUpTo(dst, few).Rows
}

// expire claims rows whose lock has run out, as happens when the process dies during the
// attempt, records that they were interrupted, and returns how many these were.
func (p *post) expire(dst string) int {
	p.t.Helper()
	rows := p.claim(dst)
	for _, row := range rows {
		require.True(p.t, row.Expired)
	}
	return p.record(webhook.Interrupted, rows...).Kept
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

// later makes all waiting rows due, and locks end, as time does.
func (p *post) later() {
	p.exec(`UPDATE open_deliveries SET due_at = clock_timestamp() WHERE locked_until = '-infinity'`)
	p.exec(`UPDATE open_deliveries SET locked_until = clock_timestamp() WHERE locked_until > '-infinity'`)
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
