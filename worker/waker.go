package worker

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/pump"
)

const (
	// wakesInFlight is how many wakes are sent to the engine at once.
	wakesInFlight = 8
	// wakesNoted is how many destinations at most are being woken, or were a moment
	// ago.
	wakesNoted = 1000
	// wakeAgain is for how long a destination is not woken again once the engine
	// has taken its wake.
	wakeAgain = 100 * time.Millisecond
)

// Kinds of delivery runs in the engine's UI.
const (
	kindDelivery = "delivery"
	kindEmail    = "email"
)

// Destinations are the rows of deliveries that the worker wakes
// (*delivery.Deliveries).
type Destinations interface {
	// Undriven gives those of the destinations that have rows due and no living
	// activity that sends them; no ids means all of them.
	Undriven(ctx context.Context, ids []string) ([]contract.DeliveryInput, error)
	// Overdue gives the destinations whose rows have been due for long.
	Overdue(ctx context.Context) ([]contract.DeliveryInput, error)
}

// sendWake wakes the run of a destination.
type sendWake func(ctx context.Context, d contract.DeliveryInput) error

// waker starts or pokes the runs of destinations that nobody dispatches for (see
// the comment of the package).
type waker struct {
	rows Destinations
	log  *slog.Logger
	pump *pump.Pump

	// slots are how many wakes may be under way at once.
	slots chan struct{}

	mu    sync.Mutex
	ids   map[string]struct{}
	all   bool
	woken map[string]*wake
}

// wake is the wake of a destination that is under way, or that the engine took less
// than wakeAgain ago.
type wake struct {
	taken time.Time // zero while it is under way
	asked bool      // its destination was found again meanwhile
}

func newWaker(rows Destinations, log *slog.Logger) *waker {
	return &waker{
		rows: rows, log: log, pump: pump.New(0), slots: make(chan struct{}, wakesInFlight),
		ids: map[string]struct{}{}, all: true, woken: map[string]*wake{},
	}
}

// note marks destinations that may have rows to be looked at soon; no ids means
// all. It never blocks.
func (w *waker) note(ids []string) {
	w.mu.Lock()
	for _, dst := range ids {
		w.ids[dst] = struct{}{}
	}
	w.all = w.all || len(ids) == 0
	w.mu.Unlock()
	w.pump.Wake()
}

// take gives what was noted; nil ids for all. Nothing noted gives false.
func (w *waker) take() (ids []string, some bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	some = w.all || len(w.ids) > 0
	if !w.all {
		for dst := range w.ids {
			ids = append(ids, dst)
		}
	}
	clear(w.ids)
	w.all = false
	return ids, some
}

// run wakes until ctx ends: what is noted at once, and whatever is due every
// second. It returns when its own wakes have ended; those of the next session may
// have begun by then.
func (w *waker) run(ctx context.Context, send sendWake) {
	var polling, sending sync.WaitGroup
	polling.Go(func() {
		pump.New(pollEvery).Run(ctx, func(context.Context) bool { w.note(nil); return false })
	})
	w.pump.Run(ctx, func(ctx context.Context) bool {
		if ids, some := w.take(); some {
			w.wake(ctx, ids, send, &sending)
		}
		return false
	})
	polling.Wait()
	sending.Wait()
}

// wake looks which of the destinations nobody dispatches for and wakes them.
func (w *waker) wake(ctx context.Context, ids []string, send sendWake, sending *sync.WaitGroup) {
	own, cancel := context.WithTimeout(ctx, rowsLimit)
	defer cancel()
	found, err := w.rows.Undriven(own, ids)
	if err != nil && ctx.Err() == nil {
		w.log.WarnContext(ctx, "destinations could not be looked up", "error", err)
	}
	w.sendAll(ctx, found, send, sending)
}

