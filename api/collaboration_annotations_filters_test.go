package api_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// by lets an agent write a comment.
func by(source, agentID, executionID string) map[string]any {
	agent := map[string]any{"agentSource": source, "reason": map[string]any{"title": "t", "description": "d", "severity": "low"}}
	if agentID != "" {
		agent["agentId"] = agentID
	}
	if executionID != "" {
		agent["executionId"] = executionID
	}
	if source == "external" {
		agent["agentName"] = "Bot"
	}
	return map[string]any{"agent": agent}
}

// filtered makes annotations of which each filter finds some, changed one after the other.
func filtered(env *kit.Env) {
	env.T.Helper()
	for _, folder := range []map[string]any{{"folderId": "top"}, {"folderId": "below", "parentFolderId": "top"}} {
		kit.Items(env, client.AddFolders, kit.InAcme(map[string]any{"createOrganization": true, "folders": []any{folder}}))
	}
	for documentID, folderID := range map[string]string{"d": "top", "e": "below", "f": ""} {
		data := kit.Documents(documentID)
		if folderID != "" {
			data["folderId"] = folderID
		}
		kit.Items(env, client.AddDocuments, data)
	}
	note := func(id string, ms int, more map[string]any, comments ...map[string]any) map[string]any {
		n := kit.Annotated(id, comments...)
		n["createdAt"], n["lastUpdated"] = ms/10, ms
		maps.Copy(n, more)
		return n
	}
	done := map[string]any{"id": "DONE", "name": "Done", "type": "terminal", "color": "#000", "lightColor": "#fff", "iconUrl": "x"}
	kit.Annotate(env, kit.Made("d",
		note("d1", 10, map[string]any{"location": map[string]any{"id": "l1"}}, kit.Wrote("ann", "{{bob}}"), kit.Wrote("bob", "{{cat}} {{bob}}")),
		note("d2", 20, map[string]any{"status": done}, kit.Wrote("bob", "", map[string]any{"commentHtml": "<p>{{<b>c</b>at}} <i title='{{eve}}'>x</i></p>"})),
		note("d3", 30, map[string]any{"type": "suggestion"}, kit.Wrote("bot", "a", by("external", "checker", "run 1"))),
	))
	kit.Annotate(env, kit.Made("e",
		note("e1", 40, map[string]any{"location": map[string]any{"id": "l2"}}, kit.Wrote("bot", "a", by("svc", "spell-check", "run 2")), kit.Wrote("ann", "b")),
		note("e2", 50, map[string]any{"type": "suggestion"}, kit.Wrote("ann", "a")),
	))
	kit.Annotate(env, kit.Made("f", note("f1", 60, nil, kit.Wrote("ann", "a"), kit.Wrote("bot", "b", by("external", "checker", "run 1")))))
	_, err := env.DB().Exec(env.Ctx, `UPDATE annotations SET resolved_by = 'cat', status_updated_by = 'eve' WHERE workspace_id = $1 AND annotation_id = 'd2'`, env.Workspace.ID)
	require.NoError(env.T, err)
}

