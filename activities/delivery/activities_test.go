package delivery

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"

	"github.com/redline-svc/redline/activities/activitytest"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/pace"
	"github.com/redline-svc/redline/internal/poll"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/internal/webhook"
	"github.com/redline-svc/redline/models/delivery"
)

var target = contract.DeliveryInput{WorkspaceID: "ws_1", DestinationID: "dst_1"}

// outbox plays the rows of one destination.
type outbox struct {
	mu        sync.Mutex
	due       []*delivery.Claimed
	underWay  int
	owner     string
	claims    int
	looks     int // at the origins that are due
	refusals  int // how often outcomes are not stored
	recorded  []delivery.Outcome
	released  bool
	throttled bool // as it was released
	standing  delivery.DestinationState
	claimErr  error
	kind      string
	cancelled int    // how many times rows are left to end
	url       string // of an endpoint
	more      bool
	again     time.Duration
	closed    bool    // what was claimed is not to start any more
	late      []int64 // rows that asked whether they may still start
}

func (o *outbox) LockDestination(_ context.Context, workspaceID, destinationID, owner string) (delivery.Destination, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.owner = owner
	return delivery.Destination{WorkspaceID: workspaceID, ID: destinationID, Kind: cmp.Or(o.kind, contract.KindReceiver), URL: o.url}, nil
}

func (o *outbox) ExtendLock(_ context.Context, _, _, owner string) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.owner == owner, nil
}

func (o *outbox) UnlockDestination(_ context.Context, _, _, _ string, throttled bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.released, o.throttled = true, throttled
	return nil
}

func (o *outbox) NextDue(context.Context, string) (*time.Duration, error) { return nil, nil } //nolint:nilnil // nothing waits

func (o *outbox) EndCancelled(context.Context, string) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cancelled--
	return o.cancelled > 0, nil
}

func (o *outbox) DueOrigins(_ context.Context, _, after string, most int) ([]string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.looks++
	var due []string
	for _, row := range o.due {
		if row.Origin > after {
			due = append(due, row.Origin)
		}
	}
	slices.Sort(due)
	due = slices.Compact(due)
	return due[:min(most, len(due))], nil
}

func (o *outbox) Claim(_ context.Context, to delivery.Destination, owner string, l delivery.ClaimLimits) (delivery.ClaimedBatch, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.claims++
	if o.claimErr != nil || o.owner != owner {
		return delivery.ClaimedBatch{}, o.claimErr
	}
	left := map[string]int{"": l.Rows} // of an endpoint and of mails
	for i, origin := range l.Origins {
		left[origin] = l.Shares[i]
	}
	var rows, due []*delivery.Claimed
	for _, row := range o.due {
		if len(rows) == l.Rows || left[row.Origin] == 0 || to.URL != o.url {
			due = append(due, row)
			continue
		}
		left[row.Origin]--
		rows = append(rows, row)
	}
	o.due, o.underWay = due, o.underWay+len(rows)
	return delivery.ClaimedBatch{Rows: rows, More: o.more || len(o.due) > 0, Cancelled: o.cancelled > 0, URL: o.url, Again: o.again}, nil
}

func (o *outbox) StartLate(_ context.Context, row *delivery.Claimed) (bool, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.late = append(o.late, row.ID)
	return !o.closed, nil
}

func (o *outbox) Record(_ context.Context, outcomes []delivery.Outcome) (delivery.Recorded, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.refusals > 0 {
		o.refusals--
		return delivery.Recorded{}, fault.Unavailable(errors.New("the database is away"))
	}
	o.recorded = append(o.recorded, outcomes...)
	o.underWay -= len(outcomes)
	return delivery.Recorded{Kept: len(outcomes)}, nil
}

func (o *outbox) State(context.Context, string) (delivery.DestinationState, error) {
	return o.standing, nil
}

func (o *outbox) CancelWaiting(context.Context, string, string) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(o.due)
	o.due = nil
	return n, nil
}

func (o *outbox) outcomes() []delivery.Outcome {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]delivery.Outcome{}, o.recorded...)
}

func (o *outbox) add(rows ...*delivery.Claimed) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.due = append(o.due, rows...)
}

