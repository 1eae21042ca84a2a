package tests

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	addActivities = "activities/add"
	getActivities = "activities/get"
)

// activityView is an activity as read.
type activityView struct {
	ID                         string
	FeatureType, ActionType    string
	ActionUser                 *struct{ UserID, Name string }
	TargetEntityID             *string
	TargetSubEntityID          *string
	Changes, EntityData        json.RawMessage
	DisplayMessageTemplate     string
	DisplayMessageTemplateData json.RawMessage
	DisplayMessage, ActionIcon string
	Metadata                   struct {
		OrganizationID       string
		DocumentID, FolderID *string
	}
	Timestamp int64
}

// did is a custom activity of a user, about something, with more fields.
func did(user, target string, more ...map[string]any) map[string]any {
	one := map[string]any{"featureType": "custom", "actionType": "tried", "actionUser": map[string]any{"userId": user}, "targetEntityId": target}
	for _, fields := range more {
		one = with(one, fields)
	}
	return one
}

// identified gives an activity its id, timed its time.
func identified(id string) map[string]any { return map[string]any{"id": id} }
func timed(ms int64) map[string]any       { return map[string]any{"timestamp": ms} }

// did adds activities to acme, or to a document of it.
func (s *scene) did(documentID string, activities ...map[string]any) map[string]itemView {
	s.t.Helper()
	data := inAcme(map[string]any{"activities": activities})
	if documentID != "" {
		data["documentId"] = documentID
	}
	return s.items(addActivities, data)
}

// activityPages reads a list of activities of acme page by page.
func (s *scene) activityPages(filters ...map[string]any) (pages [][]activityView) {
	s.t.Helper()
	for query := inAcme(filters...); ; {
		var page pagedView[[]activityView]
		s.call(getActivities, query, &page)
		pages = append(pages, page.Data)
		if page.NextPageToken == "" {
			return pages
		}
		query["pageToken"] = page.NextPageToken
	}
}

// log are the activities of acme, logged their ids.
func (s *scene) log(filters ...map[string]any) []activityView {
	s.t.Helper()
	return slices.Concat(s.activityPages(filters...)...)
}

func (s *scene) logged(filters ...map[string]any) []string {
	s.t.Helper()
	ids := []string{}
	for _, a := range s.log(filters...) {
		ids = append(ids, a.ID)
	}
	return ids
}

// seenBy are what a user sees activities to be about, each once, in the order of the ids.
func (s *scene) seenBy(viewer string, filters ...map[string]any) []string {
	s.t.Helper()
	targets := []string{}
	for _, a := range s.log(append(filters, map[string]any{"viewerUserId": viewer})...) {
		targets = append(targets, *a.TargetEntityID)
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}

var recorded = map[string]any{"triggerActivities": true}

// visibleTo lets only these users see an annotation.
func visibleTo(annotation map[string]any, users ...string) map[string]any {
	annotation["visibility"] = map[string]any{"type": "restricted", "userIds": users}
	return annotation
}

func TestActivities_5_RecordsFollowAMigratedDocument(t *testing.T) {
	s := begin(t)
	s.folders("f")
	s.items(addDocuments, document("old", nil))
	s.annotate(made("old", visibleTo(annotated("n", wrote("ann", "hello", recorded)), "eve")))
	s.did("old", did("ann", "x", identified("one")), did("bob", "y", identified("two")), did("bob", "z", identified("three")))
	of := func(id string) []activityView { return s.log(map[string]any{"documentId": id}) }
	before := underOne(t, of, "old", "new")
	require.Len(t, before, 4)
	var first pagedView[[]activityView]
	s.call(getActivities, doc("old", map[string]any{"pageSize": 2}), &first)
	require.NotEmpty(t, first.NextPageToken)

	s.follows("old", "new")
	s.call(moveDocuments, move("f", "new"), nil)
	after := underOne(t, of, "new", "old")
	require.Len(t, after, 4)
	for i, a := range after {
		require.NotNil(t, a.Metadata.FolderID)
		require.Equal(t, []any{"new", "f"}, []any{*a.Metadata.DocumentID, *a.Metadata.FolderID}, "where it is now")
		before[i].Metadata = a.Metadata
	}
	require.Equal(t, before, after)
	require.Equal(t, []string{"x", "y", "z"}, s.seenBy("bob", map[string]any{"documentId": "new"}))
	require.Len(t, s.log(), 4)
	var rest pagedView[[]activityView]
	s.call(getActivities, doc("old", map[string]any{"pageSize": 2, "pageToken": first.NextPageToken}), &rest)
	require.Empty(t, rest.Data)
	require.Empty(t, rest.NextPageToken)
}
