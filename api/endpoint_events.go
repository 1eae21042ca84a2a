package api

import (
	"context"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/limit"
	"github.com/redline-svc/redline/internal/shape"
)

// TestEndpoint is the request of endpoints/test.
type TestEndpoint struct {
	EndpointRef
	EventType string `json:"eventType,omitempty" minLength:"1" maxLength:"128" doc:"the name of an event type; default webhook.test"`
}

func (r *TestEndpoint) event() (envelope.Event, bool) {
	if r.EventType == "" {
		return envelope.Find(envelope.Test)
	}
	return envelope.Find(r.EventType)
}

// Validate wants an event type that there is.
func (r *TestEndpoint) Validate() []fault.Issue {
	if _, known := r.event(); !known {
		return []fault.Issue{{Code: shape.Enum, Path: []string{"eventType"}, Message: "must be the name of an event type; see eventtypes/get"}}
	}
	return nil
}

// TestedEndpoint is what endpoints/test answers.
type TestedEndpoint struct {
	MessageID string `json:"messageId" doc:"its attempt is found by attempts/get"`
}

// Test tells an endpoint the sample of an event type.
func (w *Webhooks) Test(ctx context.Context, req *TestEndpoint) (*Success[TestedEndpoint], error) {
	caller := CallerFrom(ctx)
	endpointID, err := w.store.Find(ctx, caller.WorkspaceID, req.EndpointID)
	if err != nil {
		return nil, err
	}
	if err := w.calls.Take(ctx, limit.EndpointTest, endpointID, ""); err != nil {
		return nil, err
	}
	event, _ := req.event() // Validate has found it
	messageID, err := w.store.Test(ctx, caller.WorkspaceID, caller, endpointID, event)
	if err != nil {
		return nil, err
	}
	return succeed("Test message queued.", TestedEndpoint{messageID}), nil
}

// ListEventTypes is the request of eventtypes/get.
type ListEventTypes struct{}

// EventTypeView is a type of event.
type EventTypeView struct {
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Group       string       `json:"group" enum:"comment,workflow,memory,webhook" doc:"the part of the service that raises it"`
	Sample      shape.Object `json:"sample" doc:"a whole body"`
}

// EventTypeList are all types in the order of their names.
type EventTypeList struct {
	EventTypes []EventTypeView `json:"eventTypes"`
}

// EventTypes gives what endpoints can be told.
func (*Webhooks) EventTypes(context.Context, *ListEventTypes) (*Success[EventTypeList], error) {
	list := EventTypeList{}
	for _, e := range envelope.Events() {
		list.EventTypes = append(list.EventTypes, EventTypeView{e.Name, e.Description, e.Source, shape.Object(e.Sample())})
	}
	return succeed("Event types found.", list), nil
}
