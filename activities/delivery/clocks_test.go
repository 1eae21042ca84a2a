package activities

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// skew is how far the clock of one worker is ahead of that of Postgres, and that
// of the other one behind it: more than clocks ever are apart, so that no pause of
// a busy machine looks like it. Both clocks stand still, so that none is taken for
// time that a row has waited since its draw. What is awaited is soon away.
const (
	skew = time.Hour
	soon = "30 minutes"
)

// site is one database that two workers share.
type site struct {
	t          *testing.T
	db         *models.DB
	rows       *models.Deliveries
	executions *models.Executions
	webhooks   *models.Webhooks
	// fast and slow are the clocks of the two.
	fast, slow clock

	mu    sync.Mutex
	got   []guard.Request
	reply replies
}

const (
	siteWorkspace = "ws_site"
	siteSecret    = "the secret of a receiver"
	siteFlow      = `{"definitionId":"call","name":"call","nodes":[{"nodeId":"a","type":"webhook","config":{"url":"https://receiver.test/step"}}],"edges":[]}`
)

func newSite(t *testing.T) *site {
	t.Helper()
	t.Parallel()
	db := pgtest.New(t)
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(t, err)
	nudges, definitions := models.NewNudges(db), models.NewDefinitions(db, box)
	made := time.Now()
	s := &site{
		t: t, db: db, reply: fine,
		rows:       models.NewDeliveries(db, box, nudges, models.DeliveryRules{}),
		executions: models.NewExecutions(db, box, definitions, nudges, models.ExecutionOptions{StepCalls: 10}),
		webhooks:   models.NewWebhooks(db, box, nudges, 0),
		fast:       func() time.Time { return made.Add(skew) },
		slow:       func() time.Time { return made.Add(-skew) },
	}
	s.exec(`INSERT INTO owners (id, email_key) VALUES ('usr_site', 'usr_site')`)
	s.exec(`INSERT INTO workspaces (id, owner_id, name, name_key, owner_email, owner_name, token_mac, hash_key_id, token_sealed)
		VALUES ($1, 'usr_site', 'n', 'n', 'e', 'o', sha256('t'), 'h', '')`, siteWorkspace)
	flow, issues := definition.Parse([]byte(siteFlow), definition.Options{})
	require.Empty(t, issues)
	_, err = definitions.Create(t.Context(), siteWorkspace, flow)
	require.NoError(t, err)
	return s
}

func (s *site) exec(sql string, args ...any) {
	s.t.Helper()
	_, err := s.db.Pool.Exec(s.t.Context(), sql, args...)
	require.NoError(s.t, err)
}

// ask reads one value.
func ask[T any](s *site, sql string, args ...any) T {
	s.t.Helper()
	var value T
	require.NoError(s.t, s.db.Pool.QueryRow(s.t.Context(), sql, args...).Scan(&value))
	return value
}

func (s *site) now() time.Time { return ask[time.Time](s, `SELECT clock_timestamp()`) }

// post is the receivers' side of both workers.
func (s *site) post(ctx context.Context, r guard.Request) (*guard.Response, error) {
	s.mu.Lock()
	s.got = append(s.got, r)
	reply := s.reply
	s.mu.Unlock()
	return reply(ctx, r)
}

// received gives what came since the last time.
func (s *site) received() []guard.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

// worker draws by its own clock.
func (s *site) worker(own clock) *Deliveries {
	d := newDeliveries(s.t, s.rows, 100, s.post)
	d.clock = own
	return d
}

// caller makes the calls of steps by its own clock.
func (s *site) caller(own clock) *Executions {
	e := NewExecutions(s.executions, &WebhookSteps{client: func(string) sender { return s }}, 0)
	e.clock = own
	return e
}

func (s *site) Send(ctx context.Context, r guard.Request) (*guard.Response, error) {
	return s.post(ctx, r)
}

// dispatch starts an execution whose first event waits for its receiver.
func (s *site) dispatch() (executionID string) {
	s.t.Helper()
	d, err := s.executions.Dispatch(s.t.Context(), siteWorkspace, models.Dispatch{
		DefinitionID: "call", KeySpace: contract.KeysOfCallers,
		Receiver: &models.Receiver{URL: "https://receiver.test/", Origin: "https://receiver.test:443", Secret: siteSecret},
	})
	require.NoError(s.t, err)
	return d.ExecutionID
}

func (s *site) destination() contract.DeliveryInput {
	s.t.Helper()
	return contract.DeliveryInput{WorkspaceID: siteWorkspace, DestinationID: ask[string](s, `SELECT destination_id FROM deliveries LIMIT 1`)}
}

// look lets a worker draw once, send what it drew and record it.
func (s *site) look(d *Deliveries, in contract.DeliveryInput) contract.DrainResult {
	s.t.Helper()
	stop := make(chan struct{})
	close(stop)
	stands := drainOf(s.t, d, in, stop)
	d.Wait(s.t.Context())
	return stands
}

// lookBoth lets both look side by side, as often as rows may follow one another.
func (s *site) lookBoth(in contract.DeliveryInput) {
	s.t.Helper()
	for range 3 {
		var both sync.WaitGroup
		for _, own := range []clock{s.fast, s.slow} {
			both.Go(func() { s.look(s.worker(own), in) })
		}
		both.Wait()
	}
}

