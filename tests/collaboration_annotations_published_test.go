package tests

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// shownOf waits for the event of n added annotations and gives each, by its id,
// key by key.
func (s *scene) shownOf(path string, n int) map[string]map[string]json.RawMessage {
	s.t.Helper()
	shown := map[string]map[string]json.RawMessage{}
	for _, m := range s.heard(path, n) {
		var data struct {
			CommentAnnotation map[string]json.RawMessage `json:"commentAnnotation"`
		}
		require.NoError(s.t, json.Unmarshal(m.Data, &data))
		var id string
		require.NoError(s.t, json.Unmarshal(data.CommentAnnotation["annotationId"], &id))
		shown[id] = data.CommentAnnotation
	}
	return shown
}

// A suggestion is open until it is decided, whatever its sender says of it.
func TestAnnotationsAdd_Suggestions(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told", map[string]any{"filterTypes": []string{"comment_annotation.add"}})
	sent := map[string]any{"status": "accepted", "STATUS": "mine", "summary": "x", "n": json.Number("1.10"), "own": map[string]any{"status": "mine"}}
	note := func(id, kind string, suggestion map[string]any) map[string]any {
		annotation := annotated(id, wrote("ann", "a", loud))
		annotation["type"] = kind
		if suggestion != nil {
			annotation["suggestion"] = suggestion
		}
		return annotation
	}
	s.annotate(made("d", note("sent", "suggestion", sent), note("bare", "suggestion", nil), note("empty", "suggestion", map[string]any{}), note("comment", "comment", sent)))
	shown := s.shownOf("/told", 4)
	require.JSONEq(t, `{"status":"pending","STATUS":"mine","summary":"x","n":1.1,"own":{"status":"mine"}}`, string(shown["sent"]["suggestion"]))
	require.Contains(t, string(shown["sent"]["suggestion"]), `"n":1.10`, "a number as it was sent")
	for _, id := range []string{"bare", "empty"} {
		require.JSONEq(t, `{"status":"pending"}`, string(shown[id]["suggestion"]), id)
	}
	require.NotContains(t, shown["comment"], "suggestion")
	kinds := map[string]string{}
	for id, annotation := range shown {
		kinds[id] = string(annotation["type"])
	}
	require.Equal(t, map[string]string{"sent": `"suggestion"`, "bare": `"suggestion"`, "empty": `"suggestion"`, "comment": `"comment"`}, kinds)
}

// fullAdd is an annotation in which everything is said.
const fullAdd = `{"organizationId": "acme", "documentId": "spring", "createOrganization": true, "createDocument": true, "commentAnnotations": [{
"annotationId": "full", "location": {"id": "page/1", "locationName": "Page 1"},
"targetElement": {"elementId": "p1", "targetText": "the year", "occurrence": 0, "selectAllContent": false},
"status": {"id": "WIP", "name": "In work", "type": "ongoing", "color": "#111", "lightColor": "#eee", "iconUrl": "https://icons.example.com/wip"},
"assignedTo": {"userId": "dora", "name": "Dora", "accessRole": "viewer", "team": {"n": 1}},
"context": {"page": 3}, "createdAt": 1767225600000, "lastUpdated": 1767225600999,
"priority": {"id": "P1", "name": "High", "color": "#f00", "lightColor": "#fee"}, "type": "comment", "commentType": "chart",
"commentData": [{"commentId": 7, "commentText": "{{eve}} and {{bob}}", "commentHtml": "<p>{{eve}} and <b>{{bob}}</b></p>", "context": {"a": []},
"isCommentResolverUsed": true, "isCommentTextAvailable": false, "triggerNotification": true, "createdAt": 1767225600123, "lastUpdated": 1767225600456,
"from": {"userId": "ann", "name": "élodie", "email": "ann@example.com", "photoUrl": "https://faces.example.com/ann", "accessRole": "viewer", "floor": 2},
"taggedUserContacts": [{"userId": "eve", "contact": {"userId": "eve", "email": "eve@example.com"}}],
"agent": {"agentSource": "svc", "agentId": "spell-check", "agentName": "ignored", "executionId": "run 1", "url": "https://pages.example.com/1",
"reason": {"title": "t", "description": "d", "severity": "low", "findingId": "f-1", "confidence": 90, "own": [1]}}},
{"commentId": 8, "commentText": "Yes", "from": {"userId": "bob"}, "createdAt": 1767225600789}]}]}`

