package client

import (
	"context"

	redline "github.com/redline-svc/redline/clients/go"
)

// Page is one page of a list of any items; NextCursor is nil where the list has null.
type Page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
	HasMore    bool    `json:"hasMore"`
}

// Dispatch starts an execution.
func (w *Workspace) Dispatch(ctx context.Context, data redline.DispatchRequest) (redline.DispatchResult, error) {
	return Call[redline.DispatchResult](ctx, w.Keyed, StartExecution, data)
}

// Get reads one execution whole.
func (w *Workspace) Get(ctx context.Context, executionID string) (redline.Execution, error) {
	return Call[redline.Execution](ctx, w.Keyed, GetExecution, redline.GetExecutionRequest{ExecutionID: executionID})
}

// Decide records a reviewer's decision.
func (w *Workspace) Decide(ctx context.Context, data redline.DecideStepRequest) (redline.DecideResult, error) {
	return Call[redline.DecideResult](ctx, w.Keyed, RecordDecision, data)
}

// Events reads one page of events.
func (w *Workspace) Events(ctx context.Context, executionID string, since int64, internal bool) (redline.EventList, error) {
	return Call[redline.EventList](ctx, w.Keyed, GetEvents, redline.GetEventsRequest{ExecutionID: executionID, SinceSeq: &since, IncludeInternal: &internal})
}

// AllEvents reads the events from the first to the last one there is.
func (w *Workspace) AllEvents(ctx context.Context, executionID string, internal bool) ([]redline.Event, error) {
	var all []redline.Event
	for since := int64(0); ; {
		page, err := w.Events(ctx, executionID, since, internal)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Events...)
		if since = page.NextCursor; !page.HasMore {
			return all, nil
		}
	}
}