func TestAnnotationsFind_ByEachFilter(t *testing.T) {
	env := newWorkspace(t)
	filtered(env)
	for _, c := range []struct {
		filter map[string]any
		want   string
	}{
		{nil, "f1 e2 e1 d3 d2 d1"},
		{map[string]any{"order": "asc"}, "d1 d2 d3 e1 e2 f1"},
		{map[string]any{"documentId": "e"}, "e2 e1"},
		{map[string]any{"documentIds": []string{"f", "d", "x", "d"}}, "f1 d3 d2 d1"},
		{map[string]any{"documentIds": []string{}}, "f1 e2 e1 d3 d2 d1"},
		{map[string]any{"folderId": "top"}, "e2 e1 d3 d2 d1"},
		{map[string]any{"folderId": "below"}, "e2 e1"},
		{map[string]any{"folderId": "root"}, "f1 e2 e1 d3 d2 d1"},
		{map[string]any{"folderId": "unknown"}, ""},
		{map[string]any{"folderId": "below", "documentId": "d"}, ""},
		{map[string]any{"locationIds": []string{"l1", "l2", "l3"}}, "e1 d1"},
		{map[string]any{"locationIds": []string{"l2"}}, "e1"},
		{map[string]any{"userIds": []string{"ann"}}, "f1 e2 d1"},
		{map[string]any{"userIds": []string{"bob", "bot"}}, "e1 d3 d2"},
		{map[string]any{"mentionedUserIds": []string{"cat"}}, "d2 d1"},
		{map[string]any{"mentionedUserIds": []string{"cat", "bob"}}, "d2 d1"},
		{map[string]any{"mentionedUserIds": []string{"eve"}}, ""},
		{map[string]any{"mentionedUserIds": []string{"cat"}, "userIds": []string{"bob", "eve"}}, "d2"},
		{map[string]any{"statusIds": []string{"DONE"}}, "d2"},
		{map[string]any{"statusIds": []string{"DONE", "OPEN"}, "documentId": "d", "order": "asc"}, "d1 d2 d3"},
		{map[string]any{"statusId": "DONE"}, "d2"},
		{map[string]any{"statusId": "DONE", "statusIds": []string{"OPEN", "DONE"}}, "d2"},
		{map[string]any{"statusId": "DONE", "statusIds": []string{"OPEN"}}, ""},
		{map[string]any{"resolvedBy": "cat"}, "d2"},
		{map[string]any{"resolvedBy": "eve"}, ""},
		{map[string]any{"type": "suggestion"}, "e2 d3"},
		{map[string]any{"type": "comment"}, "f1 e1 d2 d1"},
		{map[string]any{"updatedAfter": 20, "updatedBefore": 50}, "e1 d3"},
		{map[string]any{"createdAfter": 2, "createdBefore": 5}, "e1 d3"},
		{map[string]any{"agentId": "checker"}, "d3"},
		{map[string]any{"agentId": "spell-check"}, "e1"},
		{map[string]any{"executionId": "run 2"}, "e1"},
		{map[string]any{"agentType": "built-in"}, "e1"},
		{map[string]any{"agentType": "custom"}, ""},
		{map[string]any{"agentType": "external"}, "d3"},
		{map[string]any{"agentSource": "svc"}, "e1"},
		{map[string]any{"agentSource": "external"}, "d3"},
		{map[string]any{"agentSuggestions": true}, "d3"},
		{map[string]any{"agentSuggestions": true, "agentId": "checker"}, "d3"},
		{map[string]any{"agentSuggestions": true, "agentId": "spell-check"}, ""},
		{map[string]any{"agentComments": true}, "e1 d3"},
		{map[string]any{"agentComments": true, "agentSuggestions": false, "type": "comment"}, "e1"},
		{map[string]any{"organizationId": "unknown"}, ""},
		{map[string]any{"annotationIds": []string{"e1", "x", "d1", "e1"}}, "e1 - d1"},
		{map[string]any{"annotationIds": []string{"e1", "d2"}, "documentId": "d"}, "- d2"},
		{map[string]any{"annotationIds": []string{"d1", "e1"}, "mentionedUserIds": []string{"cat", "bob"}, "updatedBefore": 11}, "d1 -"},
		{map[string]any{"annotationIds": []string{"d1"}, "documentId": "unknown"}, "-"},
	} {
		require.Equal(t, c.want, strings.Join(kit.Notes(env, kit.InAcme(c.filter)), " "), "%v", c.filter)
		paged := kit.Walks(env, kit.InAcme(c.filter, map[string]any{"pageSize": 1}), func(int) {})
		require.Equal(t, c.want, strings.Join(paged, " "), "%v page by page", c.filter)
	}
	require.Empty(t, kit.Notes(kit.Elsewhere(env), kit.InAcme()))
}

