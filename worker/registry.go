package worker

import (
	"context"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/workflow"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/workflows"
)

// ExecutionActivities are the activities of the Execution workflow
// (*execution.Activities).
type ExecutionActivities interface {
	Plan(ctx context.Context, in contract.PlanInput) (contract.Plan, error)
	Call(ctx context.Context, in contract.CallInput) (contract.Plan, error)
}

// DeliveryActivities are the activities of the Delivery workflow
// (*delivery.Activities).
type DeliveryActivities interface {
	// ByName returns each activity under its name in the contract.
	ByName() map[string]any
}

// registry takes what a group of pollers runs. Everything is registered by its
// name in the contract: of two functions with one name the later silently runs
// for both.
type registry interface {
	RegisterWorkflowWithOptions(w any, o workflow.RegisterOptions)
	RegisterActivityWithOptions(a any, o activity.RegisterOptions)
}

func (w *Worker) registerExecutions(r registry) {
	r.RegisterWorkflowWithOptions(workflows.Execution, workflow.RegisterOptions{Name: contract.WorkflowExecution})
	r.RegisterActivityWithOptions(w.o.ExecutionActivities.Plan, activity.RegisterOptions{Name: contract.ActivityPlan})
	r.RegisterWorkflowWithOptions(workflows.Scheduled, workflow.RegisterOptions{Name: contract.WorkflowScheduled})
	r.RegisterActivityWithOptions(w.o.ScheduleActivities.Fire, activity.RegisterOptions{Name: contract.ActivityFire})
	r.RegisterActivityWithOptions(w.call, activity.RegisterOptions{Name: contract.ActivityCall})
}

func (w *Worker) registerDeliveries(r registry) {
	r.RegisterWorkflowWithOptions(workflows.Delivery, workflow.RegisterOptions{Name: contract.WorkflowDelivery})
	for name, fn := range w.o.DeliveryActivities.ByName() {
		r.RegisterActivityWithOptions(fn, activity.RegisterOptions{Name: name})
	}
}

// call is the activity of a call; its end may have set a slot free.
func (w *Worker) call(ctx context.Context, in contract.CallInput) (contract.Plan, error) {
	defer w.callSlots.poll.Notify()
	return w.o.ExecutionActivities.Call(ctx, in)
}
