package change

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/annotation/shown"
)

// Types of a status.
const (
	statusOngoing  = "ongoing"
	StatusTerminal = "terminal"
)

// What can become of a suggestion.
const (
	SuggestionPending  = "pending"
	SuggestionAccepted = "accepted"
	SuggestionRejected = "rejected"
)

// Fields by the names under which events show them.
const (
	fieldAssigned   = "assignedTo"
	fieldStatus     = "status"
	fieldPriority   = "priority"
	fieldSuggestion = "suggestion"
)

// KindSuggestion is the type of annotations that suggest something.
const KindSuggestion = "suggestion"

// Decided is what became of what the annotation suggests.
func (a *Annotation) Decided() string { return shape.Text(a.Suggestion, "status") }

// StatusType is the type of the annotation's status.
func (a *Annotation) StatusType() string { return shape.Text(a.Status, "type") }

// Mark tells whether the annotation is another one than was stored, and then notes what was
// done with it and when. A time of change that is sent holds.
func (a *Annotation) Mark(stored *Annotation, now time.Time, sent *int64) bool {
	if sent != nil {
		a.UpdatedMs = *sent
	}
	if a.UpdatedMs == stored.UpdatedMs && !a.rewritten() && a.fields() == stored.fields() {
		return false
	}
	if sent == nil {
		a.UpdatedMs = now.UnixMilli()
	}
	a.before, a.Acts = stored, actsOf(stored, a)
	return true
}

// annotationFields are what an update may change, in a form in which what says the same is
// equal.
type annotationFields struct {
	from, status, visibility, location, target, context, priority, suggestion, assigned, resolvedBy, statusUpdatedBy string
	createdMs                                                                                                        int64
}

func (a *Annotation) fields() annotationFields {
	return annotationFields{
		from: compact(a.From), status: compact(a.Status), visibility: a.visibilityText(), location: compact(a.Location), target: compact(a.Target),
		context: compact(shown.OrJSON(a.Context, shown.Empty)), priority: compact(a.Priority), suggestion: compact(a.Suggestion),
		assigned: compact(snapshotOrNull(a.Assigned)), resolvedBy: a.ResolvedBy, statusUpdatedBy: a.StatusUpdatedBy, createdMs: a.CreatedMs,
	}
}

// visibilityText is the visibility with its users in one order: which one was sent says nothing.
func (a *Annotation) visibilityText() string {
	v := a.Visibility
	v.UserIDs = slices.Sorted(slices.Values(v.UserIDs))
	return string(shape.Encode(showVisibility(v)))
}

// SameJSON tells whether two texts say the same; blanks do not count.
func SameJSON(a, b json.RawMessage) bool { return compact(a) == compact(b) }

// actsOf are what an update did with an annotation, in the order in which it is published.
func actsOf(was, is *Annotation) (acts []Act) {
	did := func(event, field string, from, to json.RawMessage) {
		acts = append(acts, Act{event, map[string]fieldChange{field: {From: from, To: to}}})
	}
	if !slices.Equal(UserOf(was.Assigned), UserOf(is.Assigned)) {
		did(envelope.AnnotationAssign, fieldAssigned, snapshotOrNull(was.Assigned), snapshotOrNull(is.Assigned))
	}
	if was.StatusID != is.StatusID {
		did(envelope.StatusChange, fieldStatus, was.Status, is.Status)
	}
	if !SameJSON(was.Priority, is.Priority) {
		did(envelope.PriorityChange, fieldPriority, shown.OrJSON(was.Priority, shown.Null), shown.OrJSON(is.Priority, shown.Null))
	}
	if event := decisions[is.Decided()]; event != "" && was.Decided() != is.Decided() {
		did(event, fieldSuggestion, was.Suggestion, is.Suggestion)
	}
	if changes := shownChanges(was, is); len(changes) > 0 {
		acts = append(acts, Act{envelope.AnnotationUpdate, changes})
	}
	return acts
}

// decisions are the events by what became of a suggestion.
var decisions = map[string]string{SuggestionAccepted: envelope.SuggestionAccept, SuggestionRejected: envelope.SuggestionReject}

// shownChanges are the fields that an event of an update names.
func shownChanges(was, is *Annotation) map[string]fieldChange {
	changes := map[string]fieldChange{}
	note := func(field string, from, to json.RawMessage) {
		if !SameJSON(from, to) {
			changes[field] = fieldChange{From: from, To: to}
		}
	}
	note("location", shown.OrJSON(was.Location, shown.Null), shown.OrJSON(is.Location, shown.Null))
	note("targetElement", shown.OrJSON(was.Target, shown.Null), shown.OrJSON(is.Target, shown.Null))
	note("context", shown.OrJSON(was.Context, shown.Empty), shown.OrJSON(is.Context, shown.Empty))
	if was.visibilityText() != is.visibilityText() {
		note("visibility", shape.Encode(showVisibility(was.Visibility)), shape.Encode(showVisibility(is.Visibility)))
	}
	return changes
}
