package collaboration

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/activity"
	"github.com/redline-svc/redline/models/directory"
)

type activityStore interface {
	Add(ctx context.Context, workspaceID string, c directory.Container, records []activity.Record) ([]directory.Entry, error)
	Get(ctx context.Context, workspaceID string, f activity.Filter, after *activity.Position, size int) (*activity.Page, error)
	Update(ctx context.Context, workspaceID, organizationID string, changes []activity.Change) ([]directory.Entry, error)
	Delete(ctx context.Context, workspaceID string, d activity.Deletion) (*activity.Deleted, error)
}

// Activities are the operations on what was done.
type Activities struct {
	listing

	store activityStore
}

// NewActivities makes the operations.
func NewActivities(store activityStore, cursors *cursor.Codec) *Activities {
	return &Activities{listing{Cursors: cursors}, store}
}

// customFeature is the feature whose activities have to say what they are about.
const customFeature = "custom"

// ActivityData is an activity as sent.
type ActivityData struct {
	ID                         string          `json:"id,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"unique in the workspace; made when absent"`
	FeatureType                string          `json:"featureType" enum:"comment,reaction,recorder,crdt,custom"`
	ActionType                 string          `json:"actionType" minLength:"1" maxLength:"100"`
	ActionUser                 UserData        `json:"actionUser" doc:"who acted"`
	TargetEntityID             string          `json:"targetEntityId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"required for custom; that of an annotation lets it follow who may see that"`
	TargetSubEntityID          string          `json:"targetSubEntityId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"column-1"`
	Changes                    shape.Object    `json:"changes,omitempty" storable:"true" doc:"by field: from and to"`
	EntityData                 json.RawMessage `json:"entityData,omitempty" storable:"true" example:"{\"copies\":2}"`
	EntityTargetData           json.RawMessage `json:"entityTargetData,omitempty" storable:"true" example:"{\"page\":3}"`
	Immutable                  bool            `json:"immutable,omitempty" example:"true" doc:"nobody changes or deletes it"`
	DisplayMessageTemplate     string          `json:"displayMessageTemplate,omitempty" maxLength:"2000" doc:"with places {{a.b}}"`
	DisplayMessageTemplateData shape.Object    `json:"displayMessageTemplateData,omitempty" storable:"true" doc:"what the places are filled from; actionUser is there in any case"`
	ActionIcon                 string          `json:"actionIcon,omitempty" maxLength:"2000" example:"https://example.com/print.svg"`
	Timestamp                  *int64          `json:"timestamp,omitempty" minimum:"0" maximum:"253402300799999" doc:"epoch ms; default now"`
}

// record returns the activity as the store takes it.
func (d *ActivityData) record() activity.Record {
	r := activity.Record{
		ID: d.ID, FeatureType: d.FeatureType, ActionType: d.ActionType, ActionUser: d.ActionUser.whole().Snapshot(),
		TargetID: d.TargetEntityID, TargetSub: d.TargetSubEntityID, Immutable: d.Immutable,
		Parts: activity.Parts{
			Changes: json.RawMessage(d.Changes), EntityData: d.EntityData, EntityTarget: d.EntityTargetData,
			Template: d.DisplayMessageTemplate, TemplateData: json.RawMessage(d.DisplayMessageTemplateData), Icon: d.ActionIcon,
		},
	}
	if d.Timestamp != nil {
		r.At = time.UnixMilli(*d.Timestamp)
	}
	return r
}

func (d *ActivityData) check(at rpc.Issues) {
	at.Append(d.ActionUser.issues(at.At("actionUser").Path()...)...)
	if d.FeatureType == customFeature && d.TargetEntityID == "" {
		at.At("targetEntityId").Add(shape.Required, "is required for custom")
	}
	checkChanges(at.At("changes"), d.Changes)
	others := *d
	others.ActionUser = UserData{}
	if len(shape.Encode(others))+d.ActionUser.Rest.Size > activity.MaxRecord {
		at.Add(shape.Length, "must be at most 32 KiB as JSON")
		return
	}
	record := d.record()
	if message, fits := record.Message(); !fits || len(message) > activity.MaxRecord {
		at.At("displayMessageTemplate").Add(shape.Length, "must be at most 32 KiB when its places are filled")
	}
}

func checkChanges(at rpc.Issues, changes shape.Object) {
	for _, field := range shape.MembersOf(changes) {
		if field.Value[0] != '{' {
			at.At(field.Name).Add(shape.Type, "must be an object with from and to")
		}
	}
}

