package api

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models"
)

// Walk is the part of a page that leads to its neighbours.
type Walk struct {
	Iterator     *string `json:"iterator" doc:"leads to the next page; null on the last one"`
	PrevIterator *string `json:"prevIterator" doc:"leads to the page before; null on the first one"`
	Done         bool    `json:"done" doc:"true on the last page"`
}

// walkFrom reads an iterator, nil for none.
func walkFrom(cursors *cursor.Codec, workspaceID, list string, filters any, iterator string) (*models.Mark, error) {
	if iterator == "" {
		return nil, nil //nolint:nilnil // no iterator is the newest page, and no error
	}
	mark := new(models.Mark)
	if err := cursors.DecodeField("iterator", workspaceID, list, filters, iterator, mark); err != nil {
		return nil, err
	}
	return mark, nil
}

func walkOn(cursors *cursor.Codec, workspaceID, list string, filters any, next, prev *models.Mark) Walk {
	iterator := func(mark *models.Mark) *string {
		if mark == nil {
			return nil
		}
		text := cursors.Encode(workspaceID, list, filters, mark)
		return &text
	}
	return Walk{Iterator: iterator(next), PrevIterator: iterator(prev), Done: next == nil}
}

// ListEndpoints is the request of endpoints/get.
type ListEndpoints struct {
	Limit           int    `json:"limit,omitempty" minimum:"1" maximum:"250" doc:"default 50"`
	Iterator        string `json:"iterator,omitempty" minLength:"1" doc:"iterator or prevIterator of another page"`
	IncludeMetadata bool   `json:"includeMetadata,omitempty"`
}

// EndpointList is a page of endpoints, newest first.
type EndpointList struct {
	Endpoints []EndpointView `json:"endpoints"`
	Walk
}

// Names of the lists in their iterators.
const (
	endpointList = "workspace/endpoints"
	attemptList  = "workspace/attempts"
)

// List gives the endpoints of the workspace.
func (w *Webhooks) List(ctx context.Context, req *ListEndpoints) (*Success[EndpointList], error) {
	workspaceID := CallerFrom(ctx).WorkspaceID
	mark, err := walkFrom(w.cursors, workspaceID, endpointList, nil, req.Iterator)
	if err != nil {
		return nil, err
	}
	turn, err := w.store.List(ctx, workspaceID, mark, sizeOr(req.Limit, defaultPage))
	if err != nil {
		return nil, err
	}
	list := EndpointList{Endpoints: make([]EndpointView, len(turn.Items)), Walk: walkOn(w.cursors, workspaceID, endpointList, nil, turn.Next, turn.Prev)}
	for i, e := range turn.Items {
		list.Endpoints[i] = viewEndpoint(e)
		if req.IncludeMetadata {
			metadata := EndpointMetadata(e.Metadata)
			list.Endpoints[i].Metadata = &metadata
		}
	}
	return succeed("Endpoints found.", list), nil
}

// ListAttempts is the request of attempts/get; one of the ids at least.
type ListAttempts struct {
	MessageID  string  `json:"messageId,omitempty" minLength:"1" maxLength:"200" doc:"one of messageId and endpointId is required"`
	EndpointID string  `json:"endpointId,omitempty" minLength:"1" maxLength:"256" doc:"an endpoint's id or its uid"`
	Status     string  `json:"status,omitempty" enum:"succeeded,failed"`
	Class      string  `json:"class,omitempty" minLength:"1" maxLength:"64"`
	After      Instant `json:"after,omitempty" doc:"began later than this"`
	Before     Instant `json:"before,omitempty" doc:"began earlier than this"`
	Limit      int     `json:"limit,omitempty" minimum:"1" maximum:"250" doc:"default 50"`
	Iterator   string  `json:"iterator,omitempty" minLength:"1" doc:"iterator or prevIterator of another page"`
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

func (r *ListAttempts) filter() models.AttemptFilter {
	f := models.AttemptFilter{MessageID: r.MessageID, EndpointID: r.EndpointID, Class: r.Class, After: r.After.time(), Before: r.Before.time()}
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

func viewAttempt(a models.EndpointAttempt) EndpointAttemptView {
	view := EndpointAttemptView{
		ID: a.ID, MessageID: a.MessageID, EndpointID: a.EndpointID, Event: a.Event, Attempt: a.Attempt, Trigger: a.Cause, Status: attemptFailed,
		Class: a.Class, HTTPStatus: a.HTTPStatus, DurationMs: a.DurationMs, StartedAt: isoTime(a.StartedAt), URL: a.URL, ResponseBody: a.ResponseBody,
	}
	if a.Succeeded {
		view.Status = attemptSucceeded
	}
	if a.NextAttemptAt != nil {
		next := isoTime(*a.NextAttemptAt)
		view.NextAttemptAt = &next
	}
	return view
}

// AttemptList is a page of attempts, newest first.
type AttemptList struct {
	Attempts []EndpointAttemptView `json:"attempts"`
	Walk
}

// Attempts gives what became of deliveries.
func (w *Webhooks) Attempts(ctx context.Context, req *ListAttempts) (*Success[AttemptList], error) {
	workspaceID, filter := CallerFrom(ctx).WorkspaceID, req.filter()
	mark, err := walkFrom(w.cursors, workspaceID, attemptList, filter, req.Iterator)
	if err != nil {
		return nil, err
	}
	turn, err := w.store.Attempts(ctx, workspaceID, filter, mark, sizeOr(req.Limit, defaultPage))
	if err != nil {
		return nil, err
	}
	list := AttemptList{Attempts: make([]EndpointAttemptView, len(turn.Items)), Walk: walkOn(w.cursors, workspaceID, attemptList, filter, turn.Next, turn.Prev)}
	for i, a := range turn.Items {
		list.Attempts[i] = viewAttempt(a)
	}
	return succeed("Attempts found.", list), nil
}

// Instant is a time in a request: ISO-8601, or epoch milliseconds.
type Instant struct{ at time.Time }

func (i Instant) time() *time.Time {
	if i.at.IsZero() {
		return nil
	}
	return &i.at
}

// UnmarshalJSON reads either form.
func (i *Instant) UnmarshalJSON(text []byte) error {
	var written string
	if json.Unmarshal(text, &written) == nil {
		at, err := time.Parse(time.RFC3339Nano, written)
		if err != nil {
			return errors.New("must be an ISO-8601 time with its zone, or epoch milliseconds")
		}
		i.at = at
		return nil
	}
	ms, err := strconv.ParseFloat(string(text), 64)
	if err != nil || ms != math.Trunc(ms) || math.Abs(ms) > maxInstant {
		return errors.New("must be an ISO-8601 time with its zone, or epoch milliseconds")
	}
	i.at = time.UnixMilli(int64(ms))
	return nil
}

// maxInstant is the end of the year 9999 in epoch milliseconds.
const maxInstant = 253402300799999

// Schema documents both forms.
func (Instant) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{OneOf: []*huma.Schema{{Type: huma.TypeString, Format: "date-time"}, {Type: huma.TypeInteger}}}
}
