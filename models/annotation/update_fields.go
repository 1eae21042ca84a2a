package annotation

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
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
	Kept        Kept
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
func (f *UpdatedFields) refused(stored *annotation) string {
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

// apply gives an annotation the fields. Actor is who is named as making the update.
func (f *UpdatedFields) apply(c *change, a *annotation, actor *person.Person) {
	if f.Location != nil {
		a.locationID, a.location = f.Location.ID, f.Location.Text
	}
	set(&a.target, f.Target)
	set(&a.context, f.Context)
	set(&a.priority, f.Priority)
	set(&a.statusUpdatedBy, f.StatusUpdatedBy)
	set(&a.visibility, f.Visibility)
	set(&a.createdMs, f.CreatedMs)
	a.kept = f.Kept.onto(a.kept)
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
func (f *UpdatedFields) setStatus(a *annotation, actor *person.Person) {
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
func (s *UpdatedSuggestion) of(a *annotation) json.RawMessage {
	status := s.Status
	if status == "" {
		status = a.decided()
	}
	return shape.AppendMembers(shape.Encode(map[string]string{"status": status}), s.Others)
}
