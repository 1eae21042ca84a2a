package kit

import (
	"slices"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Activity returns a custom activity of a user, about something, with more fields.
func Activity(user, target string, more ...map[string]any) map[string]any {
	one := map[string]any{"featureType": "custom", "actionType": "tried", "actionUser": map[string]any{"userId": user}, "targetEntityId": target}
	for _, fields := range more {
		one = With(one, fields)
	}
	return one
}

// Identified returns the fields of an activity that has the id.
func Identified(id string) map[string]any { return map[string]any{"id": id} }

// Timed returns the fields of an activity that happened at the time, in milliseconds.
func Timed(ms int64) map[string]any { return map[string]any{"timestamp": ms} }

// AddActivities adds activities to acme, or to a document of it, and returns an entry for
// each.
func AddActivities(env *Env, documentID string, activities ...map[string]any) map[string]redline.Item {
	env.T.Helper()
	data := InAcme(map[string]any{"activities": activities})
	if documentID != "" {
		data["documentId"] = documentID
	}
	return Items(env, client.ActivitiesAdd, data)
}

// ActivityPages reads the activities of acme that the filters find, page by page.
func ActivityPages(env *Env, filters ...map[string]any) (pages [][]redline.Activity) {
	env.T.Helper()
	for query := InAcme(filters...); ; {
		var page redline.ActivityListResult
		env.Call(client.GetActivities, query, &page)
		pages = append(pages, page.Data)
		if page.NextPageToken == "" {
			return pages
		}
		query["pageToken"] = page.NextPageToken
	}
}

// Log returns the activities of acme that the filters find.
func Log(env *Env, filters ...map[string]any) []redline.Activity {
	env.T.Helper()
	return slices.Concat(ActivityPages(env, filters...)...)
}

// Logged returns the ids of the activities of acme that the filters find.
func Logged(env *Env, filters ...map[string]any) []string {
	env.T.Helper()
	ids := []string{}
	for _, a := range Log(env, filters...) {
		ids = append(ids, a.ID)
	}
	return ids
}

// SeenBy returns what the activities that a user sees are about, each once, in the order
// of the ids.
func SeenBy(env *Env, viewer string, filters ...map[string]any) []string {
	env.T.Helper()
	targets := []string{}
	for _, a := range Log(env, append(filters, map[string]any{"viewerUserId": viewer})...) {
		targets = append(targets, *a.TargetEntityID)
	}
	slices.Sort(targets)
	return slices.Compact(targets)
}

// TriggerActivities are the fields with which a write adds activities of what it did.
var TriggerActivities = map[string]any{"triggerActivities": true}

// VisibleTo lets only these users see an annotation.
func VisibleTo(annotation map[string]any, users ...string) map[string]any {
	annotation["visibility"] = map[string]any{"type": "restricted", "userIds": users}
	return annotation
}