// named gives how often something came for each of the executions; each must be
// signed with the time of Postgres.
func (s *site) named(since time.Time) map[string]int {
	s.t.Helper()
	until, times := s.now(), map[string]int{}
	for _, r := range s.received() {
		var body struct {
			ExecutionID string `json:"executionId"`
		}
		require.NoError(s.t, json.Unmarshal(r.Body, &body))
		times[body.ExecutionID]++
		s.signedWithin(r, since, until)
	}
	return times
}

func (s *site) signedWithin(r guard.Request, since, until time.Time) {
	s.t.Helper()
	at, err := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	require.NoError(s.t, err)
	assert.GreaterOrEqual(s.t, at, since.Unix())
	assert.LessOrEqual(s.t, at, until.Unix())
}

// busy answers that the receiver wants to be left alone until a time.
func busy(until time.Time) replies {
	return func(context.Context, guard.Request) (*guard.Response, error) {
		return answer(http.StatusTooManyRequests, "", "retry-after", until.UTC().Format(http.TimeFormat)), nil
	}
}

// within tells that a row waits until a time, give or take what passed between
// two looks at the clock of Postgres.
func within(t *testing.T, want, got time.Time, took time.Duration) {
	t.Helper()
	assert.WithinRange(t, got, want.Add(-took), want.Add(took))
}

func TestDeliveries_5_ClocksFarApart(t *testing.T) {
	s := newSite(t)
	begun := s.now()
	held, lapsed := s.dispatch(), s.dispatch()
	in := s.destination()
	_, err := s.rows.TakeLease(t.Context(), in.WorkspaceID, in.DestinationID, "a third")
	require.NoError(t, err)
	drawn, err := s.rows.Draw(t.Context(), in.WorkspaceID, in.DestinationID, "a third", models.DrawLimits{Rows: 2, Slow: 2})
	require.NoError(t, err)
	require.Len(t, drawn.Rows, 2)
	s.exec(`UPDATE deliveries SET held_until = clock_timestamp() + CASE WHEN execution_id = $1 THEN -$2::interval ELSE $2 END`, lapsed, soon)
	s.exec(`INSERT INTO origins (destination_id, origin, room, failures, last_class) VALUES ($1, 'https://receiver.test:443', 50, 0, 'ok')`, in.DestinationID)

	fresh, late, early, retried := s.dispatch(), s.dispatch(), s.dispatch(), s.dispatch()
	s.exec(`UPDATE deliveries SET due_at = clock_timestamp() - $2::interval WHERE execution_id = $1`, late, soon)
	s.exec(`UPDATE deliveries SET due_at = clock_timestamp() + $2::interval WHERE execution_id = $1`, early, soon)
	s.exec(`UPDATE deliveries SET due_at = clock_timestamp() + $2::interval, round = 1, attempt = 1 WHERE execution_id = $1`, retried, soon)
	s.lookBoth(in)
	assert.Equal(t, map[string]int{fresh: 1, late: 1, lapsed: 1}, s.named(begun), "what is due, once; nothing early, nothing that is held")

	s.exec(`UPDATE deliveries SET due_at = clock_timestamp() WHERE state = 'pending'`)
	s.exec(`UPDATE deliveries SET held_until = clock_timestamp() WHERE state = 'sending'`)
	s.lookBoth(in)
	assert.Equal(t, map[string]int{early: 1, retried: 1, held: 1}, s.named(begun), "once it is due, or its hold has ended")
}

func TestDeliveries_5_ARunSleepsByTheClockOfTheRows(t *testing.T) {
	s := newSite(t)
	s.dispatch()
	in := s.destination()
	s.exec(`UPDATE deliveries SET due_at = clock_timestamp() + interval '1 hour'`)
	due := ask[time.Time](s, `SELECT due_at FROM deliveries`)
	for _, own := range []clock{s.fast, s.slow} {
		before := s.now()
		stands := s.look(s.worker(own), in)
		after := s.now()
		require.NotNil(t, stands.NextIn)
		within(t, due, before.Add(time.Duration(*stands.NextIn)*time.Millisecond), after.Sub(before)+time.Millisecond)
		assert.Contains(t, stands.Details, "next: "+due.UTC().Format("2006-01-02T15:04:"), "people read the same time")
	}
}

func TestDeliveries_5_ADateToWaitForIsReadByTheClockOfTheRows(t *testing.T) {
	s := newSite(t)
	caller := models.Caller{WorkspaceID: siteWorkspace, Operation: "test"}
	_, err := s.webhooks.Configure(t.Context(), siteWorkspace, caller, models.WebhookChange{Enabled: new(true)})
	require.NoError(t, err)
	made, err := s.webhooks.Create(t.Context(), siteWorkspace, caller, models.NewEndpoint{URL: "http://hooks.test/", FilterTypes: []string{"execution.dispatched"}})
	require.NoError(t, err)
	in := contract.DeliveryInput{WorkspaceID: siteWorkspace, DestinationID: made.ID}
	for _, own := range []clock{s.fast, s.slow} {
		s.dispatch()
		before := s.now()
		until := before.Add(10 * time.Minute).Truncate(time.Second)
		s.reply = busy(until)
		s.look(s.worker(own), in)
		after := s.now()
		got := s.received()
		require.Len(t, got, 1)
		s.signedWithin(got[0], before, after)
		within(t, until, ask[time.Time](s, `SELECT due_at FROM deliveries WHERE destination_id = $1 ORDER BY id DESC LIMIT 1`, made.ID), after.Sub(before))
		begun := ask[time.Time](s, `SELECT max(started_at) FROM endpoint_attempts`)
		assert.WithinRange(t, begun, before, after)
	}
}