// AddActivities is the request of activities/add.
type AddActivities struct {
	OrganizationID string         `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentID     string         `json:"documentId,omitempty" minLength:"1" maxLength:"200" format:"caller-id"`
	Activities     []ActivityData `json:"activities" minItems:"1" maxItems:"100"`
}

// Validate checks what tags cannot say.
func (r *AddActivities) Validate() []fault.Issue {
	var issues []fault.Issue
	all := rpc.IssuesIn(&issues, "activities")
	seen := map[string]bool{}
	for i := range r.Activities {
		a, at := &r.Activities[i], all.At(strconv.Itoa(i))
		if a.ID != "" && seen[a.ID] {
			at.At("id").Add(shape.Duplicate, "is there twice in the request")
		}
		seen[a.ID] = true
		a.check(at)
	}
	return issues
}

// Add keeps activities, all or none.
func (a *Activities) Add(ctx context.Context, req *AddActivities) (*rpc.Success[rpc.Keyed[Item]], error) {
	records := make([]activity.Record, len(req.Activities))
	for i := range req.Activities {
		records[i] = req.Activities[i].record()
	}
	c := directory.Container{OrganizationID: req.OrganizationID, DocumentID: req.DocumentID}
	entries, err := a.store.Add(ctx, rpc.CallerFrom(ctx).WorkspaceID, c, records)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Activities added.", sentences{}.items(entries, "Activity added.")), nil
}

// GetActivities is the request of activities/get.
type GetActivities struct {
	OrganizationID string   `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentID     string   `json:"documentId,omitempty" minLength:"1" maxLength:"200" format:"caller-id"`
	TargetEntityID string   `json:"targetEntityId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"page-3"`
	FeatureTypes   []string `json:"featureTypes,omitempty" maxItems:"30" enum:"comment,reaction,recorder,crdt,custom"`
	ActionTypes    []string `json:"actionTypes,omitempty" maxItems:"30" minLength:"1" maxLength:"100" example:"printed,comment.add"`
	UserID         string   `json:"userId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" example:"u_ann" doc:"who acted; nothing about annotations that they may not see"`
	ViewerUserID   string   `json:"viewerUserId,omitempty" minLength:"1" maxLength:"200" format:"caller-id" doc:"only what this user may see"`
	ActivityIDs    []string `json:"activityIds,omitempty" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" example:"act-1"`
	After          *int64   `json:"after,omitempty" minimum:"0" maximum:"253402300799999" example:"1767225600000" doc:"epoch ms, exclusive"`
	Before         *int64   `json:"before,omitempty" minimum:"0" maximum:"253402300799999" example:"1767312000000" doc:"epoch ms, exclusive"`
	Order          string   `json:"order,omitempty" enum:"desc,asc" example:"asc" doc:"by timestamp; default desc, the newest first"`
	PageData
}

// ActivityMetadata is where an activity belongs now.
type ActivityMetadata struct {
	OrganizationID string  `json:"organizationId"`
	DocumentID     *string `json:"documentId" doc:"null outside of all documents"`
	FolderID       *string `json:"folderId" doc:"null outside of all folders"`
}

// ActivityView is an activity as read.
type ActivityView struct {
	ID                         string           `json:"id"`
	FeatureType                string           `json:"featureType" enum:"comment,reaction,recorder,crdt,custom"`
	ActionType                 string           `json:"actionType"`
	ActionUser                 shape.Object     `json:"actionUser" doc:"who acted, as known then; null where the call named nobody"`
	TargetEntityID             *string          `json:"targetEntityId"`
	TargetSubEntityID          *string          `json:"targetSubEntityId"`
	Changes                    shape.Object     `json:"changes" doc:"by field: from and to; empty when there are none"`
	EntityData                 json.RawMessage  `json:"entityData" doc:"as sent; an empty object when there is none"`
	EntityTargetData           json.RawMessage  `json:"entityTargetData" doc:"as sent; an empty object when there is none"`
	Immutable                  bool             `json:"immutable" doc:"nobody changes or deletes it"`
	DisplayMessageTemplate     string           `json:"displayMessageTemplate"`
	DisplayMessageTemplateData shape.Object     `json:"displayMessageTemplateData" doc:"empty when there is none"`
	DisplayMessage             string           `json:"displayMessage" doc:"the template with its places filled"`
	ActionIcon                 string           `json:"actionIcon"`
	Metadata                   ActivityMetadata `json:"metadata"`
	Timestamp                  int64            `json:"timestamp" doc:"epoch milliseconds"`
}

// orEmpty is an object, or the empty one where there is none.
func orEmpty(object json.RawMessage) shape.Object {
	if object == nil {
		return shape.Object(`{}`)
	}
	return shape.Object(object)
}

func viewActivity(organizationID string) func(v activity.View) ActivityView {
	return func(v activity.View) ActivityView {
		return ActivityView{
			ID: v.ID, FeatureType: v.FeatureType, ActionType: v.ActionType, ActionUser: shape.Object(v.ActionUser),
			TargetEntityID: v.TargetID, TargetSubEntityID: v.TargetSub, Changes: orEmpty(v.Changes), EntityData: json.RawMessage(orEmpty(v.EntityData)),
			EntityTargetData: json.RawMessage(orEmpty(v.EntityTarget)), Immutable: v.Immutable,
			DisplayMessageTemplate: v.Template, DisplayMessageTemplateData: orEmpty(v.TemplateData), DisplayMessage: v.Message, ActionIcon: v.Icon,
			Metadata: ActivityMetadata{organizationID, v.DocumentID, v.FolderID}, Timestamp: v.At.UnixMilli(),
		}
	}
}

const activitiesList = "v2/activities/get"

// Get reads activities, newest first unless asked otherwise.
func (a *Activities) Get(ctx context.Context, req *GetActivities) (*rpc.Success[[]ActivityView], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	filter := activity.Filter{
		OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, TargetID: req.TargetEntityID, Features: req.FeatureTypes,
		Actions: req.ActionTypes, Actor: req.UserID, Viewer: req.ViewerUserID, IDs: req.ActivityIDs, After: req.After, Before: req.Before,
		Oldest: req.Order == "asc",
	}
	pages := a.pages(workspaceID, activitiesList, filter)
	found, next, err := rpc.List(pages, req.PageToken, viewActivity(req.OrganizationID), func(after *activity.Position) (*activity.Page, error) {
		return a.store.Get(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, pageSize))
	})
	return rpc.Found("Activities found.", found, next, err)
}
