package tests

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestActivitiesGet_Filters(t *testing.T) {
	s := begin(t)
	s.items(addDocuments, document("d", nil))
	s.items(addDocuments, document("e", nil))
	sub := map[string]any{"targetSubEntityId": "part"}
	s.did("d", did("ann", "x", identified("1"), timed(1000)), did("bob", "x", identified("2"), timed(2000), map[string]any{"featureType": "crdt"}, sub))
	s.did("e", did("ann", "x", identified("3"), timed(3000), map[string]any{"actionType": "left"}), did("ann", "y", identified("4"), timed(4000)))
	nothing := did("ann", "x", identified("5"), timed(5000), map[string]any{"featureType": "reaction"})
	delete(nothing, "targetEntityId")
	s.did("", nothing)
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
		require.Equal(t, c.want, s.logged(c.filter), "%v", c.filter)
		require.Equal(t, c.want, s.logged(c.filter, map[string]any{"pageSize": 1}), "%v, one by one", c.filter)
	}
	second := s.log(map[string]any{"activityIds": []string{"2"}})[0]
	require.Equal(t, []any{"part", int64(2000), "crdt"}, []any{*second.TargetSubEntityID, second.Timestamp, second.FeatureType})
	whole := s.log(map[string]any{"activityIds": []string{"5"}})[0]
	require.Nil(t, whole.TargetEntityID)
	require.Nil(t, whole.Metadata.DocumentID)

	var page pagedView[[]activityView]
	s.call(getActivities, inAcme(map[string]any{"pageSize": 1}), &page)
	for _, other := range []map[string]any{{"order": "asc"}, {"userId": "ann"}, {"pageToken": page.NextPageToken + "x"}} {
		s.refusedAs("INVALID_ARGUMENT", getActivities, with(inAcme(map[string]any{"pageToken": page.NextPageToken}), other))
	}
	ids := make([]string, 31)
	for i := range ids {
		ids[i] = strconv.Itoa(i)
	}
	for _, wrong := range []map[string]any{
		{"activityIds": ids}, {"actionTypes": ids}, {"featureTypes": []string{"other"}}, {"order": "up"}, {"after": -1}, {"before": "x"}, {"pageSize": 1001},
	} {
		s.refusedAs("INVALID_ARGUMENT", getActivities, inAcme(wrong))
	}
}

