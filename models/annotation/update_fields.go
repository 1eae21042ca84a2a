package annotation

import (
	"encoding/json"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/annotation/change"
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
func (f *UpdatedFields) refused(stored *change.Annotation) string {
	if f.Suggestion == nil {
		return ""
	}
	decided := stored.Decided()
	switch wanted := f.Suggestion.Status; {
	case stored.Kind != change.KindSuggestion:
		return CodeNotASuggestion
	case wanted == change.SuggestionAccepted && decided == change.SuggestionRejected, wanted == change.SuggestionRejected && decided == change.SuggestionAccepted:
		return CodeAlreadyDecided
	default:
		return ""
	}
}

// apply gives an annotation the fields. Actor is who is named as making the update.
func (f *UpdatedFields) apply(c *change.Change, a *change.Annotation, actor *person.Person) {
	if f.Location != nil {
		a.LocationID, a.Location = f.Location.ID, f.Location.Text
	}
	set(&a.Target, f.Target)
	set(&a.Context, f.Context)
	set(&a.Priority, f.Priority)
	set(&a.StatusUpdatedBy, f.StatusUpdatedBy)
	set(&a.Visibility, f.Visibility)
	set(&a.CreatedMs, f.CreatedMs)
	if f.SetAssigned {
		a.Assigned = c.Filled(f.Assigned)
	}
	if f.Suggestion != nil {
		a.Suggestion = f.Suggestion.of(a)
	}
	if f.From != nil {
		a.Author, a.From = f.From.UserID, c.Filled(f.From).Snapshot()
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
func (f *UpdatedFields) setStatus(a *change.Annotation, actor *person.Person) {
	changes := f.Status != nil && !change.SameJSON(f.Status.Text, a.Status)
	if f.Status != nil {
		a.StatusID, a.Status = f.Status.ID, f.Status.Text
	}
	switch {
	case a.StatusType() != change.StatusTerminal:
		a.ResolvedBy = ""
	case f.ResolvedBy != nil:
		a.ResolvedBy = *f.ResolvedBy
	case changes && actor != nil:
		a.ResolvedBy = actor.UserID
	case changes:
		a.ResolvedBy = ""
	default:
	}
}

// of is the suggestion of an annotation, as it is stored.
func (s *UpdatedSuggestion) of(a *change.Annotation) json.RawMessage {
	status := s.Status
	if status == "" {
		status = a.Decided()
	}
	return shape.AppendMembers(shape.Encode(map[string]string{"status": status}), s.Others)
}
