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

// Walk is the part of a page that leads to its neighbours.
type Walk struct {
	Iterator     *string `json:"iterator" doc:"leads to the next page; null on the last one"`
	PrevIterator *string `json:"prevIterator" doc:"leads to the page before; null on the first one"`
	Done         bool    `json:"done" doc:"true on the last page"`
}

// pages are those of a list whose tokens are iterators.
func (e *Endpoints) pages(workspaceID, list string, filters any) rpc.Pages {
	return rpc.Pages{Codec: e.cursors, Field: "iterator", WorkspaceID: workspaceID, List: list, Filters: filters}
}

// readPage reads a page of a list that is walked both ways.
func readPage[T, V any](pages rpc.Pages, iterator string, view func(T) V, read func(from *models.Position) (*models.Page[T], error)) ([]V, Walk, error) {
	var prev *string
	views, next, err := rpc.List(pages, iterator, view, func(from *models.Position) (*models.Page[T], error) {
		page, err := read(from)
		if err == nil {
			prev = rpc.Token(pages, page.Prev)
		}
		return page, err
	})
	return views, Walk{Iterator: next, PrevIterator: prev, Done: next == nil}, err
}

// ListEndpoints is the request of endpoints/get.
type ListEndpoints struct {
	Limit           int    `json:"limit,omitempty" minimum:"1" maximum:"250" example:"20" doc:"default 50"`
	Iterator        string `json:"iterator,omitempty" minLength:"1" example:"8mNq2v5yBxE0hKjRlTnZpQ" doc:"iterator or prevIterator of another page"`
	IncludeMetadata bool   `json:"includeMetadata,omitempty"`
}

// EndpointList is a page of endpoints, newest first.
type EndpointList struct {
	Endpoints []EndpointView `json:"endpoints"`
	Walk
}

// pageSize is that of a list where the caller names none.
const pageSize = 50

// Names of the lists in their iterators.
const (
	endpointList = "workspace/endpoints"
	attemptList  = "workspace/attempts"
	messageList  = "workspace/messages"
)

// List returns the endpoints of the workspace.
func (e *Endpoints) List(ctx context.Context, req *ListEndpoints) (*rpc.Success[EndpointList], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	view := func(stored delivery.Endpoint) EndpointView {
		shown := viewEndpoint(stored)
		if req.IncludeMetadata {
			shown.Metadata = new(EndpointMetadata(stored.Metadata))
		}
		return shown
	}
	found, walk, err := readPage(e.pages(workspaceID, endpointList, nil), req.Iterator, view, func(from *models.Position) (*models.Page[delivery.Endpoint], error) {
		return e.store.List(ctx, workspaceID, from, cmp.Or(req.Limit, pageSize))
	})
	return rpc.Found("Endpoints found.", EndpointList{found, walk}, nil, err)
}

// ListAttempts is the request of attempts/get; one of the ids at least.
type ListAttempts struct {
	MessageID  string      `json:"messageId,omitempty" minLength:"1" maxLength:"200" doc:"one of messageId and endpointId is required"`
	EndpointID string      `json:"endpointId,omitempty" minLength:"1" maxLength:"256" doc:"an endpoint's id or its uid"`
	Status     string      `json:"status,omitempty" enum:"succeeded,failed"`
	Class      string      `json:"class,omitempty" minLength:"1" maxLength:"64" example:"http-5xx"`
	After      rpc.Instant `json:"after,omitempty" doc:"began later than this"`
	Before     rpc.Instant `json:"before,omitempty" doc:"began earlier than this"`
	Limit      int         `json:"limit,omitempty" minimum:"1" maximum:"250" doc:"default 50"`
	Iterator   string      `json:"iterator,omitempty" minLength:"1" example:"8mNq2v5yBxE0hKjRlTnZpQ" doc:"iterator or prevIterator of another page"`
}

// Validate wants one of the ids.
func (r *ListAttempts) Validate() []fault.Issue {
	if r.MessageID == "" && r.EndpointID == "" {
		return []fault.Issue{{Code: shape.Required, Path: []string{"messageId"}, Message: "one of messageId and endpointId is required"}}
	}
	return nil
}

// attemptSucceeded is the status of a good attempt, attemptFailed of any other.
const (
	attemptSucceeded = "succeeded"
	attemptFailed    = "failed"
)

func (r *ListAttempts) filter() delivery.AttemptFilter {
	f := delivery.AttemptFilter{MessageID: r.MessageID, EndpointID: r.EndpointID, Class: r.Class, After: r.After.Time(), Before: r.Before.Time()}
	if r.Status != "" {
		succeeded := r.Status == attemptSucceeded
		f.Succeeded = &succeeded
	}
	return f
}

// EndpointAttemptView is one attempt at an endpoint.
type EndpointAttemptView struct {
	ID            string  `json:"id"`
	MessageID     string  `json:"messageId"`
	EndpointID    string  `json:"endpointId"`
	Event         string  `json:"event"`
	Attempt       int     `json:"attempt" doc:"from 1"`
	Trigger       string  `json:"trigger" enum:"schedule,resend,recover,test" doc:"why its schedule began"`
	Status        string  `json:"status" enum:"succeeded,failed"`
	Class         string  `json:"class"`
	HTTPStatus    *int    `json:"httpStatus" doc:"null where no response came"`
	DurationMs    *int    `json:"durationMs"`
	StartedAt     string  `json:"startedAt" format:"date-time"`
	NextAttemptAt *string `json:"nextAttemptAt"`
	URL           string  `json:"url" doc:"the address as it was then"`
	ResponseBody  *string `json:"responseBody" doc:"its beginning; null where no response came"`
}

func viewAttempt(a delivery.Attempt) EndpointAttemptView {
	view := EndpointAttemptView{
		ID: a.ID, MessageID: a.MessageID, EndpointID: a.EndpointID, Event: a.Event, Attempt: a.Attempt, Trigger: a.Cause, Status: attemptFailed,
		Class: a.Class, HTTPStatus: a.HTTPStatus, DurationMs: a.DurationMs, StartedAt: rpc.FormatTime(a.StartedAt),
		NextAttemptAt: optionalTime(a.NextAttemptAt), URL: a.URL, ResponseBody: a.ResponseBody,
	}
	if a.Succeeded {
		view.Status = attemptSucceeded
	}
	return view
}

// AttemptList is a page of attempts, newest first.
type AttemptList struct {
	Attempts []EndpointAttemptView `json:"attempts"`
	Walk
}

// Attempts returns what became of deliveries.
func (e *Endpoints) Attempts(ctx context.Context, req *ListAttempts) (*rpc.Success[AttemptList], error) {
	workspaceID, filter := rpc.CallerFrom(ctx).WorkspaceID, req.filter()
	pages := e.pages(workspaceID, attemptList, filter)
	found, walk, err := readPage(pages, req.Iterator, viewAttempt, func(from *models.Position) (*models.Page[delivery.Attempt], error) {
		return e.store.Attempts(ctx, workspaceID, filter, from, cmp.Or(req.Limit, pageSize))
	})
	return rpc.Found("Attempts found.", AttemptList{found, walk}, nil, err)
}