// sendAll wakes destinations side by side. It does not wait: a slow engine must not
// hold up the next look.
func (w *waker) sendAll(ctx context.Context, found []contract.DeliveryInput, send sendWake, sending *sync.WaitGroup) {
	for _, d := range w.fresh(found) {
		sending.Go(func() {
			w.slots <- struct{}{}
			defer func() { <-w.slots }()
			defer w.took(d.DestinationID)
			if err := send(context.WithoutCancel(ctx), d); err != nil {
				w.log.WarnContext(ctx, "a delivery run could not be woken", "destinationId", d.DestinationID, "error", err)
			}
		})
	}
}

// fresh leaves out destinations that are being woken or were a moment ago. Those
// are looked at again wakeAgain after the engine has taken their wake.
func (w *waker) fresh(found []contract.DeliveryInput) []contract.DeliveryInput {
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.woken, func(_ string, k *wake) bool { return !k.taken.IsZero() && time.Since(k.taken) >= wakeAgain })
	var fresh []contract.DeliveryInput
	for _, d := range found {
		known := w.woken[d.DestinationID]
		switch {
		case known == nil && len(w.woken) >= wakesNoted: // a later look finds it again
		case known == nil:
			w.woken[d.DestinationID] = &wake{}
			fresh = append(fresh, d)
		case known.taken.IsZero():
			known.asked = true
		default:
			w.lookAgain(d.DestinationID)
		}
	}
	return fresh
}

// took notes that a wake has ended, well or not.
func (w *waker) took(destinationID string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	known := w.woken[destinationID]
	if known.taken = time.Now(); known.asked {
		w.lookAgain(destinationID)
	}
}

func (w *waker) lookAgain(destinationID string) {
	time.AfterFunc(wakeAgain, func() { w.note([]string{destinationID}) })
}

// overdue is the sweep over destinations: it wakes those that nobody has dispatched
// for in a minute, whatever became of their run, and gives how many these are.
func (w *waker) overdue(ctx context.Context) (int, error) {
	found, err := w.rows.Overdue(ctx)
	if err != nil {
		return 0, err
	}
	ids := make([]string, len(found))
	for i, d := range found {
		ids[i] = d.DestinationID
	}
	if len(ids) > 0 {
		w.note(ids)
	}
	return len(found), nil
}

// wake asks the engine for the run of a destination, or pokes the one there is.
func (e *engine) wake(ctx context.Context, d contract.DeliveryInput) error {
	ctx, cancel := context.WithTimeout(ctx, sendLimit)
	defer cancel()
	kind := kindDelivery
	if d.Kind == contract.KindMail {
		kind = kindEmail
	}
	o := client.StartWorkflowOptions{
		ID:                    d.WorkflowID(),
		TaskQueue:             contract.QueueDeliveries,
		WorkflowTaskTimeout:   taskTimeout,
		WorkflowIDReusePolicy: enumspb.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		StaticSummary:         deliverySummary(d),
		TypedSearchAttributes: temporal.NewSearchAttributes(
			keyword(contract.SearchKind, kind),
			keyword(contract.SearchWorkspaceID, d.WorkspaceID),
			keyword(contract.SearchObjectID, d.DestinationID),
		),
	}
	eager := o
	eager.EnableEagerStart, eager.WorkflowExecutionErrorWhenAlreadyStarted = true, true
	_, err := e.ExecuteWorkflow(ctx, eager, contract.WorkflowDelivery, d)
	if _, already := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); already {
		// The open run may have looked already and be closing.
		_, err = e.SignalWithStartWorkflow(ctx, o.ID, contract.SignalPoke, nil, o, contract.WorkflowDelivery, d)
	}
	return err
}

// deliverySummary is the line above the run of a destination: what is sent
// where, by ids alone, since an address may hold a secret.
func deliverySummary(d contract.DeliveryInput) string {
	switch d.Kind {
	case contract.KindEndpoint:
		return "Webhooks to endpoint " + d.DestinationID + " of workspace " + d.WorkspaceID
	case contract.KindMail:
		return "Mails of workspace " + d.WorkspaceID
	default:
		return "Webhooks to the addresses given with executions of workspace " + d.WorkspaceID
	}
}
