package collaboration

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/activity"
	"github.com/redline-svc/redline/models/directory"
)

// ChangedActivity is an activity as sent to activities/update: what is sent is replaced whole,
// null clears.
type ChangedActivity struct {
	ID                         string          `json:"id" minLength:"1" maxLength:"200" format:"caller-id"`
	Changes                    shape.Object    `json:"changes,omitempty" storable:"true" doc:"by field: from and to"`
	EntityData                 json.RawMessage `json:"entityData,omitempty" storable:"true" example:"{\"copies\":2}"`
	EntityTargetData           json.RawMessage `json:"entityTargetData,omitempty" storable:"true" example:"{\"page\":3}"`
	DisplayMessageTemplate     *string         `json:"displayMessageTemplate,omitempty" nullable:"true" maxLength:"2000" example:"{{actionUser.name}} printed {{page.title}}"`
	DisplayMessageTemplateData shape.Object    `json:"displayMessageTemplateData,omitempty" storable:"true" example:"{\"page\":{\"title\":\"Spring\"}}"`
	ActionIcon                 *string         `json:"actionIcon,omitempty" nullable:"true" maxLength:"2000" example:"https://example.com/print.svg"`

	Cleared shape.Nulls `json:"-"`
}

// change returns what is sent, and what it clears, as the store takes it.
func (c *ChangedActivity) change() activity.Change {
	part := func(name string, sent json.RawMessage) *json.RawMessage {
		if sent == nil && !c.Cleared.Null(name) {
			return nil
		}
		return &sent
	}
	return activity.Change{
		ID: c.ID, Changes: part("changes", json.RawMessage(c.Changes)), EntityData: part("entityData", c.EntityData),
		EntityTarget: part("entityTargetData", c.EntityTargetData),
		TemplateData: part("displayMessageTemplateData", json.RawMessage(c.DisplayMessageTemplateData)),
		Template:     sentOrCleared(c.DisplayMessageTemplate, "", c.Cleared.Null("displayMessageTemplate")),
		Icon:         sentOrCleared(c.ActionIcon, "", c.Cleared.Null("actionIcon")),
	}
}

// UpdateActivities is the request of activities/update.
type UpdateActivities struct {
	OrganizationID string            `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	Activities     []ChangedActivity `json:"activities" minItems:"1" maxItems:"100"`
}

// Validate wants each activity once, with something to change.
func (r *UpdateActivities) Validate() []fault.Issue {
	var issues []fault.Issue
	all, seen := rpc.IssuesIn(&issues, "activities"), map[string]bool{}
	for i := range r.Activities {
		a, at := &r.Activities[i], all.At(strconv.Itoa(i))
		if seen[a.ID] {
			at.At("id").Add(shape.Duplicate, "is there twice in the request")
		}
		seen[a.ID] = true
		if (a.change() == activity.Change{ID: a.ID}) {
			at.Add(shape.Required, "something to change is required")
		}
		checkChanges(at.At("changes"), a.Changes)
	}
	return issues
}

// Update changes activities that are not immutable.
func (a *Activities) Update(ctx context.Context, req *UpdateActivities) (*rpc.Success[rpc.Keyed[Item]], error) {
	changes := make([]activity.Change, len(req.Activities))
	for i := range req.Activities {
		changes[i] = req.Activities[i].change()
	}
	entries, err := a.store.Update(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, changes)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Activities updated.", activitySentences.items(entries, "Activity updated.")), nil
}

// DeleteActivities is the request of activities/delete.
type DeleteActivities struct {
	OrganizationID string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentID     string   `json:"documentId,omitempty" selector:"true" minLength:"1" maxLength:"200" format:"caller-id" example:"spring" doc:"those of this document"`
	TargetEntityID string   `json:"targetEntityId,omitempty" selector:"true" minLength:"1" maxLength:"200" format:"caller-id" example:"page-3" doc:"those about it"`
	ActivityIDs    []string `json:"activityIds,omitempty" selector:"true" maxItems:"1000" minLength:"1" maxLength:"200" format:"caller-id"`
}

// Validate wants to know which ones.
func (r *DeleteActivities) Validate() []fault.Issue {
	if r.DocumentID == "" && r.TargetEntityID == "" && len(r.ActivityIDs) == 0 {
		return []fault.Issue{{Code: shape.Required, Path: []string{"activityIds"}, Message: "documentId, targetEntityId or activityIds is required"}}
	}
	return nil
}

// DeletedActivities says what became of each activity, and what stays.
type DeletedActivities struct {
	Status        string          `json:"status" enum:"success"`
	Message       string          `json:"message" doc:"a short sentence, not part of the contract"`
	Data          rpc.Keyed[Item] `json:"data"`
	ImmutableKept int64           `json:"immutableKept" doc:"immutable ones that the selectors met and no id named"`
	HasMore       bool            `json:"hasMore" doc:"the call took as many as it may: make it again"`
}

// Delete deletes activities that are not immutable.
func (a *Activities) Delete(ctx context.Context, req *DeleteActivities) (*DeletedActivities, error) {
	deleted, err := a.store.Delete(ctx, rpc.CallerFrom(ctx).WorkspaceID, activity.Deletion{
		Container: directory.Container{OrganizationID: req.OrganizationID, DocumentID: req.DocumentID},
		TargetID:  req.TargetEntityID, IDs: once(req.ActivityIDs),
	})
	if err != nil {
		return nil, err
	}
	return &DeletedActivities{
		"success", "Activities deleted.", activitySentences.items(deleted.Entries, "Activity deleted."), deleted.Kept, deleted.More,
	}, nil
}

var activitySentences = sentences{
	directory.CodeNotFound: "There is no such activity.",
	activity.CodeImmutable: "The activity is immutable.",
	activity.CodeTooLarge:  "The activity would be larger than 32 KiB.",
}