func TestActivitiesGet_OfAnActorOnlyWhatTheyMaySee(t *testing.T) {
	s := begin(t)
	s.annotate(made("d", visibleTo(annotated("hidden", wrote("ann", "a"), wrote("bob", "I was here.", recorded)), "eve"), annotated("open", wrote("bob", "b", recorded))))
	s.items(addDocuments, document("closed", map[string]any{"accessType": "restricted"}))
	s.did("closed", did("bob", "x"))
	about := func(filters ...map[string]any) (targets []string) {
		for _, a := range s.log(filters...) {
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
	s := begin(t)
	s.items(addDocuments, document("open", nil))
	s.items(addDocuments, document("closed", map[string]any{"accessType": "restricted"}))
	s.items(addOrganizations, organization("closed org", map[string]any{"accessType": "restricted"}))
	for i := range 5 {
		s.did("closed", did("ann", fmt.Sprint("closed ", i)))
	}
	s.annotate(made("closed", annotated("n", wrote("ann", "a"))))
	s.did("", did("ann", "n"), did("ann", "whole"))
	s.did("open", did("ann", "open"))
	require.Equal(t, []string{"open", "whole"}, s.seenBy("bob"), "nor what is about an annotation in a document that is closed to him")
	require.Len(t, s.activityPages(map[string]any{"viewerUserId": "bob", "pageSize": 1}), 2)
	require.Empty(t, s.seenBy("bob", map[string]any{"documentId": "closed"}))
	s.grants("bob", resource("document", "closed", role("viewer")))
	require.Len(t, s.seenBy("bob"), 8)
	require.Len(t, s.seenBy("bob", map[string]any{"documentId": "closed"}), 5)
	s.takes("bob", resource("document", "closed"))
	require.Equal(t, []string{"open", "whole"}, s.seenBy("bob"))

	own := map[string]any{"organizationId": "closed org"}
	s.items(addActivities, with(own, map[string]any{"activities": []any{did("ann", "whole")}}))
	require.Empty(t, s.seenBy("bob", own))
	s.grants("bob", map[string]any{"type": "organization", "id": "closed org"})
	require.Equal(t, []string{"whole"}, s.seenBy("bob", own))
}

func TestActivitiesAdd_WhatIsKeptAsItWasSent(t *testing.T) {
	s := begin(t)
	s.items(addOrganizations, organizations("acme"))
	id := strings.Repeat("🦊", 200)
	entity := `{"n":12345678901234567890,"f":0.1000,"__proto__":{"a":[]}}`
	one := did("ann", id, identified(id), map[string]any{
		"targetSubEntityId": id, "actionType": "Ω", "actionIcon": "https://example.com/i.png", "changes": map[string]any{"title": map[string]any{"from": nil, "to": "x"}},
		"entityData": json.RawMessage(entity), "actionUser": map[string]any{"userId": id, "name": "Ann", "team": "desk", "accessRole": "viewer"},
	})
	require.True(t, s.did("", one)[id].Success)
	found := s.log(map[string]any{"targetEntityId": id, "userId": id})
	require.Len(t, found, 1)
	a := found[0]
	require.Equal(t, []string{id, id, id, "Ω", "https://example.com/i.png", entity},
		[]string{a.ID, *a.TargetEntityID, *a.TargetSubEntityID, a.ActionType, a.ActionIcon, string(a.EntityData)})
	require.JSONEq(t, `{"title":{"from":null,"to":"x"}}`, string(a.Changes))
	var raw struct{ Data []map[string]any }
	s.call(getActivities, inAcme(map[string]any{"activityIds": []string{id}}), &raw)
	require.Equal(t, map[string]any{"userId": id, "name": "Ann", "team": "desk"}, raw.Data[0]["actionUser"])
}

func TestActivitiesAdd_Refusals(t *testing.T) {
	s := begin(t)
	s.items(addOrganizations, organizations("acme"))
	for path, one := range map[string]map[string]any{
		"featureType": did("ann", "x", map[string]any{"featureType": "other"}), "actionType": did("ann", "x", map[string]any{"actionType": ""}),
		"actionUser": did("ann", "x", map[string]any{"actionUser": nil}), "targetEntityId": did("ann", "x", map[string]any{"targetEntityId": nil}),
		"changes": did("ann", "x", map[string]any{"changes": map[string]any{"a": 1}}), "timestamp": did("ann", "x", map[string]any{"timestamp": -1}),
		"displayMessageTemplate": did("ann", "x", map[string]any{"displayMessageTemplate": strings.Repeat("x", 2001)}),
		"actionIcon":             did("ann", "x", map[string]any{"actionIcon": strings.Repeat("x", 2001)}),
		"":                       did("ann", "x", map[string]any{"entityData": map[string]any{"a": strings.Repeat("x", 32<<10)}}),
		"entityData":             did("ann", "x", map[string]any{"entityData": []int{1}}), "id": did("ann", "x", identified("")),
	} {
		failure := s.refusedAs("INVALID_ARGUMENT", addActivities, inAcme(map[string]any{"activities": []any{did("ann", "x"), one}}))
		at := failure.Issues[0].Path
		require.Equal(t, []string{"activities", "1"}, at[:2], path)
		if path != "" {
			require.Equal(t, path, at[2])
		}
	}
	twice := []any{did("ann", "x", identified("a")), did("ann", "x", identified("a"))}
	require.Equal(t, "duplicate", s.refusedAs("INVALID_ARGUMENT", addActivities, inAcme(map[string]any{"activities": twice})).Issues[0].Code)
	many := make([]any, 101)
	for i := range many {
		many[i] = did("ann", "x")
	}
	for _, count := range [][]any{{}, many} {
		s.refusedAs("INVALID_ARGUMENT", addActivities, inAcme(map[string]any{"activities": count}))
	}
	whole := map[string]any{"activities": []any{did("ann", "x")}}
	require.Equal(t, "organization", s.details(addActivities, with(whole, map[string]any{"organizationId": "unknown"}))["resource"])
	require.Equal(t, "document", s.details(addActivities, doc("unknown", whole))["resource"])
	require.Empty(t, s.log(), "nothing was written")
}
