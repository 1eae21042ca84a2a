package workflow

import (
	"cmp"
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/models/delivery"
	"github.com/redline-svc/redline/models/execution"
)

type deliveryStore interface {
	Of(ctx context.Context, workspaceID, executionID string, f delivery.Filter, after *int64, size int) (*delivery.Page, error)
}

// redeliverer sends events of an execution again, to another receiver where one
// is named.
type redeliverer interface {
	Redeliver(ctx context.Context, workspaceID, executionID string, r execution.Redelivery) (int, error)
}

// Deliveries are the operations on what receivers of executions were sent.
type Deliveries struct {
	store      deliveryStore
	executions redeliverer
	addresses  rpc.AddressChecker
	cursors    *cursor.Codec
}

// NewDeliveries makes the operations.
func NewDeliveries(store deliveryStore, executions redeliverer, addresses rpc.AddressChecker, cursors *cursor.Codec) *Deliveries {
	return &Deliveries{store: store, executions: executions, addresses: addresses, cursors: cursors}
}

// ListDeliveries names the execution.
type ListDeliveries struct {
	ExecutionID string `json:"executionId" minLength:"1" maxLength:"200"`
	Status      string `json:"status,omitempty" enum:"pending,delivered,dead,refused"`
	PageSize    int    `json:"pageSize,omitempty" minimum:"1" maximum:"500" example:"50" doc:"default 50"`
	Cursor      string `json:"cursor,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// DeliveryList is a page, newest event first.
type DeliveryList = CursorPage[DeliveryView]

// deliveryFilters are what a cursor of the list is bound to.
type deliveryFilters struct {
	ExecutionID, Status string
}

// deliveryCursors names the list in its cursors.
const deliveryCursors = "executions/getDeliveries"

// List shows deliveries of an execution with their attempts. An execution
// without a receiver has none.
func (d *Deliveries) List(ctx context.Context, req *ListDeliveries) (*DeliveryList, error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filters := deliveryFilters{req.ExecutionID, req.Status}
	pages := pagesOf(d.cursors, workspaceID, deliveryCursors, filters)
	return pageOf(rpc.List(pages, req.Cursor, viewDelivery, func(after *int64) (*delivery.Page, error) {
		return d.store.Of(ctx, workspaceID, req.ExecutionID, delivery.Filter{Status: req.Status}, after, cmp.Or(req.PageSize, pageSize))
	}))
}

// RedeliverRequest asks for events to be sent again.
type RedeliverRequest struct {
	ExecutionID   string   `json:"executionId" minLength:"1" maxLength:"200"`
	EventIDs      []string `json:"eventIds,omitempty" minItems:"1" maxItems:"500" minLength:"1" maxLength:"200" doc:"all dead and refused ones when absent"`
	WebhookURL    string   `json:"webhookUrl,omitempty" minLength:"1" maxLength:"2000" example:"https://hooks.example.com/redline" doc:"the execution's receiver from now on"`
	WebhookSecret string   `json:"webhookSecret,omitempty" minLength:"16" maxLength:"512" example:"a secret of the receiver"`
}

// Validate wants both halves of the receiver or neither.
func (r *RedeliverRequest) Validate() []fault.Issue {
	return receiverPair(r.WebhookURL, r.WebhookSecret)
}

// Check refuses a receiver that may not be called.
func (d *Deliveries) Check(ctx context.Context, req *RedeliverRequest) error {
	return rpc.CheckAddress(ctx, d.addresses, req.WebhookURL, guard.Receiver, "webhookUrl")
}

// RedeliverResult says how many of the events wait to be sent now.
type RedeliverResult struct {
	Scheduled   int    `json:"scheduled"`
	ExecutionID string `json:"executionId"`
}

// Redeliver begins for events a new round of attempts.
func (d *Deliveries) Redeliver(ctx context.Context, req *RedeliverRequest) (*RedeliverResult, error) {
	r := execution.Redelivery{EventIDs: req.EventIDs}
	if req.WebhookURL != "" {
		r.Receiver = &execution.Receiver{URL: req.WebhookURL, Origin: guard.Origin(req.WebhookURL, guard.Receiver), Secret: req.WebhookSecret}
	}
	scheduled, err := d.executions.Redeliver(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.ExecutionID, r)
	if err != nil {
		return nil, err
	}
	return &RedeliverResult{Scheduled: scheduled, ExecutionID: req.ExecutionID}, nil
}
