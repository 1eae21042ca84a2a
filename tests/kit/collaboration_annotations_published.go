package kit

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// FullAdd is an add of an annotation with every field that one can have.
const FullAdd = `{"organizationId": "acme", "documentId": "spring", "createOrganization": true, "createDocument": true, "commentAnnotations": [{
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

// What the operations return of the annotation of FullAdd: its author, the user that it is
// assigned to, its first comment, and the whole of it.
const (
	FullAuthor = `{"userId": "ann", "name": "élodie", "email": "ann@example.com", "initial": "É", "photoUrl": "https://faces.example.com/ann", "floor": 2}`
	FullWorker = `{"userId": "dora", "name": "Dora", "initial": "D", "team": {"n": 1}}`
	fullAgent  = `{"agentSource": "svc", "agentId": "spell-check", "agentName": "Spell check", "agentType": "built-in", "executionId": "run 1",
"url": "https://pages.example.com/1", "reason": {"title": "t", "description": "d", "severity": "low", "findingId": "f-1", "confidence": 90, "own": [1]}}`
	FullRoot = `{"commentId": 7, "type": "text", "status": "added", "commentText": "{{eve}} and {{bob}}", "commentHtml": "<p>{{eve}} and <b>{{bob}}</b></p>",
"isCommentTextAvailable": false, "isCommentResolverUsed": true, "context": {"a": []}, "from": ` + FullAuthor + `, "createdAt": 1767225600123,
"lastUpdated": "2026-01-01T00:00:00.456Z", "taggedUserContacts": [{"userId": "eve", "contact": {"userId": "eve", "email": "eve@example.com"}},
{"userId": "bob", "contact": {"userId": "bob", "name": "Bob", "email": "bob@example.com"}}], "agent": ` + fullAgent + `, "sourceType": "agent"}`
	fullReply = `{"commentId": 8, "type": "text", "status": "added", "commentText": "Yes", "commentHtml": "", "isCommentTextAvailable": true,
"isCommentResolverUsed": false, "context": {}, "from": {"userId": "bob", "name": "Bob", "email": "bob@example.com", "initial": "B"},
"createdAt": 1767225600789, "lastUpdated": "2026-01-01T00:00:00.789Z", "taggedUserContacts": []}`
	FullShown = `{"annotationId": "full", "organizationId": "acme", "documentId": "spring", "folderId": null, "type": "comment", "commentType": "chart",
"sourceType": "agent", "createdAt": 1767225600000, "lastUpdated": 1767225600999, "from": ` + FullAuthor + `, "visibility": {"type": "public"},
"status": {"id": "WIP", "name": "In work", "type": "ongoing", "color": "#111", "lightColor": "#eee", "iconUrl": "https://icons.example.com/wip"},
"location": {"id": "page/1", "locationName": "Page 1"}, "context": {"page": 3}, "assignedTo": ` + FullWorker + `, "mentionedUserIds": ["eve", "bob"],
"targetElement": {"elementId": "p1", "targetText": "the year", "occurrence": 0, "selectAllContent": false}, "agent": ` + fullAgent + `,
"priority": {"id": "P1", "name": "High", "color": "#f00", "lightColor": "#fee"}, "commentCount": 2, "comments": [` + FullRoot + `, ` + fullReply + `]}`
)

// Object reads a JSON object and keeps its numbers as they stand.
func Object(t *testing.T, text string) map[string]any {
	t.Helper()
	var members map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(text), &members))
	read := map[string]any{}
	for name, value := range members {
		read[name] = value
	}
	return read
}
