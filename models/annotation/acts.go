package annotation

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/shape"
)

// Types of a status.
const (
	statusOngoing  = "ongoing"
	statusTerminal = "terminal"
)

// What can become of a suggestion.
const (
	SuggestionPending  = "pending"
	SuggestionAccepted = "accepted"
	SuggestionRejected = "rejected"
)

// Fields by the names under which events show them.
const (
	fieldVisibility = "visibility"
	fieldAssigned   = "assignedTo"
	fieldStatus     = "status"
	fieldPriority   = "priority"
	fieldSuggestion = "suggestion"
)

// kindSuggestion is the type of annotations that suggest something.
const kindSuggestion = "suggestion"

// decided is what became of what the annotation suggests.
func (a *annotation) decided() string { return shape.Text(a.suggestion, "status") }

// statusType is the type of the annotation's status.
func (a *annotation) statusType() string { return shape.Text(a.status, "type") }

// markChanged reports whether the annotation is another one than was stored, and then notes what was
// done with it and when. A time of change that is sent holds.
func (a *annotation) markChanged(stored *annotation, now time.Time, sent *int64) bool {
	if sent != nil {
		a.updatedMs = *sent
	}
	if a.updatedMs == stored.updatedMs && !a.rewritten() && a.fields() == stored.fields() {
		return false
	}
	if sent == nil {
		a.updatedMs = now.UnixMilli()
	}
	a.before, a.acts = stored, actsOf(stored, a)
	return true
}

// annotationFields are what an update may change, in a form in which what says the same is
// equal.
type annotationFields struct {
	from, status, visibility, location, target, context, priority, suggestion, kept, assigned, resolvedBy, statusUpdatedBy string
	createdMs                                                                                                              int64
}

func (a *annotation) fields() annotationFields {
	return annotationFields{
		from: compact(a.from), status: compact(a.status), visibility: a.visibilityText(), location: compact(a.location), target: compact(a.target),
		context: compact(orJSON(a.context, jsonEmpty)), priority: compact(a.priority), suggestion: compact(a.suggestion), kept: compact(a.kept),
		assigned: compact(snapshotOrNull(a.assigned)), resolvedBy: a.resolvedBy, statusUpdatedBy: a.statusUpdatedBy, createdMs: a.createdMs,
	}
}

// visibilityText is the visibility with its users in one order: which one was sent says nothing.
func (a *annotation) visibilityText() string {
	v := a.visibility
	v.UserIDs = slices.Sorted(slices.Values(v.UserIDs))
	return string(shape.Encode(showVisibility(v)))
}

// sameJSON reports whether two texts say the same; blanks do not count.
func sameJSON(a, b json.RawMessage) bool { return compact(a) == compact(b) }

// actsOf are what an update did with an annotation, in the order in which it is published.
func actsOf(was, is *annotation) (acts []act) {
	did := func(event, field string, from, to json.RawMessage) {
		acts = append(acts, act{event, map[string]fieldChange{field: {From: from, To: to}}})
	}
	if !slices.Equal(userOf(was.assigned), userOf(is.assigned)) {
		did(envelope.AnnotationAssign, fieldAssigned, snapshotOrNull(was.assigned), snapshotOrNull(is.assigned))
	}
	if was.statusID != is.statusID {
		did(envelope.StatusChange, fieldStatus, was.status, is.status)
	}
	if !sameJSON(was.priority, is.priority) {
		did(envelope.PriorityChange, fieldPriority, orJSON(was.priority, jsonNull), orJSON(is.priority, jsonNull))
	}
	if event := decisions[is.decided()]; event != "" && was.decided() != is.decided() {
		did(event, fieldSuggestion, was.suggestion, is.suggestion)
	}
	if changes := shownChanges(was, is); len(changes) > 0 {
		acts = append(acts, act{envelope.AnnotationUpdate, changes})
	}
	return acts
}

// decisions are the events by what became of a suggestion.
var decisions = map[string]string{SuggestionAccepted: envelope.SuggestionAccept, SuggestionRejected: envelope.SuggestionReject}

// shownChanges are the fields that an event of an update names.
func shownChanges(was, is *annotation) map[string]fieldChange {
	changes := map[string]fieldChange{}
	note := func(field string, from, to json.RawMessage) {
		if !sameJSON(from, to) {
			changes[field] = fieldChange{From: from, To: to}
		}
	}
	note("location", orJSON(was.location, jsonNull), orJSON(is.location, jsonNull))
	note("targetElement", orJSON(was.target, jsonNull), orJSON(is.target, jsonNull))
	note("context", orJSON(was.context, jsonEmpty), orJSON(is.context, jsonEmpty))
	if was.visibilityText() != is.visibilityText() {
		note(fieldVisibility, shape.Encode(showVisibility(was.visibility)), shape.Encode(showVisibility(is.visibility)))
	}
	return changes
}