func event(seq int64, executionID string) *delivery.Claimed {
	return &delivery.Claimed{
		ID: seq, WorkspaceID: target.WorkspaceID, DestinationID: target.DestinationID, Origin: "https://receiver.test:443", Limit: delivery.ReceiverLimit, BegunAt: time.Now(),
		URL: "https://receiver.test/", Secret: []byte("a secret of sixteen"),
		Event: webhook.Event{Event: "step.completed", EventID: executionID, ExecutionID: executionID, Seq: seq, At: time.Now()},
	}
}

func events(n int, executionID string) []*delivery.Claimed {
	rows := make([]*delivery.Claimed, n)
	for i := range rows {
		rows[i] = event(int64(i+1), executionID)
	}
	return rows
}

// replies plays receivers.
type replies = activitytest.Replies

func fine(context.Context, guard.Request) (*guard.Response, error) {
	return &guard.Response{Status: http.StatusOK}, nil
}

// lingers is for how long dispatchers claim.
const lingers = 5 * time.Second

func newActivities(t *testing.T, o Rows, slots int, reply replies) *Activities {
	t.Helper()
	d := New(o, nil, Options{
		Slots: slots, Pace: pace.New(time.Now), Dispatchers: 10, Linger: lingers, Notify: func(...string) {}, Metrics: telemetry.NewMetrics(), Log: slog.New(slog.DiscardHandler),
	})
	d.post = func(ctx context.Context, _ string, _ guard.Kind, r guard.Request) (*guard.Response, error) {
		answer, err := reply(ctx, r)
		if err == nil { // as the guard does
			d.origins.pace.Answered(guard.Origin(r.URL, guard.Receiver), answer.Status)
		}
		return answer, err
	}
	t.Cleanup(func() { d.Wait(context.Background()) })
	return d
}

// dispatched is the destination of the tests as one of a kind.
func dispatched(kind string) delivery.Destination {
	return delivery.Destination{WorkspaceID: target.WorkspaceID, ID: target.DestinationID, Kind: kind}
}

// earned lets the receiver of the tests have so many requests under way from the first on.
func earned(d *Activities, concurrency int) {
	at := originOf(event(1, ""))
	d.origins.mu.Lock()
	defer d.origins.mu.Unlock()
	d.origins.find(at, contract.KindReceiver).concurrency = concurrency
	d.origins.pace.Answered(at.origin, http.StatusOK)
}

// dispatchUntil runs the activity of the target until stop is closed or it ends by
// itself.
func dispatchUntil(t *testing.T, d *Activities, stop chan struct{}) contract.DispatchResult {
	t.Helper()
	return dispatchOf(t, d, target, stop)
}

func dispatchOf(t *testing.T, d *Activities, in contract.DeliveryInput, stop chan struct{}) contract.DispatchResult {
	t.Helper()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestActivityEnvironment()
	env.SetWorkerOptions(worker.Options{})
	env.SetWorkerStopChannel(stop)
	env.RegisterActivityWithOptions(d.Dispatch, activity.RegisterOptions{Name: contract.ActivityDispatch})
	value, err := env.ExecuteActivity(contract.ActivityDispatch, in)
	require.NoError(t, err)
	var result contract.DispatchResult
	require.NoError(t, value.Get(&result))
	return result
}

// stopWhen returns a stop channel that is closed once done holds, or never comes to
// hold; in a bubble of synctest, where a look takes no time.
func stopWhen(t *testing.T, done func() bool) chan struct{} {
	t.Helper()
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		waitFor(done)
	}()
	return stop
}

func TestDispatchSendsAndRecords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &outbox{due: events(300, "exec_1")}
		d := newActivities(t, o, 100, fine)
		dispatchUntil(t, d, stopWhen(t, func() bool { return len(o.outcomes()) == 300 }))
		assert.Len(t, o.outcomes(), 300)
		for _, got := range o.outcomes() {
			assert.Equal(t, webhook.OK, got.Class)
			assert.Equal(t, http.StatusOK, got.Status)
		}
		assert.True(t, o.released)
		assert.EqualValues(t, 100, d.slots.Free(), "all slots are back")
	})
}

func TestFirstAttemptsLeaveInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &outbox{due: append(events(40, "exec_1"), events(40, "exec_2")...)}
		var mu sync.Mutex
		left := map[string][]string{}
		d := newActivities(t, o, 100, func(_ context.Context, r guard.Request) (*guard.Response, error) {
			mu.Lock()
			execution := r.Header.Get("webhook-id")
			left[execution] = append(left[execution], string(r.Body))
			mu.Unlock()
			r.OnWritten()
			return &guard.Response{Status: http.StatusOK}, nil
		})
		dispatchUntil(t, d, stopWhen(t, func() bool { return len(o.outcomes()) == 80 }))
		for execution, bodies := range left {
			require.Len(t, bodies, 40)
			for i, body := range bodies {
				want, err := events(40, execution)[i].Event.Body()
				require.NoError(t, err)
				assert.Equal(t, seqIn(want), seqIn([]byte(body)))
			}
		}
	})
}

// seqIn reads the number of the event from a body.
func seqIn(body []byte) string {
	text := string(body)
	const key = `"seq":`
	for i := range text {
		if len(text) > i+len(key) && text[i:i+len(key)] == key {
			return text[i:min(len(text), i+len(key)+4)]
		}
	}
	return ""
}

func TestALingeringDispatcherIsWoken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &outbox{}
		d := newActivities(t, o, 10, fine)
		stop := make(chan struct{})
		go func() {
			defer close(stop)
			waitFor(func() bool { o.mu.Lock(); defer o.mu.Unlock(); return o.looks > 0 })
			for i := range 20 {
				o.add(event(int64(i), "exec_1"))
				d.Notified([]string{target.DestinationID})
				waitFor(func() bool { return len(o.outcomes()) == i+1 })
			}
		}()
		begun := time.Now()
		dispatchUntil(t, d, stop)
		assert.Len(t, o.outcomes(), 20)
		assert.Less(t, time.Since(begun), idlePoll, "none waited until it was looked for")
	})
}

func TestANotificationEndsTheWaitOfADispatcher(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := newActivities(t, &outbox{}, 10, fine)
		run := &dispatcher{Activities: d, to: dispatched(contract.KindReceiver), notified: poll.NewSignal(), ends: d.clock().Add(time.Minute)}
		d.enter(run)
		for _, notified := range [][]string{{"dst_2", target.DestinationID}, nil} {
			d.Notified(notified)
			happened, goOn := run.wait(time.Hour, run.notified)
			assert.True(t, happened, "it did not wait for its time")
			assert.True(t, goOn)
		}
		d.Notified([]string{"dst_2"})
		happened, _ := run.wait(0, run.notified)
		assert.False(t, happened, "another's rows are nothing to it")
	})
}

// waitFor looks every millisecond of a bubble of synctest, for 4 s of it.
func waitFor(done func() bool) {
	for start := time.Now(); time.Since(start) < 4*time.Second && !done(); {
		time.Sleep(time.Millisecond)
	}
}

func TestSlowRequestsEndAfterTheActivity(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		o := &outbox{due: events(3, "exec_1")}
		var notified atomic.Int32
		d := newActivities(t, o, 10, func(_ context.Context, r guard.Request) (*guard.Response, error) {
			r.OnWritten()
			<-release
			return &guard.Response{Status: http.StatusOK}, nil
		})
		d.notify = func(ids ...string) { notified.Add(int32(len(ids))) }
		earned(d, 3)
		dispatchUntil(t, d, stopWhen(t, func() bool { o.mu.Lock(); defer o.mu.Unlock(); return o.underWay == 3 }))
		assert.Empty(t, o.outcomes(), "the activity does not wait for them")
		close(release)
		d.Wait(t.Context())
		assert.Len(t, o.outcomes(), 3)
		assert.Positive(t, notified.Load(), "nobody dispatches any more, so the run is notified")
	})
}

func TestOutcomesAreOfferedUntilTheyAreStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &outbox{due: events(5, "exec_1"), refusals: 3}
		d := newActivities(t, o, 10, fine)
		dispatchUntil(t, d, stopWhen(t, func() bool { return len(o.outcomes()) == 5 }))
		d.Wait(t.Context())
		assert.Len(t, o.outcomes(), 5)
	})
}
