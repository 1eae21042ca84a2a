package activities

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/internal/telemetry"
	"github.com/redline-svc/redline/models"
)

// DeliveryRows is what the activities of deliveries need of the rows
// (*models.Deliveries).
type DeliveryRows interface {
	DeliveryLease
	// Revive gives back the rows whose attempt was interrupted.
	Revive(ctx context.Context, kind, destinationID string) (int, error)
	// EndCut ends some of the rows that are not to be sent any more; more tells
	// that others may be left.
	EndCut(ctx context.Context, destinationID string) (more bool, err error)
	// Draw begins attempts of due rows.
	Draw(ctx context.Context, workspaceID, destinationID, driver string, l models.DrawLimits) (models.Batch, error)
	// StartLate tells whether a row drawn some time ago may still be sent.
	StartLate(ctx context.Context, row *models.Drawn) (bool, error)
	// Record stores outcomes together.
	Record(ctx context.Context, outcomes []models.Outcome) (models.Recorded, error)
	// Settle tells how a destination stands once nobody draws.
	Settle(ctx context.Context, destinationID string) (models.Standing, error)
	// CancelWaiting ends what waits.
	CancelWaiting(ctx context.Context, workspaceID, destinationID string) (int, error)
	// Undriven and Overdue give destinations that want a run and have none.
	Undriven(ctx context.Context, destinationIDs []string) ([]contract.DeliveryInput, error)
	Overdue(ctx context.Context) ([]contract.DeliveryInput, error)
}

// DeliveryLease says who draws from a destination, and when it next has
// something to draw.
type DeliveryLease interface {
	// TakeLease gives the destination's kind, empty when there is no such one.
	TakeLease(ctx context.Context, workspaceID, destinationID, driver string) (kind string, err error)
	RenewLease(ctx context.Context, workspaceID, destinationID, driver string) (bool, error)
	GiveLeaseBack(ctx context.Context, workspaceID, destinationID, driver string) error
	// NextDue is how long until something can be drawn; nil for nothing.
	NextDue(ctx context.Context, destinationID string) (*time.Duration, error)
}

// DeliveryOptions are the settings of the activities of deliveries.
type DeliveryOptions struct {
	// Slots is how many requests may be under way in this process
	// (REDLINE_WEBHOOK_SLOTS).
	Slots int
	// Places is how many destinations this process can draw from at once.
	Places int
	// Mailer hands mails over to their relays.
	Mailer Mailer
	// Wake tells, when nobody draws from destinations any more, that their rows
	// have changed (Nudges.Destinations).
	Wake    func(destinationIDs ...string)
	Metrics *telemetry.Metrics
	Log     *slog.Logger
}

// Clients gives the client of a key (*guard.Guard).
type Clients interface {
	Client(key string, kind guard.Kind) *guard.Client
}

// Deliveries are the activities of the Delivery workflow, and what they share in
// this process: the slots, the recorder, and the drains that run.
type Deliveries struct {
	rows    DeliveryRows
	post    func(ctx context.Context, key string, kind guard.Kind, r guard.Request) (*guard.Response, error)
	mailer  Mailer
	places  int
	wake    func(destinationIDs ...string)
	metrics *telemetry.Metrics
	log     *slog.Logger
	clock   clock

	slots      *slots
	recorder   *recorder
	departures departures
	flights    sync.WaitGroup

	mu     sync.Mutex
	drains map[string]map[*drain]struct{} // by destination
	active [2]int                         // by lane
}

// NewDeliveries makes the activities.
func NewDeliveries(rows DeliveryRows, clients Clients, o DeliveryOptions) *Deliveries {
	d := &Deliveries{
		rows: rows, mailer: o.Mailer, places: o.Places, wake: o.Wake, metrics: o.Metrics, log: o.Log, clock: ownClock(),
		slots: newSlots(o.Slots), departures: departures{last: map[string]chan struct{}{}}, drains: map[string]map[*drain]struct{}{},
		post: func(ctx context.Context, key string, kind guard.Kind, r guard.Request) (*guard.Response, error) {
			return clients.Client(key, kind).Send(ctx, r)
		},
	}
	d.recorder = newRecorder(rows, o.Log, d.stored)
	return d
}

// Activities gives each activity under its name in the contract.
func (d *Deliveries) Activities() map[string]any {
	return map[string]any{contract.ActivityDrain: d.Drain, contract.ActivityCancel: d.Cancel}
}

// Nudge tells the drains of this process that destinations may have new rows;
// no ids means all of them. It never blocks.
func (d *Deliveries) Nudge(destinationIDs []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, dst := range destinationIDs {
		for run := range d.drains[dst] {
			run.rouse()
		}
	}
	if len(destinationIDs) > 0 {
		return
	}
	for _, runs := range d.drains {
		for run := range runs {
			run.rouse()
		}
	}
}

// Undriven is what the relay asks after a commit. Destinations that are drawn
// from here need no question: their drain was nudged, and one that is about to
// end looks at the rows once more after this.
func (d *Deliveries) Undriven(ctx context.Context, destinationIDs []string) ([]contract.DeliveryInput, error) {
	if len(destinationIDs) == 0 {
		return d.rows.Undriven(ctx, nil)
	}
	elsewhere := d.notDrawnHere(destinationIDs)
	if len(elsewhere) == 0 {
		return nil, nil
	}
	return d.rows.Undriven(ctx, elsewhere)
}

func (d *Deliveries) notDrawnHere(destinationIDs []string) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(destinationIDs), func(dst string) bool {
		for run := range d.drains[dst] {
			if !run.settling {
				return true
			}
		}
		return false
	})
}

// Overdue is what the sweep asks.
func (d *Deliveries) Overdue(ctx context.Context) ([]contract.DeliveryInput, error) {
	return d.rows.Overdue(ctx)
}

// Cancel is the activity that ends what waits for a destination, after somebody
// cancelled its run in the engine.
func (d *Deliveries) Cancel(ctx context.Context, in contract.DeliveryInput) error {
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeLimit)
	defer cancel()
	_, err := d.rows.CancelWaiting(own, in.WorkspaceID, in.DestinationID)
	return engineError(ctx, err)
}

// Wait returns when the requests under way have ended and their outcomes are
// stored, or when ctx ends. It is called once nothing draws any more.
func (d *Deliveries) Wait(ctx context.Context) {
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

// stored hears of outcomes after their commit: origins have room again, and
// failures have a next time. A destination that nobody draws from here is woken,
// since its run sleeps until the end of the hold.
func (d *Deliveries) stored(batch []ended, did models.Recorded) {
	failed := map[string]bool{}
	for _, dst := range did.Moved {
		failed[dst] = true
	}
	for _, reason := range did.Disabled {
		d.metrics.EndpointsDisabled.WithLabelValues(reason).Inc()
	}
	for _, e := range batch {
		failed[e.Drawn.DestinationID] = failed[e.Drawn.DestinationID] || !e.Class.Final()
	}
	var undriven []string
	d.mu.Lock()
	for dst, again := range failed {
		if len(d.drains[dst]) == 0 {
			undriven = append(undriven, dst)
		}
		for run := range d.drains[dst] {
			if again || run.blocked.Load() {
				run.rouse()
			}
		}
	}
	d.mu.Unlock()
	if len(undriven) > 0 {
		d.wake(undriven...)
	}
}
