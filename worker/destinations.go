package worker

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"golang.org/x/sync/errgroup"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/poll"
)

const (
	// destinationsAtOnce is how many starts and signals are sent to Temporal at once.
	destinationsAtOnce = 8
	// destinationsClaimed is how many noted destinations are claimed together: as many as
	// Temporal takes well within the time of a claim.
	destinationsClaimed = 64
	// walkClaims and walkPause bound how fast destinations are started that nobody has
	// noted: 40 a second take about one processor, so that those of which a commit
	// says that they have something new do not wait behind hundreds of others when a
	// process begins or Temporal is back.
	walkClaims = 16
	walkPause  = 400 * time.Millisecond
)

// Kinds of delivery runs in Temporal's UI.
const (
	kindDelivery = "delivery"
	kindEmail    = "email"
)

// Destinations are the rows of deliveries whose runs the worker starts
// (*delivery.Deliveries).
type Destinations interface {
	// ClaimDue claims those of the destinations that have rows due and no
	// living activity that sends them, for a second or until one has locked it.
	ClaimDue(ctx context.Context, ids []string) ([]contract.DeliveryInput, error)
	// ClaimNextDue does so for the next ones that have rows, behind after, so
	// many at most, and returns where the next look begins.
	ClaimNextDue(ctx context.Context, after string, most int) (found []contract.DeliveryInput, last string, err error)
	// Overdue returns the destinations whose rows have been due for long.
	Overdue(ctx context.Context) ([]contract.DeliveryInput, error)
}

// sendStart starts or signals the run of a destination.
type sendStart func(ctx context.Context, d contract.DeliveryInput) error

// destinationLoop starts or signals the runs of destinations that nobody dispatches for (see
// the comment of the package).
type destinationLoop struct {
	rows Destinations
	log  *slog.Logger
	poll *poll.Loop

	mu  sync.Mutex
	ids map[string]struct{}
	// walk says that the next destinations are to be visited.
	walk bool
}

func newDestinationLoop(rows Destinations, log *slog.Logger) *destinationLoop {
	return &destinationLoop{rows: rows, log: log, poll: poll.New(0), ids: map[string]struct{}{}, walk: true}
}

// note marks destinations that may have rows to be looked at soon; no ids means
// that any may. It never blocks.
func (w *destinationLoop) note(ids []string) {
	w.mu.Lock()
	for _, dst := range ids {
		w.ids[dst] = struct{}{}
	}
	w.walk = w.walk || len(ids) == 0
	w.mu.Unlock()
	w.poll.Notify()
}

// take returns some of what was noted, and whether to walk on besides; more says
// that others are left.
func (w *destinationLoop) take() (ids []string, walk, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for dst := range w.ids {
		if len(ids) == destinationsClaimed {
			break
		}
		ids = append(ids, dst)
		delete(w.ids, dst)
	}
	walk, w.walk = w.walk, false
	return ids, walk, len(w.ids) > 0
}

// run starts runs until ctx ends: of what is noted at once, and some of whatever is due
// every second.
func (w *destinationLoop) run(ctx context.Context, send sendStart) {
	var polling sync.WaitGroup
	polling.Go(func() {
		poll.New(pollEvery).Run(ctx, func(context.Context) bool { w.note(nil); return false })
	})
	last := ""
	w.poll.Run(ctx, func(ctx context.Context) bool { return w.look(ctx, &last, send) })
	polling.Wait()
}

// look starts the runs of what was noted and, in turn, of others behind last. It reports whether more
// may have to be started.
func (w *destinationLoop) look(ctx context.Context, last *string, send sendStart) bool {
	ids, walk, more := w.take()
	if len(ids) > 0 {
		w.start(ctx, send, func(own context.Context) ([]contract.DeliveryInput, error) { return w.rows.ClaimDue(own, ids) })
	}
	if walk && w.start(ctx, send, func(own context.Context) (found []contract.DeliveryInput, err error) {
		found, *last, err = w.rows.ClaimNextDue(own, *last, walkClaims)
		return found, err
	}) > 0 {
		time.AfterFunc(walkPause, func() { w.note(nil) }) // who finds some finds more behind them
	}
	return more
}

// start claims destinations and starts their runs side by side. One whose start fails is
// found again once its claim has run out.
func (w *destinationLoop) start(ctx context.Context, send sendStart, claim func(context.Context) ([]contract.DeliveryInput, error)) int {
	own, cancel := context.WithTimeout(ctx, rowsLimit)
	found, err := claim(own)
	cancel()
	if err != nil && ctx.Err() == nil {
		w.log.WarnContext(ctx, "destinations could not be looked up", "error", err)
	}
	var sending errgroup.Group
	sending.SetLimit(destinationsAtOnce)
	for _, d := range found {
		sending.Go(func() error {
			w.sendOne(ctx, send, d)
			return nil
		})
	}
	_ = sending.Wait() // what failed is logged
	return len(found)
}

// sendOne starts one, unless the session has ended: the next one finds it again.
func (w *destinationLoop) sendOne(ctx context.Context, send sendStart, d contract.DeliveryInput) {
	if ctx.Err() != nil {
		return
	}
	if err := send(context.WithoutCancel(ctx), d); err != nil {
		w.log.WarnContext(ctx, "a delivery run could not be started", "destination_id", d.DestinationID, "error", err)
	}
}

// overdue notes the destinations those that nobody has dispatched
// for in a minute, whatever became of their run, and returns how many these are.
func (w *destinationLoop) overdue(ctx context.Context) (int, error) {
	found, err := w.rows.Overdue(ctx)
	if err != nil {
		return 0, err
	}
	for _, d := range found {
		w.note([]string{d.DestinationID})
	}
	return len(found), nil
}

// startDelivery asks Temporal for the run of a destination, or signals the one there is.
func (e *connection) startDelivery(ctx context.Context, d contract.DeliveryInput) error {
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
		_, err = e.SignalWithStartWorkflow(ctx, o.ID, contract.SignalChanged, nil, o, contract.WorkflowDelivery, d)
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
