package delivery

import (
	"encoding/json"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/activities/activitytest"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/workspace"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

// site is one database that two workers share whose clocks are far apart.
type site struct {
	*activitytest.Site

	t *testing.T
}

func newSite(t *testing.T) *site {
	t.Helper()
	return &site{activitytest.New(t), t}
}

// worker dispatches by its own clock.
func (s *site) worker(own activities.Clock) *Activities {
	d := newActivities(s.t, s.Rows, 100, replies(s.Send))
	d.clock = own
	return d
}

func (s *site) destination() contract.DeliveryInput {
	s.t.Helper()
	return contract.DeliveryInput{WorkspaceID: activitytest.Workspace, DestinationID: activitytest.Ask[string](s.Site, `SELECT destination_id FROM deliveries LIMIT 1`)}
}

// look lets a worker claim once, send what it claimed and record it.
func (s *site) look(d *Activities, in contract.DeliveryInput) contract.DispatchResult {
	s.t.Helper()
	stop := make(chan struct{})
	close(stop)
	at := originKey{in.DestinationID, "https://receiver.test:443"}
	d.origins.find(at, contract.KindReceiver).concurrency = mostConcurrency
	d.origins.pace.Answered(at.origin, http.StatusOK)
	stands := dispatchOf(s.t, d, in, stop)
	d.Wait(s.t.Context())
	return stands
}

// lookBoth lets both look side by side, as often as rows may follow one another.
func (s *site) lookBoth(in contract.DeliveryInput) {
	s.t.Helper()
	for range 3 {
		var both sync.WaitGroup
		for _, own := range []activities.Clock{s.Fast, s.Slow} {
			both.Go(func() { s.look(s.worker(own), in) })
		}
		both.Wait()
	}
}

// named returns how often something came for each of the executions; each must be
// signed with the time of Postgres.
func (s *site) named(since time.Time) map[string]int {
	s.t.Helper()
	until, times := s.Now(), map[string]int{}
	for _, r := range s.Received() {
		var body struct {
			ExecutionID string `json:"executionId"`
		}
		require.NoError(s.t, json.Unmarshal(r.Body, &body))
		times[body.ExecutionID]++
		s.SignedWithin(r, since, until)
	}
	return times
}

func TestDeliveries_5_ClocksFarApart(t *testing.T) {
	s := newSite(t)
	begun := s.Now()
	held, lapsed := s.Dispatch(), s.Dispatch()
	in := s.destination()
	to, err := s.Rows.LockDestination(t.Context(), in.WorkspaceID, in.DestinationID, "a third")
	require.NoError(t, err)
	claimed, err := s.Rows.Claim(t.Context(), to, "a third", delivery.ClaimLimits{Rows: 2, Origins: []string{"https://receiver.test:443"}, Shares: []int{2}})
	require.NoError(t, err)
	require.Len(t, claimed.Rows, 2)
	s.Exec(`UPDATE open_deliveries SET locked_until = clock_timestamp() + CASE WHEN id IN (SELECT id FROM deliveries WHERE execution_id = $1) THEN -$2::interval ELSE $2 END`, lapsed, activitytest.Soon)

	fresh, late, early, retried := s.Dispatch(), s.Dispatch(), s.Dispatch(), s.Dispatch()
	s.Exec(`UPDATE open_deliveries SET due_at = clock_timestamp() - $2::interval WHERE id IN (SELECT id FROM deliveries WHERE execution_id = $1)`, late, activitytest.Soon)
	s.Exec(`UPDATE open_deliveries SET due_at = clock_timestamp() + $2::interval WHERE id IN (SELECT id FROM deliveries WHERE execution_id = $1)`, early, activitytest.Soon)
	s.Exec(`UPDATE open_deliveries SET due_at = clock_timestamp() + $2::interval WHERE id IN (SELECT id FROM deliveries WHERE execution_id = $1)`, retried, activitytest.Soon)
	s.Exec(`UPDATE deliveries SET round = 1, attempt = 1 WHERE execution_id = $1`, retried)
	s.lookBoth(in)
	assert.Equal(t, map[string]int{fresh: 1, late: 1, lapsed: 1}, s.named(begun), "what is due, once; nothing early, nothing that is held")

	s.Exec(`UPDATE open_deliveries SET due_at = clock_timestamp() WHERE locked_until = '-infinity'`)
	s.Exec(`UPDATE open_deliveries SET locked_until = clock_timestamp() WHERE locked_until > '-infinity'`)
	s.lookBoth(in)
	assert.Equal(t, map[string]int{early: 1, retried: 1, held: 1}, s.named(begun), "once it is due, or its hold has ended")
}

func TestDeliveries_5_ARunSleepsByTheClockOfTheRows(t *testing.T) {
	s := newSite(t)
	s.Dispatch()
	in := s.destination()
	s.Exec(`UPDATE open_deliveries SET due_at = clock_timestamp() + interval '1 hour'`)
	due := activitytest.Ask[time.Time](s.Site, `SELECT due_at FROM open_deliveries`)
	for _, own := range []activities.Clock{s.Fast, s.Slow} {
		before := s.Now()
		stands := s.look(s.worker(own), in)
		after := s.Now()
		require.NotNil(t, stands.NextIn)
		activitytest.Within(t, due, before.Add(time.Duration(*stands.NextIn)*time.Millisecond), after.Sub(before)+time.Millisecond)
		assert.Contains(t, stands.Details, "next: "+due.UTC().Format("2006-01-02T15:04:"), "people read the same time")
	}
}

func TestDeliveries_5_ADateToWaitForIsReadByTheClockOfTheRows(t *testing.T) {
	s := newSite(t)
	caller := workspace.Caller{WorkspaceID: activitytest.Workspace, Operation: "test"}
	_, err := s.Webhooks.Configure(t.Context(), activitytest.Workspace, caller, delivery.SettingsChange{Enabled: new(true)})
	require.NoError(t, err)
	made, err := s.Webhooks.Create(t.Context(), activitytest.Workspace, caller, delivery.NewEndpoint{URL: "http://hooks.test/", FilterTypes: []string{"execution.dispatched"}})
	require.NoError(t, err)
	in := contract.DeliveryInput{WorkspaceID: activitytest.Workspace, DestinationID: made.ID}
	for _, own := range []activities.Clock{s.Fast, s.Slow} {
		s.Dispatch()
		before := s.Now()
		until := before.Add(10 * time.Minute).Truncate(time.Second)
		s.Reply(activitytest.Busy(until))
		s.look(s.worker(own), in)
		after := s.Now()
		got := s.Received()
		require.Len(t, got, 1)
		s.SignedWithin(got[0], before, after)
		activitytest.Within(t, until, activitytest.Ask[time.Time](s.Site, `SELECT due_at FROM open_deliveries WHERE destination_id = $1 ORDER BY id DESC LIMIT 1`, made.ID), after.Sub(before))
		begun := activitytest.Ask[time.Time](s.Site, `SELECT max(started_at) FROM attempts`)
		assert.WithinRange(t, begun, before, after)
	}
}
