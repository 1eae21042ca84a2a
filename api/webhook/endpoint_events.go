package webhook

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
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

// Test sends an endpoint the sample of an event type.
func (e *Endpoints) Test(ctx context.Context, req *TestEndpoint) (*rpc.Success[TestedEndpoint], error) {
	caller := rpc.CallerFrom(ctx)
	endpointID, err := e.store.Find(ctx, caller.WorkspaceID, req.EndpointID)
	if err != nil {
		return nil, err
	}
	if err := e.calls.Take(ctx, limit.EndpointTest, endpointID, ""); err != nil {
		return nil, err
	}
	event, _ := req.event() // Validate has found it
	messageID, err := e.store.Test(ctx, caller.WorkspaceID, caller, endpointID, event)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Test message queued.", TestedEndpoint{messageID}), nil
}

// ResendMessage is the request of messages/resend.
type ResendMessage struct {
	EndpointRef
	MessageID string `json:"messageId" minLength:"1" maxLength:"200"`
}

// ResentMessage is what messages/resend answers.
type ResentMessage struct {
	MessageID  string `json:"messageId"`
	EndpointID string `json:"endpointId"`
	Status     string `json:"status" enum:"pending" doc:"its attempts are found by attempts/get"`
}

// Resend sends an endpoint a message once more.
func (e *Endpoints) Resend(ctx context.Context, req *ResendMessage) (*rpc.Success[ResentMessage], error) {
	caller := rpc.CallerFrom(ctx)
	endpointID, err := e.store.Resend(ctx, caller.WorkspaceID, caller, req.MessageID, req.EndpointID)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Message queued.", ResentMessage{req.MessageID, endpointID, statusPending}), nil
}

// statusPending is the status of a delivery that has not ended.
const statusPending = "pending"

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

// EventTypes returns what endpoints can be sent.
func (*Endpoints) EventTypes(context.Context, *ListEventTypes) (*rpc.Success[EventTypeList], error) {
	view := func(event envelope.Event) EventTypeView {
		return EventTypeView{event.Name, event.Description, event.Source, shape.Object(event.Sample())}
	}
	return rpc.Succeed("Event types found.", EventTypeList{rpc.Each(envelope.Events(), view)}), nil
}
