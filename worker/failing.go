package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	failurepb "go.temporal.io/api/failure/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"golang.org/x/sync/errgroup"
)

const (
	// describedAtOnce is how many open runs Temporal is asked about at once, and
	// listedRuns how many it names in one answer.
	describedAtOnce, listedRuns = 8, 1000
	// openRuns finds the runs that have not closed.
	openRuns = "ExecutionStatus = 'Running'"
)

// FailingActivity is an activity of an open run that is being tried again and again.
type FailingActivity struct {
	WorkflowID string `json:"workflowId"`
	RunID      string `json:"runId"`
	// Activity is its name in the contract, Attempt the number of the newest try,
	// from 1.
	Activity string `json:"activity"`
	Attempt  int    `json:"attempt"`
	// LastFailure is what the newest failed try ended with: the status of an error or
	// its name (activities.Named), activities.PanicType, or which limit of time has
	// passed.
	LastFailure string `json:"lastFailure"`
	// ScheduledAt is when the run asked for it, by Temporal's clock.
	ScheduledAt time.Time `json:"scheduledAt"`
}

// FindFailing asks Temporal for the activities whose newest try has at least that
// number, most tries first. Temporal keeps no list of them, so every open run is
// looked at: some thousands a second, which is for an operator and no loop. Local
// activities, which Temporal does not know of, are in the metric alone.
func FindFailing(ctx context.Context, o Options, least int) ([]FailingActivity, error) {
	e, err := connect(o)
	if err != nil {
		return nil, err
	}
	defer e.Close()
	var mu sync.Mutex
	found := []FailingActivity{}
	asking, ctx := errgroup.WithContext(ctx)
	asking.SetLimit(describedAtOnce)
	err = e.eachOpenRun(ctx, func(of *commonpb.WorkflowExecution) {
		asking.Go(func() error {
			failing, err := e.failingOf(ctx, of, least)
			mu.Lock()
			defer mu.Unlock()
			found = append(found, failing...)
			return err
		})
	})
	if ended := asking.Wait(); ended != nil {
		err = ended
	}
	slices.SortFunc(found, func(a, b FailingActivity) int {
		return cmp.Or(cmp.Compare(b.Attempt, a.Attempt), cmp.Compare(a.WorkflowID, b.WorkflowID))
	})
	return found, err
}

// eachOpenRun visits the open runs of the namespace.
func (e *connection) eachOpenRun(ctx context.Context, visit func(of *commonpb.WorkflowExecution)) error {
	var token []byte
	for {
		page, err := e.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			Namespace: e.namespace, Query: openRuns, PageSize: listedRuns, NextPageToken: token,
		})
		if err != nil {
			return fmt.Errorf("list the open runs: %w", err)
		}
		for _, run := range page.GetExecutions() {
			visit(run.GetExecution())
		}
		if token = page.GetNextPageToken(); len(token) == 0 {
			return nil
		}
	}
}

// failingOf returns the failing activities of one run, none if it has gone.
func (e *connection) failingOf(ctx context.Context, of *commonpb.WorkflowExecution, least int) ([]FailingActivity, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	run, err := e.DescribeWorkflowExecution(ctx, of.GetWorkflowId(), of.GetRunId())
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("describe a run: %w", err)
	}
	var failing []FailingActivity
	for _, a := range run.GetPendingActivities() {
		if int(a.GetAttempt()) >= least {
			failing = append(failing, failingActivity(of, a))
		}
	}
	return failing, nil
}

func failingActivity(of *commonpb.WorkflowExecution, a *workflowpb.PendingActivityInfo) FailingActivity {
	return FailingActivity{
		WorkflowID: of.GetWorkflowId(), RunID: of.GetRunId(), Activity: a.GetActivityType().GetName(),
		Attempt: int(a.GetAttempt()), LastFailure: failureType(a.GetLastFailure()), ScheduledAt: a.GetScheduledTime().AsTime(),
	}
}

// failureType is a failure in a word, empty for none.
func failureType(f *failurepb.Failure) string {
	switch {
	case f.GetApplicationFailureInfo() != nil:
		return f.GetApplicationFailureInfo().GetType()
	case f.GetTimeoutFailureInfo() != nil:
		return "timeout: " + f.GetTimeoutFailureInfo().GetTimeoutType().String()
	default:
		return f.GetMessage()
	}
}
