package annotation

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/annotation/shown"
	"github.com/redline-svc/redline/models/directory"
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

// kindSuggestion is the type of annotations that suggest something.
const kindSuggestion = "suggestion"

// Fields by the names under which events show them.
const (
	fieldAssigned   = "assignedTo"
	fieldStatus     = "status"
	fieldPriority   = "priority"
	fieldSuggestion = "suggestion"
)

// UpdatedFields are the fields that an update gives annotations; what is nil stays as it is.
type UpdatedFields struct {
	Location *UpdatedLocation
	// Target, Context and Priority are empty texts for none.
	Target, Context, Priority *json.RawMessage
	Status                    *UpdatedStatus
	// StatusUpdatedBy and ResolvedBy are empty for nobody.
	StatusUpdatedBy, ResolvedBy *string
	// Assigned is nobody where it is nil and SetAssigned says that it is sent.
	Assigned    *person.Person
	SetAssigned bool
	Visibility  *directory.Visibility
	Suggestion  *UpdatedSuggestion
	From        *person.Person
	// CreatedMs and UpdatedMs are epoch milliseconds.
	CreatedMs, UpdatedMs *int64
}

// UpdatedLocation is another location; both are empty for none.
type UpdatedLocation struct {
	ID   string
	Text json.RawMessage
}

// UpdatedStatus is another status.
type UpdatedStatus struct {
	ID   string
	Text json.RawMessage
}

// UpdatedSuggestion is another suggestion as a whole. Status is empty where the suggestion
// stays as decided as it is.
type UpdatedSuggestion struct {
	Status string
	Others []shape.Pair
}

// refused is the code of an annotation that cannot be updated so; empty where it can.
func (f *UpdatedFields) refused(stored *changedAnnotation) string {
	if f.Suggestion == nil {
		return ""
	}
	decided := stored.decided()
	switch wanted := f.Suggestion.Status; {
	case stored.kind != kindSuggestion:
		return CodeNotASuggestion
	case wanted == SuggestionAccepted && decided == SuggestionRejected, wanted == SuggestionRejected && decided == SuggestionAccepted:
		return CodeAlreadyDecided
	default:
		return ""
	}
}

// decided is what became of what the annotation suggests.
func (a *changedAnnotation) decided() string { return shape.Text(a.suggestion, "status") }

// statusType is the type of the annotation's status.
func (a *changedAnnotation) statusType() string { return shape.Text(a.status, "type") }

// apply gives an annotation the fields. Actor is who is named as making the update.
func (f *UpdatedFields) apply(c *change, a *changedAnnotation, actor *person.Person) {
	if f.Location != nil {
		a.locationID, a.location = f.Location.ID, f.Location.Text
	}
	set(&a.target, f.Target)
	set(&a.context, f.Context)
	set(&a.priority, f.Priority)
	set(&a.statusUpdatedBy, f.StatusUpdatedBy)
	set(&a.visibility, f.Visibility)
	set(&a.createdMs, f.CreatedMs)
	if f.SetAssigned {
		a.assigned = c.filled(f.Assigned)
	}
	if f.Suggestion != nil {
		a.suggestion = f.Suggestion.of(a)
	}
	if f.From != nil {
		a.author, a.from = f.From.UserID, c.filled(f.From).Snapshot()
	}
	f.setStatus(a, actor)
}

// set gives a field what was sent; nil leaves it.
func set[T any](field, sent *T) {
	if sent != nil {
		*field = *sent
	}
}

// setStatus gives the annotation its status and who resolved it: nobody unless the status is
// terminal, else who is sent, else, with another status, who makes the update.
func (f *UpdatedFields) setStatus(a *changedAnnotation, actor *person.Person) {
	changes := f.Status != nil && !sameJSON(f.Status.Text, a.status)
	if f.Status != nil {
		a.statusID, a.status = f.Status.ID, f.Status.Text
	}
	switch {
	case a.statusType() != statusTerminal:
		a.resolvedBy = ""
	case f.ResolvedBy != nil:
		a.resolvedBy = *f.ResolvedBy
	case changes && actor != nil:
		a.resolvedBy = actor.UserID
	case changes:
		a.resolvedBy = ""
	default:
	}
}

// of is the suggestion of an annotation, as it is stored.
func (s *UpdatedSuggestion) of(a *changedAnnotation) json.RawMessage {
	status := s.Status
	if status == "" {
		status = a.decided()
	}
	return shape.AppendMembers(shape.Encode(map[string]string{"status": status}), s.Others)
}

// mark tells whether the annotation is another one than was stored, and then notes what was
// done with it and when. A time of change that is sent holds.
func (a *changedAnnotation) mark(stored *changedAnnotation, now time.Time, sent *int64) bool {
	set(&a.updatedMs, sent)
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
	from, status, visibility, location, target, context, priority, suggestion, assigned, resolvedBy, statusUpdatedBy string
	createdMs                                                                                                        int64
}

func (a *changedAnnotation) fields() annotationFields {
	return annotationFields{
		from: compact(a.from), status: compact(a.status), visibility: a.visibilityText(), location: compact(a.location), target: compact(a.target),
		context: compact(shown.OrJSON(a.context, shown.Empty)), priority: compact(a.priority), suggestion: compact(a.suggestion),
		assigned: compact(snapshotOrNull(a.assigned)), resolvedBy: a.resolvedBy, statusUpdatedBy: a.statusUpdatedBy, createdMs: a.createdMs,
	}
}

// visibilityText is the visibility with its users in one order: which one was sent says nothing.
func (a *changedAnnotation) visibilityText() string {
	v := a.visibility
	v.UserIDs = slices.Sorted(slices.Values(v.UserIDs))
	return string(shape.Encode(showVisibility(v)))
}

func sameJSON(a, b json.RawMessage) bool { return compact(a) == compact(b) }

// actsOf are what an update did with an annotation, in the order in which it is published.
func actsOf(was, is *changedAnnotation) (acts []act) {
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
		did(envelope.PriorityChange, fieldPriority, shown.OrJSON(was.priority, shown.Null), shown.OrJSON(is.priority, shown.Null))
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
func shownChanges(was, is *changedAnnotation) map[string]fieldChange {
	changes := map[string]fieldChange{}
	note := func(field string, from, to json.RawMessage) {
		if !sameJSON(from, to) {
			changes[field] = fieldChange{From: from, To: to}
		}
	}
	note("location", shown.OrJSON(was.location, shown.Null), shown.OrJSON(is.location, shown.Null))
	note("targetElement", shown.OrJSON(was.target, shown.Null), shown.OrJSON(is.target, shown.Null))
	note("context", shown.OrJSON(was.context, shown.Empty), shown.OrJSON(is.context, shown.Empty))
	if was.visibilityText() != is.visibilityText() {
		note("visibility", shape.Encode(showVisibility(was.visibility)), shape.Encode(showVisibility(is.visibility)))
	}
	return changes
}
