package delivery

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/redline-svc/redline/activities"
	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/pace"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models/delivery"
)

// Rows is what the activities need of the rows (*delivery.Deliveries).
type Rows interface {
	Locks
	// EndCancelled ends some of the rows that are not to be sent any more; more says that
	// others may be left.
	EndCancelled(ctx context.Context, destinationID string) (more bool, err error)
	// DueOrigins returns origins of which rows are due, behind one.
	DueOrigins(ctx context.Context, destinationID, after string, most int) ([]string, error)
	// Claim begins attempts of due rows.
	Claim(ctx context.Context, to delivery.Destination, owner string, l delivery.ClaimLimits) (delivery.ClaimedBatch, error)
	// StartLate reports whether a row claimed some time ago may still be sent.
	StartLate(ctx context.Context, row *delivery.Claimed) (bool, error)
	// Record stores outcomes together.
	Record(ctx context.Context, outcomes []delivery.Outcome) (delivery.Recorded, error)
	// State returns the state of a destination once nobody dispatches for it.
	State(ctx context.Context, destinationID string) (delivery.DestinationState, error)
	// CancelWaiting ends what waits.
	CancelWaiting(ctx context.Context, workspaceID, destinationID string) (int, error)
}

// Locks say who dispatches for a destination, and when it next has something to
// send.
type Locks interface {
	// LockDestination returns the destination, one without a kind when there is no such one.
	LockDestination(ctx context.Context, workspaceID, destinationID, owner string) (delivery.Destination, error)
	ExtendLock(ctx context.Context, workspaceID, destinationID, owner string) (bool, error)
	UnlockDestination(ctx context.Context, workspaceID, destinationID, owner string, throttled bool) error
	// NextDue is how long until something can be claimed; nil for nothing.
	NextDue(ctx context.Context, destinationID string) (*time.Duration, error)
}

// Options are the settings of the activities.
type Options struct {
	// Slots is how many requests may be under way in this process
	// (REDLINE_WEBHOOK_SLOTS).
	Slots int
	// Pace is that of requests to origins that have not proved to want them, of all of the process
	// (guard.Guard.Pace).
	Pace *pace.Origins
	// Dispatchers is how many destinations this process can dispatch for at once.
	Dispatchers int
	// Linger is for how long a dispatcher claims rows, waiting for new ones included
	// (REDLINE_DELIVERY_LINGER).
	Linger time.Duration
	// Mailer hands mails over to their relays.
	Mailer Mailer
	// Notify is called when the rows of destinations have changed for which nobody
	// dispatches any more (Notifier.Destinations).
	Notify  func(destinationIDs ...string)
	Metrics *telemetry.Metrics
	Log     *slog.Logger
}

// Clients returns the client of a key (*guard.Guard).
type Clients interface {
	Client(key string, kind guard.Kind) *guard.Client
}

// sender makes the attempts at one kind of destination.
type sender interface {
	// send makes an attempt and returns its outcome. It reports false where nothing can be
	// sent now: the row stays locked and is claimed again when its lock ends.
	send(f flight) (delivery.Outcome, bool)
}

// Activities are the activities of the Delivery workflow, and what they share in
// this process: the slots, what is known of origins, the recorder, and the dispatchers that
// run.
type Activities struct {
	rows        Rows
	post        func(ctx context.Context, key string, kind guard.Kind, r guard.Request) (*guard.Response, error)
	mailer      Mailer
	senders     map[string]sender // by kind of destination
	dispatchers int
	linger      time.Duration
	notify      func(destinationIDs ...string)
	metrics     *telemetry.Metrics
	log         *slog.Logger
	clock       activities.Clock

	slots    *slots.Slots
	origins  *origins
	recorder *recorder
	order    firstAttempts
	flights  sync.WaitGroup

	mu      sync.Mutex
	running map[string]map[*dispatcher]struct{} // by destination
	active  int
}

// New makes the activities.
func New(rows Rows, clients Clients, o Options) *Activities {
	d := &Activities{
		rows: rows, mailer: o.Mailer, dispatchers: o.Dispatchers, linger: o.Linger, notify: o.Notify, metrics: o.Metrics, log: o.Log, clock: activities.SystemClock(),
		slots: slots.New(int64(o.Slots)), origins: newOrigins(o.Slots, o.Pace), order: firstAttempts{last: map[string]chan struct{}{}}, running: map[string]map[*dispatcher]struct{}{},
		post: func(ctx context.Context, key string, kind guard.Kind, r guard.Request) (*guard.Response, error) {
			return clients.Client(key, kind).Send(ctx, r)
		},
	}
	d.senders = map[string]sender{contract.KindReceiver: receivers{d}, contract.KindEndpoint: endpoints{d}, contract.KindMail: mails{d}}
	d.recorder = newRecorder(rows, o.Log, d.stored)
	return d
}

// ByName returns each activity under its name in the contract.
func (d *Activities) ByName() map[string]any {
	return map[string]any{contract.ActivityDispatch: d.Dispatch, contract.ActivityCancel: d.Cancel}
}

// Throttled returns how many origins this process knows that keep failing.
func (d *Activities) Throttled() int { return d.origins.countThrottled() }

// Notified notifies the dispatchers of this process whose destinations may have new
// rows; no ids means all of them. It never blocks.
func (d *Activities) Notified(destinationIDs []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, dst := range destinationIDs {
		for run := range d.running[dst] {
			run.notified.Set()
		}
	}
	if len(destinationIDs) > 0 {
		return
	}
	for _, runs := range d.running {
		for run := range runs {
			run.notified.Set()
		}
	}
}

// Cancel is the activity that ends what waits for a destination, after somebody
// cancelled its run in Temporal.
func (d *Activities) Cancel(ctx context.Context, in contract.DeliveryInput) error {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), activities.StoreLimit)
	defer cancel()
	_, err := d.rows.CancelWaiting(own, in.WorkspaceID, in.DestinationID)
	return activities.Error(ctx, err)
}

// Wait returns when the requests under way have ended and their outcomes are
// stored, or when ctx ends. It is called once nobody dispatches any more.
func (d *Activities) Wait(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		d.flights.Wait()
		d.recorder.idle()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// stored handles outcomes after their commit: origins may take further
// requests, and failures have a next time. A destination without a dispatcher in
// this process is notified, since its run sleeps.
func (d *Activities) stored(batch []ended, did delivery.Recorded) {
	changed := map[string]bool{}
	for _, dst := range did.Moved {
		changed[dst] = true
	}
	for _, reason := range did.Disabled {
		d.metrics.EndpointsDisabled.WithLabelValues(reason).Inc()
	}
	for _, e := range batch {
		changed[e.Claimed.DestinationID] = true
	}
	var overdue []string
	d.mu.Lock()
	for dst := range changed {
		if len(d.running[dst]) == 0 {
			overdue = append(overdue, dst)
		}
		for run := range d.running[dst] {
			run.notified.Set()
		}
	}
	d.mu.Unlock()
	if len(overdue) > 0 {
		d.notify(overdue...)
	}
}
