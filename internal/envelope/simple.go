package envelope

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/redline-svc/redline/internal/shape"
)

// simpleActions are what the simple receiver of a workspace is told that happened, by the events that it gets.
var simpleActions = map[string]string{
	AnnotationAdd: "newlyAdded", AnnotationAssign: "assigned", StatusChange: "statusChanged", PriorityChange: "priorityChanged",
	AnnotationUpdate: "accessModeChanged", SuggestionAccept: "suggestionAccepted", SuggestionReject: "suggestionRejected",
	CommentAdd: "added", CommentUpdate: "updated", CommentDelete: "deleted",
}

// IsSimple reports whether the simple receiver may get such an event.
func IsSimple(event string) bool { return simpleActions[event] != "" }

// SimpleEvents are the events that the simple receiver may get, in the order of their names.
func SimpleEvents() []string {
	names := make([]string, 0, len(simpleActions))
	for name := range simpleActions {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// SimpleBody is Body in the form of the simple receiver. It never is larger.
func (m Message) SimpleBody(form Form) ([]byte, error) {
	body, err := m.fitted(form)
	if err != nil {
		return nil, err
	}
	if body, err = simple(body); err != nil {
		return nil, err
	}
	return form.pack(body)
}

// Simple makes what the simple receiver gets of a body that is not encrypted, encoded where that is: the same bytes
// each time.
func Simple(body []byte) ([]byte, error) {
	var encoded encodedBody
	if err := json.Unmarshal(body, &encoded); err != nil {
		return nil, fmt.Errorf("a stored body: %w", err)
	}
	if encoded.Payload == nil {
		return simple(body)
	}
	inner, err := simple(encoded.Payload)
	if err != nil {
		return nil, err
	}
	return encode(encodedBody{inner})
}

// simpleWire is what stands before the members of an event's data, in this order.
type simpleWire struct {
	WebhookID  string `json:"webhookId"`
	ActionType string `json:"actionType"`
	Source     string `json:"notificationSource"`
}

func simple(body []byte) (json.RawMessage, error) {
	var m wire
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("a stored body: %w", err)
	}
	if !IsSimple(m.Event) {
		return nil, errors.New("no event for the simple receiver")
	}
	return shape.AppendMembers(mustEncode(simpleWire{m.WebhookID, simpleActions[m.Event], SourceComment}), shape.MembersOf(m.Data)), nil
}
