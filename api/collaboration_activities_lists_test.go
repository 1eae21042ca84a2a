package api_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestActivitiesGet_Filters(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddDocuments, kit.Document("d", nil))
	kit.Items(env, client.AddDocuments, kit.Document("e", nil))
	sub := map[string]any{"targetSubEntityId": "part"}
	kit.AddActivities(env, "d", kit.Activity("ann", "x", kit.Identified("1"), kit.Timed(1000)), kit.Activity("bob", "x", kit.Identified("2"), kit.Timed(2000), map[string]any{"featureType": "crdt"}, sub))
	kit.AddActivities(env, "e", kit.Activity("ann", "x", kit.Identified("3"), kit.Timed(3000), map[string]any{"actionType": "left"}), kit.Activity("ann", "y", kit.Identified("4"), kit.Timed(4000)))
	nothing := kit.Activity("ann", "x", kit.Identified("5"), kit.Timed(5000), map[string]any{"featureType": "reaction"})
	delete(nothing, "targetEntityId")
	kit.AddActivities(env, "", nothing)
	for _, c := range []struct {
		filter map[string]any
		want   []string
	}{
		{map[string]any{}, []string{"5", "4", "3", "2", "1"}},
		{map[string]any{"order": "asc"}, []string{"1", "2", "3", "4", "5"}},
		{map[string]any{"documentId": "d"}, []string{"2", "1"}},
		{map[string]any{"targetEntityId": "x"}, []string{"3", "2", "1"}},
		{map[string]any{"targetEntityId": "x", "documentId": "d", "userId": "ann"}, []string{"1"}},
		{map[string]any{"userId": "ann"}, []string{"5", "4", "3", "1"}},
		{map[string]any{"userId": "ann", "documentId": "e"}, []string{"4", "3"}},
		{map[string]any{"featureTypes": []string{"crdt", "reaction"}}, []string{"5", "2"}},
		{map[string]any{"actionTypes": []string{"left"}}, []string{"3"}},
		{map[string]any{"featureTypes": []string{}, "actionTypes": []string{}, "activityIds": []string{}}, []string{"5", "4", "3", "2", "1"}},
		{map[string]any{"after": 2000}, []string{"5", "4", "3"}},
		{map[string]any{"before": 2000}, []string{"1"}},
		{map[string]any{"after": 1000, "before": 4000, "targetEntityId": "x"}, []string{"3", "2"}},
		{map[string]any{"activityIds": []string{"1", "none", "4", "1"}}, []string{"4", "1"}},
		{map[string]any{"activityIds": []string{"1", "4"}, "documentId": "e"}, []string{"4"}},
		{map[string]any{"documentId": "unknown"}, []string{}},
		{map[string]any{"organizationId": "unknown"}, []string{}},
		{map[string]any{"userId": "nobody"}, []string{}},
		{map[string]any{"viewerUserId": "eve", "userId": "ann", "documentId": "e"}, []string{"4", "3"}},
	} {
		require.Equal(t, c.want, kit.Logged(env, c.filter), "%v", c.filter)
		require.Equal(t, c.want, kit.Logged(env, c.filter, map[string]any{"pageSize": 1}), "%v, one by one", c.filter)
	}
	second := kit.Log(env, map[string]any{"activityIds": []string{"2"}})[0]
	require.Equal(t, []any{"part", int64(2000), redline.ActivityFeatureTypeCrdt}, []any{*second.TargetSubEntityID, second.Timestamp, second.FeatureType})
	whole := kit.Log(env, map[string]any{"activityIds": []string{"5"}})[0]
	require.Nil(t, whole.TargetEntityID)
	require.Nil(t, whole.Metadata.DocumentID)

	var page redline.ActivityListResult
	env.Call(client.GetActivities, kit.InAcme(map[string]any{"pageSize": 1}), &page)
	for _, other := range []map[string]any{{"order": "asc"}, {"userId": "ann"}, {"pageToken": page.NextPageToken + "x"}} {
		env.RefusedAs("INVALID_ARGUMENT", client.GetActivities, kit.With(kit.InAcme(map[string]any{"pageToken": page.NextPageToken}), other))
	}
	ids := make([]string, 31)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	for _, wrong := range []map[string]any{
		{"activityIds": ids}, {"actionTypes": ids}, {"featureTypes": []string{"other"}}, {"order": "up"}, {"after": -1}, {"before": "x"}, {"pageSize": 1001},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.GetActivities, kit.InAcme(wrong))
	}
}

