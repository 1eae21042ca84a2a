package activitytest

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	definitions "github.com/redline-svc/redline/models/definition"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/mail"
	"github.com/redline-svc/redline/models/pgtest"
)

const (
	// skew is how far the clock of one worker is ahead of that of Postgres, and
	// that of the other one behind it: more than clocks ever are apart, so that no
	// pause of a busy machine looks like it. Both clocks stand still, so that none
	// is taken for time that a row has waited since its claim.
	skew = time.Hour
	// Soon is when what is awaited comes, as an interval of Postgres.
	Soon = "30 minutes"
	// Workspace is the one of a site.
	Workspace = "ws_site"

	siteSecret = "the secret of a receiver"
	siteFlow   = `{"definitionId":"call","name":"call","nodes":[{"nodeId":"a","type":"webhook","config":{"url":"https://receiver.test/step"}}],"edges":[]}`
	// stepCalls is how many calls a workspace may have under way.
	stepCalls = 10
)

// Replies play receivers.
type Replies func(ctx context.Context, r guard.Request) (*guard.Response, error)

// Fine answers that all is well.
func Fine(context.Context, guard.Request) (*guard.Response, error) {
	return Answer(http.StatusOK, ""), nil
}

// Answer is an answer with headers, each name followed by its value.
func Answer(status int, body string, headers ...string) *guard.Response {
	h := http.Header{}
	for ; len(headers) > 1; headers = headers[2:] {
		h.Set(headers[0], headers[1])
	}
	return &guard.Response{Status: status, Header: h, Body: []byte(body)}
}

// Busy answers that the receiver wants to be left alone until a time.
func Busy(until time.Time) Replies {
	return func(context.Context, guard.Request) (*guard.Response, error) {
		return Answer(http.StatusTooManyRequests, "", "retry-after", until.UTC().Format(http.TimeFormat)), nil
	}
}

// Site is one database that two workers share.
type Site struct {
	Rows       *delivery.Deliveries
	Executions *execution.Executions
	Webhooks   *delivery.Endpoints
	// Fast and Slow are the clocks of the two.
	Fast, Slow activities.Clock

	t     *testing.T
	db    *models.DB
	mu    sync.Mutex
	got   []guard.Request
	reply Replies
}

// New makes a site for a test, which runs beside others.
func New(t *testing.T) *Site {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(t, err)
	definitions := definitions.New(db, box)
	made := activities.SystemClock()()
	s := &Site{
		t: t, db: db, reply: Fine,
		Rows:       delivery.New(db, box, delivery.Rules{}, mail.DeliveryRows),
		Executions: execution.New(db, box, definitions, execution.Options{StepCalls: stepCalls}),
		Webhooks:   delivery.NewEndpoints(db, box, 0),
		Fast:       func() time.Time { return made.Add(skew) },
		Slow:       func() time.Time { return made.Add(-skew) },
	}
	s.Exec(`INSERT INTO owners (id, email_key) VALUES ('usr_site', 'usr_site')`)
	s.Exec(`INSERT INTO workspaces (id, owner_id, name, name_key, owner_email, owner_name, token_mac, hash_key_id, token_sealed)
		VALUES ($1, 'usr_site', 'n', 'n', 'e', 'o', sha256('t'), 'h', '')`, Workspace)
	flow, issues := definition.Parse([]byte(siteFlow), definition.Options{})
	require.Empty(t, issues)
	_, err = definitions.Create(t.Context(), Workspace, flow)
	require.NoError(t, err)
	return s
}

// Exec changes rows.
func (s *Site) Exec(sql string, args ...any) {
	s.t.Helper()
	_, err := s.db.Pool.Exec(s.t.Context(), sql, args...)
	require.NoError(s.t, err)
}

// Ask reads one value.
func Ask[T any](s *Site, sql string, args ...any) T {
	s.t.Helper()
	var value T
	require.NoError(s.t, s.db.Pool.QueryRow(s.t.Context(), sql, args...).Scan(&value))
	return value
}

// Now is the time by Postgres.
func (s *Site) Now() time.Time { return Ask[time.Time](s, `SELECT clock_timestamp()`) }

// Reply sets what the receivers answer from now on.
func (s *Site) Reply(with Replies) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reply = with
}

// Send is the receivers' side of both workers.
func (s *Site) Send(ctx context.Context, r guard.Request) (*guard.Response, error) {
	s.mu.Lock()
	s.got = append(s.got, r)
	reply := s.reply
	s.mu.Unlock()
	return reply(ctx, r)
}

// Received returns what came since the last time.
func (s *Site) Received() []guard.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

// Dispatch starts an execution whose first event waits for its receiver.
func (s *Site) Dispatch() (executionID string) {
	s.t.Helper()
	d, err := s.Executions.Dispatch(s.t.Context(), Workspace, execution.Dispatch{
		DefinitionID: "call", KeySpace: contract.KeysOfCallers,
		Receiver: &execution.Receiver{URL: "https://receiver.test/", Origin: "https://receiver.test:443", Secret: siteSecret},
	})
	require.NoError(s.t, err)
	return d.ExecutionID
}

// SignedWithin asserts that a request was signed with a time of Postgres.
func (s *Site) SignedWithin(r guard.Request, since, until time.Time) {
	s.t.Helper()
	at, err := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	require.NoError(s.t, err)
	assert.GreaterOrEqual(s.t, at, since.Unix())
	assert.LessOrEqual(s.t, at, until.Unix())
}

// Within asserts that a row waits until a time, give or take what passed between
// two looks at the clock of Postgres.
func Within(t *testing.T, want, got time.Time, took time.Duration) {
	t.Helper()
	assert.WithinRange(t, got, want.Add(-took), want.Add(took))
}