func TestAnnotationsFind_GroupedByDocument(t *testing.T) {
	env := newWorkspace(t)
	filtered(env)
	var answer struct {
		Result struct{ Data json.RawMessage }
	}
	reply := kit.OlderReply(env, kit.FindAnnotations, kit.InAcme(map[string]any{"groupByDocumentId": true}))
	require.NoError(t, json.Unmarshal(reply.Body, &answer))
	var groups map[string][]*redline.WholeAnnotation
	require.NoError(t, json.Unmarshal(answer.Result.Data, &groups))
	require.Len(t, groups, 3)
	require.Equal(t, []string{"d3", "d2", "d1"}, kit.FoundIDs(groups["d"]))
	require.Equal(t, []string{"e2", "e1"}, kit.FoundIDs(groups["e"]))
	require.Equal(t, "below", *groups["e"][0].FolderID)
	require.Nil(t, groups["f"][0].FolderID)
	slots := kit.Older[map[string][]*redline.WholeAnnotation](env, kit.FindAnnotations, kit.InAcme(map[string]any{"groupByDocumentId": true, "annotationIds": []string{"x", "e1"}})).Data
	require.Equal(t, []string{"e1"}, kit.FoundIDs(slots["e"]), "an empty slot is in no document")
	require.Empty(t, kit.Older[map[string]any](env, kit.FindAnnotations, kit.InAcme(map[string]any{"groupByDocumentId": true, "agentId": "x"})).Data)
	first := kit.Older[map[string]json.RawMessage](env, kit.FindAnnotations, kit.InAcme(map[string]any{"groupByDocumentId": true, "pageSize": 2}))
	require.Len(t, first.Data, 2)
	require.Equal(t, []string{"e1", "d3"}, kit.Notes(env, kit.InAcme(map[string]any{"pageSize": 2, "pageToken": first.NextPageToken})), "how a page is shown is no filter")
}

// An annotation is read as it is shown in events.
func TestAnnotationsFind_AsTheyWereAdded(t *testing.T) {
	env := newWorkspace(t)
	kit.AddPeople(env, kit.User("bob", "Bob", "bob@example.com"))
	kit.Annotate(env, kit.Object(t, kit.FullAdd))
	found := kit.Older[[]json.RawMessage](env, kit.FindAnnotations, kit.InAcme(map[string]any{"documentId": "spring"})).Data
	require.Len(t, found, 1)
	require.JSONEq(t, kit.FullShown, string(found[0]))
	private := kit.Annotated("private", kit.Wrote("ann", "a"))
	private["type"], private["visibility"] = "suggestion", map[string]any{"type": "restricted", "userIds": []string{"cat"}, "organizationId": "acme"}
	kit.Annotate(env, kit.Made("d", private))
	_, err := env.DB().Exec(env.Ctx, `UPDATE annotations SET resolved_by = 'cat', status_updated_by = 'eve' WHERE workspace_id = $1 AND annotation_id = 'private'`, env.Workspace.ID)
	require.NoError(t, err)
	all := kit.Older[[]map[string]json.RawMessage](env, kit.FindAnnotations, kit.Doc("d")).Data[0]
	for field, want := range map[string]string{
		"visibility": `{"type":"restricted","userIds":["cat"]}`, "suggestion": `{"status":"pending"}`, "sourceType": `"rest-api"`,
		"location": `null`, "targetElement": `null`, "context": `{}`, "resolvedByUserId": `"cat"`, "statusUpdatedByUserId": `"eve"`,
	} {
		require.JSONEq(t, want, string(all[field]), field)
	}
	for _, field := range []string{"agent", "assignedTo", "priority", "mentionedUserIds"} {
		require.NotContains(t, all, field)
	}
}