// What is told of it: the people, its root and its reply.
const (
	fullAuthor = `{"userId": "ann", "name": "élodie", "email": "ann@example.com", "initial": "É", "photoUrl": "https://faces.example.com/ann", "floor": 2}`
	fullWorker = `{"userId": "dora", "name": "Dora", "initial": "D", "team": {"n": 1}}`
	fullAgent  = `{"agentSource": "svc", "agentId": "spell-check", "agentName": "Spell check", "agentType": "built-in", "executionId": "run 1",
"url": "https://pages.example.com/1", "reason": {"title": "t", "description": "d", "severity": "low", "findingId": "f-1", "confidence": 90, "own": [1]}}`
	fullRoot = `{"commentId": 7, "type": "text", "status": "added", "commentText": "{{eve}} and {{bob}}", "commentHtml": "<p>{{eve}} and <b>{{bob}}</b></p>",
"isCommentTextAvailable": false, "isCommentResolverUsed": true, "context": {"a": []}, "from": ` + fullAuthor + `, "createdAt": 1767225600123,
"lastUpdated": "2026-01-01T00:00:00.456Z", "taggedUserContacts": [{"userId": "eve", "contact": {"userId": "eve", "email": "eve@example.com"}},
{"userId": "bob", "contact": {"userId": "bob", "name": "Bob", "email": "bob@example.com"}}], "agent": ` + fullAgent + `, "sourceType": "agent"}`
	fullReply = `{"commentId": 8, "type": "text", "status": "added", "commentText": "Yes", "commentHtml": "", "isCommentTextAvailable": true,
"isCommentResolverUsed": false, "context": {}, "from": {"userId": "bob", "name": "Bob", "email": "bob@example.com", "initial": "B"},
"createdAt": 1767225600789, "lastUpdated": "2026-01-01T00:00:00.789Z", "taggedUserContacts": []}`
	fullShown = `{"annotationId": "full", "organizationId": "acme", "documentId": "spring", "folderId": null, "type": "comment", "commentType": "chart",
"sourceType": "agent", "createdAt": 1767225600000, "lastUpdated": 1767225600999, "from": ` + fullAuthor + `, "visibility": {"type": "public"},
"status": {"id": "WIP", "name": "In work", "type": "ongoing", "color": "#111", "lightColor": "#eee", "iconUrl": "https://icons.example.com/wip"},
"location": {"id": "page/1", "locationName": "Page 1"}, "context": {"page": 3}, "assignedTo": ` + fullWorker + `, "mentionedUserIds": ["eve", "bob"],
"targetElement": {"elementId": "p1", "targetText": "the year", "occurrence": 0, "selectAllContent": false}, "agent": ` + fullAgent + `,
"priority": {"id": "P1", "name": "High", "color": "#f00", "lightColor": "#fee"}, "commentCount": 2, "comments": [` + fullRoot + `, ` + fullReply + `]}`
)

func TestAnnotationsAdd_EverythingThatIsPublishedOfOne(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told")
	s.people(user("bob", "Bob", "bob@example.com"))
	added := s.annotate(object(t, fullAdd))
	require.Equal(t, addedView{Success: true, AnnotationID: "full", CommentIDs: []int64{7, 8}, FindingID: "f-1"}, added["full"])
	common := fmt.Sprintf(`"commentAnnotation": %s, "actionUser": %s, "metadata": {"apiKey": %q,
"organization": {"organizationId": "acme", "organizationName": "acme"}, "document": {"documentId": "spring", "documentName": "spring"}}`,
		fullShown, fullAuthor, s.workspace.APIKey)
	reported := map[string]string{}
	for _, m := range s.heard("/told", 3) {
		reported[m.Event] = string(m.Data)
	}
	require.JSONEq(t, `{`+common+`, "targetComment": `+fullRoot+`}`, reported["comment_annotation.add"])
	require.JSONEq(t, `{`+common+`, "oldAssignedTo": null, "newAssignedTo": `+fullWorker+`}`, reported["comment_annotation.assign"])
	require.JSONEq(t, `{`+common+`, "targetComment": `+fullRoot+`}`, reported["comment.add"])
}

// object reads a JSON object and keeps its numbers as they stand.
func object(t *testing.T, text string) map[string]any {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(text), &members))
	read := map[string]any{}
	for name, value := range members {
		read[name] = value
	}
	return read
}

func TestAnnotationsAdd_EveryAgentThatIsBuiltIn(t *testing.T) {
	s := begin(t).hooked()
	s.endpointAt("/told", map[string]any{"filterTypes": []string{"comment_annotation.add"}})
	builtIn := []string{
		"__mock__", "spell-check", "grammar-check", "broken-links", "pii-detection", "profanity-filter", "sensitive-data", "lighthouse",
		"accessibility-checker", "og-image-checker", "lorem-ipsum",
	}
	for _, id := range builtIn {
		agent := map[string]any{"agentSource": "svc", "agentId": id, "reason": map[string]any{"title": "t", "description": "d", "severity": "low"}}
		s.annotate(made("d", annotated(id, wrote("ann", "a", loud, map[string]any{"agent": agent}))))
	}
	for i, m := range s.heard("/told", len(builtIn)) {
		var shown struct {
			CommentAnnotation struct {
				Agent struct{ AgentID, AgentName, AgentType string }
			}
		}
		require.NoError(t, json.Unmarshal(m.Data, &shown))
		agent := shown.CommentAnnotation.Agent
		require.Equal(t, []string{builtIn[i], "built-in"}, []string{agent.AgentID, agent.AgentType})
		require.NotEmpty(t, agent.AgentName)
	}
}
