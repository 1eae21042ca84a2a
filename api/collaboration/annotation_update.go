package collaboration

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/annotation"
	"github.com/redline-svc/redline/models/directory"
)

// UpdateAnnotations is the request of commentannotations/update.
type UpdateAnnotations struct {
	DocumentData
	SelectorData
	PageToken           string                         `json:"pageToken,omitempty" maxLength:"4000" example:"8mNq2v5yBxE0hKjRlTnZpQ" doc:"goes on with the same selection"`
	UpdatedData         *shape.Only[UpdatedAnnotation] `json:"updatedData,omitempty" doc:"what is not sent stays; also an array of one such object"`
	UpdateUsers         []UserChange                   `json:"updateUsers,omitempty" minItems:"1" maxItems:"100" doc:"users who come in the place of others"`
	ActionUser          *UserData                      `json:"actionUser,omitempty" doc:"who changes them"`
	TriggerNotification bool                           `json:"triggerNotification,omitempty" example:"true" doc:"tell who is assigned by a notification and a mail"`
	TriggerActivities   bool                           `json:"triggerActivities,omitempty" example:"true" doc:"keep a record of it"`
}

// UpdatedAnnotation is an annotation as sent to commentannotations/update; null clears.
type UpdatedAnnotation struct {
	Location              *LocationData   `json:"location,omitempty" doc:"null clears, here and below"`
	TargetElement         *TargetData     `json:"targetElement,omitempty"`
	Status                *StatusData     `json:"status,omitempty" doc:"null: OPEN"`
	StatusUpdatedByUserID *string         `json:"statusUpdatedByUserId,omitempty" nullable:"true" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann"`
	ResolvedByUserID      *string         `json:"resolvedByUserId,omitempty" nullable:"true" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann" doc:"with a terminal status only"`
	AssignedTo            *UserData       `json:"assignedTo,omitempty"`
	Priority              *PriorityData   `json:"priority,omitempty"`
	Context               shape.Object    `json:"context,omitempty" maxBytes:"32768" storable:"true" example:"{\"page\":\"pricing\"}"`
	Visibility            *VisibilityData `json:"visibility,omitempty" doc:"null: public"`
	Suggestion            shape.Object    `json:"suggestion,omitempty" maxBytes:"32768" storable:"true" example:"{\"status\":\"pending\",\"oldValue\":\"April\",\"newValue\":\"May\"}" doc:"replaced whole; its status decides it: pending, accepted, rejected"`
	From                  *UserData       `json:"from,omitempty" notNull:"true" doc:"the author"`
	CreatedAt             *int64          `json:"createdAt,omitempty" notNull:"true" minimum:"0" maximum:"253402300799999" example:"1767225600000"`
	LastUpdated           *int64          `json:"lastUpdated,omitempty" notNull:"true" minimum:"0" maximum:"253402300799999" example:"1767225600000" doc:"default now"`
	Actions               []ActionData    `json:"actions,omitempty" maxItems:"20" nullable:"true" doc:"what a user may choose, at most 16 KiB together; the service acts on none"`

	Cleared shape.Nulls `json:"-"`
}

// UserChange puts a user in the place of another one.
type UserChange struct {
	OldUser UserData `json:"oldUser" doc:"known by the userId"`
	NewUser UserData `json:"newUser"`
}

// Validate checks what tags cannot say.
func (r *UpdateAnnotations) Validate() []fault.Issue {
	issues := append(r.SelectorData.issues(false), r.ActionUser.issuesAt("actionUser")...)
	switch {
	case r.UpdatedData != nil:
		r.UpdatedData.Value.check(rpc.IssuesIn(&issues, updatedData))
	case len(r.UpdateUsers) == 0:
		rpc.IssuesIn(&issues, updatedData).Add(shape.Required, "updatedData or updateUsers is required")
	default:
	}
	all, seen := rpc.IssuesIn(&issues, "updateUsers"), map[string]bool{}
	for i, change := range r.UpdateUsers {
		at := all.At(strconv.Itoa(i))
		at.Append(append(change.OldUser.issues(at.At("oldUser").Path()...), change.NewUser.issues(at.At("newUser").Path()...)...)...)
		if change.OldUser.UserID != "" && seen[change.OldUser.UserID] {
			at.At("oldUser", "userId").Add(shape.Duplicate, "is there twice")
		}
		seen[change.OldUser.UserID] = true
	}
	return issues
}

func (u *UpdatedAnnotation) check(at rpc.Issues) {
	checkContextAndTags(at, u.Context, nil)
	u.Status.check(at.At("status"))
	checkActions(at.At("actions"), u.Actions)
	at.Append(u.AssignedTo.issuesAt(at.At("assignedTo").Path()...)...)
	at.Append(u.From.issuesAt(at.At("from").Path()...)...)
	if u.Visibility != nil {
		u.Visibility.check(at.At("visibility"))
	}
	known := []string{annotation.SuggestionPending, annotation.SuggestionAccepted, annotation.SuggestionRejected}
	suggestion := json.RawMessage(u.Suggestion)
	if shape.Value(suggestion, "status") != nil && !slices.Contains(known, shape.Text(suggestion, "status")) {
		at.At("suggestion", "status").Add(shape.Enum, "must be one of pending, accepted, rejected")
	}
}