func TestActivitiesGet_OfAnActorOnlyWhatTheyMaySee(t *testing.T) {
	env := newWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.VisibleTo(kit.Annotated("hidden", kit.Wrote("ann", "a"), kit.Wrote("bob", "I was here.", kit.TriggerActivities)), "eve"), kit.Annotated("open", kit.Wrote("bob", "b", kit.TriggerActivities))))
	kit.Items(env, client.AddDocuments, kit.Document("closed", map[string]any{"accessType": "restricted"}))
	kit.AddActivities(env, "closed", kit.Activity("bob", "x"))
	about := func(filters ...map[string]any) (targets []string) {
		for _, a := range kit.Log(env, filters...) {
			targets = append(targets, *a.TargetEntityID)
		}
		return targets
	}
	of := map[string]any{"userId": "bob"}
	require.ElementsMatch(t, []string{"open", "x"}, about(of), "visibility counts, whether he may read the document does not")
	require.ElementsMatch(t, []string{"open", "hidden"}, about(of, map[string]any{"viewerUserId": "eve"}), "a viewer decides alone")
	require.ElementsMatch(t, []string{"open"}, about(of, map[string]any{"viewerUserId": "bob"}))
}

func TestActivitiesGet_AViewerReadsTheDocumentsThatTheyMay(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddDocuments, kit.Document("open", nil))
	kit.Items(env, client.AddDocuments, kit.Document("closed", map[string]any{"accessType": "restricted"}))
	kit.Items(env, client.AddOrganizations, kit.Organization("closed org", map[string]any{"accessType": "restricted"}))
	for i := range 5 {
		kit.AddActivities(env, "closed", kit.Activity("ann", fmt.Sprint("closed ", i)))
	}
	kit.Annotate(env, kit.Made("closed", kit.Annotated("n", kit.Wrote("ann", "a"))))
	kit.AddActivities(env, "", kit.Activity("ann", "n"), kit.Activity("ann", "whole"))
	kit.AddActivities(env, "open", kit.Activity("ann", "open"))
	require.Equal(t, []string{"open", "whole"}, kit.SeenBy(env, "bob"), "nor what is about an annotation in a document that is closed to him")
	require.Len(t, kit.ActivityPages(env, map[string]any{"viewerUserId": "bob", "pageSize": 1}), 2)
	require.Empty(t, kit.SeenBy(env, "bob", map[string]any{"documentId": "closed"}))
	kit.Grant(env, "bob", kit.Resource("document", "closed", kit.Role("viewer")))
	require.Len(t, kit.SeenBy(env, "bob"), 8)
	require.Len(t, kit.SeenBy(env, "bob", map[string]any{"documentId": "closed"}), 5)
	kit.Takes(env, "bob", kit.Resource("document", "closed"))
	require.Equal(t, []string{"open", "whole"}, kit.SeenBy(env, "bob"))

	own := map[string]any{"organizationId": "closed org"}
	kit.Items(env, client.ActivitiesAdd, kit.With(own, map[string]any{"activities": []any{kit.Activity("ann", "whole")}}))
	require.Empty(t, kit.SeenBy(env, "bob", own))
	kit.Grant(env, "bob", map[string]any{"type": "organization", "id": "closed org"})
	require.Equal(t, []string{"whole"}, kit.SeenBy(env, "bob", own))
}