// Whom an annotation mentions follows what its comments say at any moment.
func TestAnnotationsFind_WhomTheyMentionNow(t *testing.T) {
	env := newWorkspace(t)
	kit.Discuss(env, kit.Wrote("ann", "{{bob}}"), kit.Wrote("ann", "{{cat}} {{bob}}"))
	kit.Annotate(env, kit.Made("d", kit.Annotated("m", kit.Wrote("ann", "{{cat}}"))))
	mention := func(user string) []string {
		return kit.Notes(env, kit.Doc("d", map[string]any{"mentionedUserIds": []string{user}}))
	}
	require.Equal(t, []string{"m", "n"}, mention("cat"))
	kit.Reply(env, kit.Replying(kit.Wrote("eve", "{{dan}}", map[string]any{"commentId": 3})))
	require.Equal(t, []string{"n"}, mention("dan"))
	require.Equal(t, []string{"n", "m"}, mention("cat"), "in the order of the latest changes")
	kit.Edit(env, kit.Doc("d", map[string]any{"annotationId": "n", "commentIds": []int{2}, "updatedData": kit.Says("{{fay}}")}))
	require.Equal(t, []string{"m"}, mention("cat"))
	require.Equal(t, []string{"n"}, mention("fay"))
	require.Equal(t, []string{"n"}, mention("bob"), "who is tagged elsewhere in the thread")
	kit.Items(env, client.DeleteComments, kit.Doc("d", map[string]any{"annotationId": "n", "commentIds": []int{1, 3}}))
	require.Empty(t, mention("bob"))
	require.Empty(t, mention("dan"))
	found := kit.Older[[]*redline.WholeAnnotation](env, kit.FindAnnotations, kit.Doc("d", map[string]any{"mentionedUserIds": []string{"fay"}})).Data
	require.Equal(t, []string{"fay"}, found[0].MentionedUserIds)
	kit.Items(env, client.DeleteAnnotations, kit.Doc("d", map[string]any{"annotationIds": []string{"n"}}))
	require.Empty(t, mention("fay"))
}

func TestAnnotationsFind_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	refused := func(field string, more map[string]any) {
		t.Helper()
		failure := kit.OlderRefused(env, "INVALID_ARGUMENT", kit.FindAnnotations, kit.InAcme(more))
		require.Equal(t, []string{field}, failure.Issues[0].Path, "%v", more)
	}
	for field, over := range map[string]any{
		"organizationId": nil, "documentIds": kit.Many(31), "locationIds": kit.Many(31), "annotationIds": kit.Many(31), "userIds": kit.Many(31),
		"mentionedUserIds": kit.Many(31), "statusIds": kit.Many(101), "type": "note", "updatedAfter": -1, "createdBefore": 253402300800000,
		"order": "up", "agentType": "svc", "agentSource": "custom", "pageSize": 1001, "pageToken": "none", "viewerUserId": "",
	} {
		refused(field, map[string]any{field: over})
	}
	refused("documentIds", map[string]any{"documentId": "d", "documentIds": []string{"d"}})
	filters := map[string]any{
		"agentId": "a", "executionId": "e", "agentType": "custom", "agentSource": "svc", "agentSuggestions": true, "agentComments": true,
	}
	order := []string{"agentId", "executionId", "agentType", "agentSource", "agentSuggestions", "agentComments"}
	for i, first := range order {
		for _, second := range order[i+1:] {
			if first == "agentId" && second == "agentSuggestions" {
				continue // these two may stand together
			}
			refused(second, map[string]any{first: filters[first], second: filters[second]})
		}
	}
	most := map[string]any{"statusIds": kit.Many(100)}
	for _, field := range []string{"documentIds", "locationIds", "userIds", "mentionedUserIds"} {
		most[field] = kit.Many(30)
	}
	require.Empty(t, kit.Notes(env, kit.InAcme(most)))
	require.Len(t, kit.Notes(env, kit.InAcme(most, map[string]any{"annotationIds": kit.Many(30)})), 30)
	env.Call(client.UpdateSettings, map[string]any{"enableAdvancedQueries": false}, nil)
	require.Equal(t, redline.ErrorDetailsReasonAdvancedQueriesDisabled, kit.OlderRefused(env, "FAILED_PRECONDITION", kit.FindAnnotations, kit.InAcme()).Reason)
	refused("pageToken", map[string]any{"pageToken": "none"})
}