// fields returns what is sent, and what it clears, as the store takes it.
func (u *UpdatedAnnotation) fields() annotation.UpdatedFields {
	f := annotation.UpdatedFields{
		StatusUpdatedBy: sentOrCleared(u.StatusUpdatedByUserID, "", u.Cleared.Null("statusUpdatedByUserId")),
		ResolvedBy:      sentOrCleared(u.ResolvedByUserID, "", u.Cleared.Null("resolvedByUserId")),
		Assigned:        u.AssignedTo.whole(), SetAssigned: u.AssignedTo != nil || u.Cleared.Null("assignedTo"),
		Target: rawOrCleared(u.TargetElement, u.Cleared.Null("targetElement")), Priority: rawOrCleared(u.Priority, u.Cleared.Null("priority")),
		From: u.From.whole(), CreatedMs: u.CreatedAt, UpdatedMs: u.LastUpdated,
	}
	if location := rawOrCleared(u.Location, u.Cleared.Null("location")); location != nil {
		f.Location = &annotation.UpdatedLocation{Text: *location}
		if u.Location != nil {
			f.Location.ID = u.Location.ID
		}
	}
	if status := sentOrCleared(u.Status, openStatus, u.Cleared.Null("status")); status != nil {
		f.Status = &annotation.UpdatedStatus{ID: status.ID, Text: raw(status)}
	}
	if u.Context != nil || u.Cleared.Null("context") {
		context := json.RawMessage(u.Context)
		f.Context = &context
	}
	if u.Visibility != nil || u.Cleared.Null("visibility") {
		visibility := u.Visibility.visibility()
		f.Visibility = &visibility
	}
	f.Suggestion = u.suggestion()
	k := keeping{cleared: u.Cleared}
	k.keep("actions", u.Actions != nil, len(u.Actions) == 0, u.Actions)
	f.Kept = k.fields
	return f
}

// suggestion is the one that is sent; a cleared one is pending and says nothing.
func (u *UpdatedAnnotation) suggestion() *annotation.UpdatedSuggestion {
	switch {
	case u.Cleared.Null("suggestion"):
		return &annotation.UpdatedSuggestion{Status: annotation.SuggestionPending}
	case u.Suggestion == nil:
		return nil
	default:
		return &annotation.UpdatedSuggestion{Status: shape.Text(json.RawMessage(u.Suggestion), "status"), Others: withoutStatus(u.Suggestion)}
	}
}

// sentOrCleared is what is sent, or what stands for null; nil where neither is.
func sentOrCleared[T any](sent *T, none T, cleared bool) *T {
	if sent == nil && cleared {
		return &none
	}
	return sent
}

// rawOrCleared is sentOrCleared of something that is written, and empty for null.
func rawOrCleared[T any](sent *T, cleared bool) *json.RawMessage {
	var text json.RawMessage
	switch {
	case sent != nil:
		text = raw(sent)
	case !cleared:
		return nil
	default:
	}
	return &text
}

// updateList names the tokens of commentannotations/update.
const updateList = "v2/commentannotations/update"

// updatePosition is where a call ended: the last annotation that it took.
type updatePosition struct {
	ID string `json:"i"`
}

// Update changes annotations of a document, as many as one call may.
func (a *Annotations) Update(ctx context.Context, req *UpdateAnnotations) (*rpc.Success[rpc.Keyed[Item]], error) {
	caller, which := rpc.CallerFrom(ctx), req.selection()
	pages := a.pages(caller.WorkspaceID, updateList, []any{req.DocumentData, which})
	after, err := rpc.Position[updatePosition](pages, req.PageToken)
	if err != nil {
		return nil, err
	}
	if after != nil {
		which.After = after.ID
	}
	updated, err := a.store.Update(ctx, caller.WorkspaceID, annotation.Update{
		Container: req.container(), APIKeyID: caller.APIKeyID, Which: which, Fields: req.fields(), Users: req.users(),
		Actor: req.ActionUser.whole(), Notify: req.TriggerNotification, Record: req.TriggerActivities,
	})
	if err != nil {
		return nil, err
	}
	result := rpc.Succeed("Annotations updated.", updateSentences.items(updated.Entries, "Annotation updated."))
	if updated.Next != "" {
		result.NextPageToken = rpc.TextOf(rpc.Token(pages, &updatePosition{updated.Next}))
	}
	return result, nil
}

// fields are those that are sent, none where only users change.
func (r *UpdateAnnotations) fields() annotation.UpdatedFields {
	if r.UpdatedData == nil {
		return annotation.UpdatedFields{}
	}
	return r.UpdatedData.Value.fields()
}

func (r *UpdateAnnotations) users() []annotation.UserChange {
	return rpc.Each(r.UpdateUsers, func(c UserChange) annotation.UserChange {
		return annotation.UserChange{OldID: c.OldUser.UserID, New: *c.NewUser.whole()}
	})
}

var updateSentences = sentences{
	directory.CodeNotFound:        "The document has no such annotation.",
	annotation.CodeAlreadyDecided: "What the annotation suggests is decided otherwise already.",
	annotation.CodeNotASuggestion: "The annotation suggests nothing.",
	annotation.CodeTooLarge:       "The annotation would have more than 8 MiB of all that is stored of it.",
}