func TestActivitiesAdd_WhatIsKeptAsItWasSent(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddOrganizations, kit.Organizations("acme"))
	id := strings.Repeat("🦊", 200)
	entity := `{"n":12345678901234567890,"f":0.1000,"__proto__":{"a":[]}}`
	one := kit.Activity("ann", id, kit.Identified(id), map[string]any{
		"targetSubEntityId": id, "actionType": "Ω", "actionIcon": "https://example.com/i.png", "changes": map[string]any{"title": map[string]any{"from": nil, "to": "x"}},
		"entityData": json.RawMessage(entity), "actionUser": map[string]any{"userId": id, "name": "Ann", "team": "desk", "accessRole": "viewer"},
	})
	require.True(t, kit.AddActivities(env, "", one)[id].Success)
	found := kit.Log(env, map[string]any{"targetEntityId": id, "userId": id})
	require.Len(t, found, 1)
	a := found[0]
	require.Equal(t, []string{id, id, id, "Ω", "https://example.com/i.png", entity},
		[]string{a.ID, *a.TargetEntityID, *a.TargetSubEntityID, a.ActionType, a.ActionIcon, string(a.EntityData)})
	require.JSONEq(t, `{"title":{"from":null,"to":"x"}}`, string(a.Changes))
	require.Equal(t, map[string]any{"userId": id, "name": "Ann", "team": "desk"}, kit.ObjectOf(a.ActionUser))
}

func TestActivitiesAdd_Refusals(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddOrganizations, kit.Organizations("acme"))
	for path, one := range map[string]map[string]any{
		"featureType": kit.Activity("ann", "x", map[string]any{"featureType": "other"}), "actionType": kit.Activity("ann", "x", map[string]any{"actionType": ""}),
		"actionUser": kit.Activity("ann", "x", map[string]any{"actionUser": nil}), "targetEntityId": kit.Activity("ann", "x", map[string]any{"targetEntityId": nil}),
		"changes": kit.Activity("ann", "x", map[string]any{"changes": map[string]any{"a": 1}}), "timestamp": kit.Activity("ann", "x", map[string]any{"timestamp": -1}),
		"displayMessageTemplate": kit.Activity("ann", "x", map[string]any{"displayMessageTemplate": strings.Repeat("x", 2001)}),
		"actionIcon":             kit.Activity("ann", "x", map[string]any{"actionIcon": strings.Repeat("x", 2001)}),
		"":                       kit.Activity("ann", "x", map[string]any{"entityData": map[string]any{"a": strings.Repeat("x", 32<<10)}}),
		"entityTargetData":       kit.Activity("ann", "x", map[string]any{"entityTargetData": "\x00"}), "id": kit.Activity("ann", "x", kit.Identified("")),
	} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.ActivitiesAdd, kit.InAcme(map[string]any{"activities": []any{kit.Activity("ann", "x"), one}}))
		at := failure.Issues[0].Path
		require.Equal(t, []string{"activities", "1"}, at[:2], path)
		if path != "" {
			require.Equal(t, path, at[2])
		}
	}
	twice := []any{kit.Activity("ann", "x", kit.Identified("a")), kit.Activity("ann", "x", kit.Identified("a"))}
	require.Equal(t, "duplicate", env.RefusedAs("INVALID_ARGUMENT", client.ActivitiesAdd, kit.InAcme(map[string]any{"activities": twice})).Issues[0].Code)
	many := make([]any, 101)
	for i := range many {
		many[i] = kit.Activity("ann", "x")
	}
	for _, count := range [][]any{{}, many} {
		env.RefusedAs("INVALID_ARGUMENT", client.ActivitiesAdd, kit.InAcme(map[string]any{"activities": count}))
	}
	whole := map[string]any{"activities": []any{kit.Activity("ann", "x")}}
	require.Equal(t, "organization", kit.Details(env, client.ActivitiesAdd, kit.With(whole, map[string]any{"organizationId": "unknown"}))["resource"])
	require.Equal(t, "document", kit.Details(env, client.ActivitiesAdd, kit.Doc("unknown", whole))["resource"])
	require.Empty(t, kit.Log(env), "nothing was written")
}
