package bare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/redline-svc/redline/bench/measure"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

const (
	namespace = "bench"
	queue     = "bench"
	// callLimit is how long a request of a bare side may take.
	callLimit = 10 * time.Second
)

// Temporal is the other side of most rows: workflows written directly
// against the SDK, in a namespace of their own on the same server.
type Temporal struct {
	client client.Client
	worker worker.Worker
	http   *http.Client
	// did counts local activities, so that a block knows when it is done.
	did atomic.Int64
	// rows is where Chains keeps its tables.
	rows *pgxpool.Pool
}

// StartTemporal registers the workflows with Temporal at the address and starts
// their worker; requests go to receivers with certificates of the authority.
func StartTemporal(ctx context.Context, address string, authority *receiver.Authority) (*Temporal, error) {
	if err := makeNamespace(ctx, address); err != nil {
		return nil, err
	}
	options := client.Options{HostPort: address, Namespace: namespace, Logger: Silent{}}
	dialed, err := client.DialContext(ctx, options)
	if err != nil {
		return nil, err
	}
	b := &Temporal{client: dialed, http: trusting(authority)}
	b.worker = worker.New(dialed, queue, worker.Options{})
	b.worker.RegisterWorkflow(b.instant)
	b.worker.RegisterWorkflow(b.waiting)
	b.worker.RegisterWorkflow(b.calling)
	b.worker.RegisterWorkflow(b.chained)
	b.worker.RegisterWorkflow(b.deciding)
	b.worker.RegisterActivity(b.call)
	b.worker.RegisterActivity(b.step)
	return b, b.worker.Start()
}

// makeNamespace creates the namespace and waits until Temporal serves it.
func makeNamespace(ctx context.Context, address string) error {
	namespaces, err := client.NewNamespaceClient(client.Options{HostPort: address, Logger: Silent{}})
	if err != nil {
		return err
	}
	defer namespaces.Close()
	const day = 24 * time.Hour
	err = namespaces.Register(ctx, &workflowservice.RegisterNamespaceRequest{
		Namespace: namespace, WorkflowExecutionRetentionPeriod: durationpb.New(day),
	})
	var there *serviceerror.NamespaceAlreadyExists
	if err != nil && !errors.As(err, &there) {
		return err
	}
	dialed, err := client.DialContext(ctx, client.Options{HostPort: address, Namespace: namespace, Logger: Silent{}})
	if err != nil {
		return err
	}
	defer dialed.Close()
	deadline := time.Now().Add(time.Minute)
	for {
		_, err := dialed.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{})
		if err == nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(measure.Look)
	}
}

// Close stops the worker; the workflows stay.
func (b *Temporal) Close() {
	if b.worker != nil {
		b.worker.Stop()
	}
	b.client.Close()
}

// start begins a workflow eagerly, as the SDK does best.
func (b *Temporal) start(ctx context.Context, kind any, args ...any) (client.WorkflowRun, error) {
	options := client.StartWorkflowOptions{ID: measure.Unique("bare"), TaskQueue: queue, EnableEagerStart: true}
	return b.client.ExecuteWorkflow(ctx, options, kind, args...)
}

// locally is the one local activity of each bare workflow.
func (b *Temporal) locally(ctx workflow.Context) error {
	ctx = workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{ScheduleToCloseTimeout: callLimit})
	return workflow.ExecuteLocalActivity(ctx, b.note).Get(ctx, nil)
}

func (b *Temporal) note(context.Context) error {
	b.did.Add(1)
	return nil
}

// instant does one thing and ends.
func (b *Temporal) instant(ctx workflow.Context) error { return b.locally(ctx) }

// waiting ends with its update, whose handler does one thing.
func (b *Temporal) waiting(ctx workflow.Context) error {
	decided := false
	err := workflow.SetUpdateHandler(ctx, "decide", func(ctx workflow.Context) error {
		defer func() { decided = true }()
		return b.locally(ctx)
	})
	if err != nil {
		return err
	}
	return workflow.Await(ctx, func() bool { return decided && workflow.AllHandlersFinished(ctx) })
}

// calling is waiting with one activity behind it, which makes a request.
func (b *Temporal) calling(ctx workflow.Context, url, id string) error {
	if err := b.waiting(ctx); err != nil {
		return err
	}
	ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: callLimit})
	return workflow.ExecuteActivity(ctx, b.call, url, id).Get(ctx, nil)
}

// call posts the id to the address.
func (b *Temporal) call(ctx context.Context, url, id string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(`{"executionId":"`+id+`"}`)))
	if err != nil {
		return err
	}
	answer, err := b.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("answered %d", answer.StatusCode)
	}
	return nil
}

// decide sends the update and waits for its end.
func (b *Temporal) decide(ctx context.Context, id string) error {
	handle, err := b.client.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: id, UpdateName: "decide", WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err != nil {
		return err
	}
	return handle.Get(ctx, nil)
}

// Silent keeps the SDK's log out of the table.
type Silent struct{}

var _ log.Logger = Silent{}

// Debug is not shown.
func (Silent) Debug(string, ...any) {}

// Info is not shown.
func (Silent) Info(string, ...any) {}

// Warn is not shown.
func (Silent) Warn(string, ...any) {}

// Error is not shown.
func (Silent) Error(string, ...any) {}
