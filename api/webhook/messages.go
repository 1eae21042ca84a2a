package webhook

import (
	"cmp"
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/delivery"
)

// ListMessages is the request of messages/get.
type ListMessages struct {
	EndpointID     string      `json:"endpointId,omitempty" minLength:"1" maxLength:"256" doc:"an endpoint's id or its uid: what was queued for it"`
	EventTypes     []string    `json:"eventTypes,omitempty" minItems:"1" maxItems:"50" minLength:"1" maxLength:"128"`
	Channel        string      `json:"channel,omitempty" minLength:"1" maxLength:"256" doc:"a tag of the messages, such as document:<id>"`
	Status         string      `json:"status,omitempty" enum:"pending,succeeded,failed" doc:"of the delivery to endpointId, which is required with it"`
	MessageIDs     []string    `json:"messageIds,omitempty" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" example:"msg_01kdvm9w00abcdefghjkmnpqrs"`
	After          rpc.Instant `json:"after,omitempty" doc:"made later than this"`
	Before         rpc.Instant `json:"before,omitempty" example:"1767312000000" doc:"made earlier than this"`
	IncludePayload bool        `json:"includePayload,omitempty" example:"true" doc:"limit is at most 20 then, and that by default"`
	Limit          int         `json:"limit,omitempty" minimum:"1" maximum:"250" doc:"default 50; a page that looked at very many messages has fewer, even none, and an iterator that leads on"`
	Iterator       string      `json:"iterator,omitempty" minLength:"1" example:"8mNq2v5yBxE0hKjRlTnZpQ" doc:"iterator or prevIterator of another page"`
}

// payloadPage is how many messages a page with payloads has at most.
const payloadPage = 20

// Validate wants an endpoint beside a status, and few messages where they are large.
func (r *ListMessages) Validate() []fault.Issue {
	var issues []fault.Issue
	if r.Status != "" && r.EndpointID == "" {
		issues = append(issues, fault.Issue{Code: shape.Required, Path: []string{"endpointId"}, Message: "is required with status"})
	}
	if r.IncludePayload && r.Limit > payloadPage {
		issues = append(issues, fault.Issue{Code: shape.Range, Path: []string{"limit"}, Message: "must be at most 20 with includePayload"})
	}
	return issues
}

func (r *ListMessages) filter() delivery.MessageFilter {
	return delivery.MessageFilter{
		EndpointID: r.EndpointID, EventTypes: r.EventTypes, Channel: r.Channel, Status: r.Status, IDs: r.MessageIDs,
		After: r.After.Time(), Before: r.Before.Time(),
	}
}

func (r *ListMessages) size() int {
	if r.IncludePayload {
		return cmp.Or(r.Limit, payloadPage)
	}
	return cmp.Or(r.Limit, pageSize)
}

// MessageView is a message with what has become of it at each endpoint.
type MessageView struct {
	ID         string                `json:"id"`
	Event      string                `json:"event"`
	Channels   []string              `json:"channels" doc:"its tags"`
	Sequence   int64                 `json:"sequence"`
	CreatedAt  string                `json:"createdAt" format:"date-time"`
	Deliveries []MessageDeliveryView `json:"deliveries" doc:"none where it matched no endpoint"`
	Payload    *string               `json:"payload,omitempty" doc:"the exact body, where it was asked for and is still kept"`
}

// MessageDeliveryView is how a message stands at one endpoint.
type MessageDeliveryView struct {
	EndpointID    string  `json:"endpointId"`
	Status        string  `json:"status" enum:"pending,succeeded,failed"`
	Attempts      int     `json:"attempts" doc:"those that began"`
	Class         *string `json:"class" doc:"of the last attempt that ended, or why there is no further one"`
	LastAttemptAt *string `json:"lastAttemptAt" format:"date-time"`
	NextAttemptAt *string `json:"nextAttemptAt" format:"date-time" doc:"null when it has ended and while an attempt is under way"`
}

func viewMessage(m delivery.Message) MessageView {
	view := MessageView{
		ID: m.ID, Event: m.Event, Channels: m.Tags, Sequence: m.Sequence, CreatedAt: rpc.FormatTime(m.CreatedAt),
		Deliveries: rpc.Each(m.Deliveries, viewMessageDelivery),
	}
	if m.Payload != nil {
		view.Payload = new(string(m.Payload))
	}
	return view
}

func viewMessageDelivery(d delivery.MessageDelivery) MessageDeliveryView {
	return MessageDeliveryView{d.EndpointID, d.Status(), d.Attempts, d.Class, optionalTime(d.LastAttemptAt), optionalTime(d.NextAttemptAt)}
}

// MessageList is a page of messages, newest first.
type MessageList struct {
	Messages []MessageView `json:"messages"`
	Walk
}

// Messages returns the messages of the workspace.
func (e *Endpoints) Messages(ctx context.Context, req *ListMessages) (*rpc.Success[MessageList], error) {
	workspaceID, filter := rpc.CallerFrom(ctx).WorkspaceID, req.filter()
	pages := e.pages(workspaceID, messageList, filter)
	found, walk, err := readPage(pages, req.Iterator, viewMessage, func(from *models.Position) (*models.Page[delivery.Message], error) {
		return e.store.Messages(ctx, workspaceID, filter, req.IncludePayload, from, req.size())
	})
	return rpc.Found("Messages found.", MessageList{found, walk}, nil, err)
}
