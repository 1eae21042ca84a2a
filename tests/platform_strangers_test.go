package tests

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// named are the operations that name or list things, with what a stranger asks
// them. A word in angle brackets stands for the name of a thing of one workspace.
var named = map[string]string{
	"/v2/workspace/get":              `{}`,
	"/v2/workspace/apikeys/get":      `{"apiKeys":["<key>"]}`,
	"/v2/workspace/apikey/update":    `{"apiKey":"<key>","apiKeyName":"Taken over"}`,
	"/v2/workspace/authtokens/get":   `{"apiKey":"<key>"}`,
	"/v2/workspace/authtoken/reset":  `{"apiKey":"<key>"}`,
	"/v2/workspace/apikeyconfig/get": `{}`,
	"/v2/workspace/emailconfig/get":  `{}`,
	"/v2/workspace/domains/get":      `{}`,

	"/v2/workspace/permissionproviderconfig/get": `{}`,

	"/v2/workflow/definitions/get":           `{"definitionId":"<definition>"}`,
	"/v2/workflow/definitions/list":          `{"tag":"<definition>"}`,
	"/v2/workflow/definitions/versions/list": `{"definitionId":"<definition>"}`,
	"/v2/workflow/definitions/versions/get":  `{"definitionId":"<definition>","version":1}`,
	"/v2/workflow/definitions/delete":        `{"definitionId":"<definition>"}`,
	"/v2/workflow/definitions/update": `{"definitionId":"<definition>","ifVersion":1,"name":"Taken over",
		"nodes":[{"nodeId":"only","type":"agent","config":{"agentId":"__mock__"}}],"edges":[]}`,
	"/v2/workflow/executions/dispatch":          `{"definitionId":"<definition>","idempotencyKey":"k"}`,
	"/v2/workflow/executions/list":              `{"definitionId":"<definition>"}`,
	"/v2/workflow/executions/get":               `{"executionId":"<execution>"}`,
	"/v2/workflow/executions/cancel":            `{"executionId":"<execution>"}`,
	"/v2/workflow/executions/retry":             `{"executionId":"<execution>"}`,
	"/v2/workflow/executions/pause":             `{"executionId":"<execution>"}`,
	"/v2/workflow/executions/resume":            `{"executionId":"<execution>"}`,
	"/v2/workflow/executions/getEvents":         `{"executionId":"<execution>"}`,
	"/v2/workflow/executions/getDeliveries":     `{"executionId":"<execution>"}`,
	"/v2/workflow/executions/redeliver":         `{"executionId":"<execution>"}`,
	"/v2/workflow/steps/list":                   `{"executionId":"<execution>","reviewerId":"ann"}`,
	"/v2/workflow/steps/recordAgentResolution":  `{"executionId":"<execution>","stepId":"<step>","responseId":"r1","resolution":"resolved"}`,
	"/v2/workflow/steps/recordReviewerDecision": `{"executionId":"<execution>","stepId":"<step>","reviewerId":"ann","decision":"approve"}`,
	"/v2/workflow/steps/cancel":                 `{"executionId":"<execution>","stepId":"<step>","actorId":"eve"}`,
	"/v2/workflow/steps/resolve":                `{"executionId":"<execution>","stepId":"<step>","actorId":"eve","action":"force-approve"}`,
	"/v2/workflow/steps/reassign":               `{"executionId":"<execution>","stepId":"<step>","actorId":"eve","fromReviewerId":"ann","toReviewerId":"eve"}`,

	"/v2/agents/get":    `{"agentId":"<agent>"}`,
	"/v2/agents/list":   `{}`,
	"/v2/agents/update": `{"agentId":"<agent>","name":"Taken over"}`,
	"/v2/agents/delete": `{"agentId":"<agent>"}`,

	"/v2/memory/knowledge/ingest":        `{"source":"fileRef","fileRef":"<file>","mimeType":"text/plain"}`,
	"/v2/memory/knowledge/ingest-status": `{"sourceId":"<source>"}`,
	"/v2/memory/knowledge/update":        `{"sourceId":"<source>","newContent":"Taken over."}`,
	"/v2/memory/knowledge/search":        `{"query":"machine","sourceId":"<source>","includeRules":true}`,
	"/v2/memory/knowledge/list":          `{"pageSize":10}`,
	"/v2/memory/knowledge/rules":         `{"sourceId":"<source>"}`,
	"/v2/memory/knowledge/download":      `{"sourceId":"<source>"}`,
	"/v2/memory/knowledge/delete":        `{"sourceId":"<source>","force":true}`,
	"/v2/memory/knowledge/retry":         `{"sourceId":"<source>"}`,
	"/v2/memory/search":                  `{"query":"machine","organizationId":"<organization>","documentId":"<document>","recencyDays":1}`,
	"/v2/memory/judgments/query":         `{"organizationId":"<organization>"}`,
	"/v2/memory/judgments/record":        `{"recordId":"<record>","replace":true,"decision":"reject","actionUser":{"userId":"eve"}}`,
	"/v2/memory/judgments/delete":        `{"recordIds":["<record>"]}`,
	"/v2/memory/ask":                     `{"question":"What must the machine have?","organizationId":"<organization>","documentId":"<document>"}`,
	"/v2/memory/patterns/get":            `{}`,
	"/v2/memory/suggest":                 `{"query":"machine","organizationId":"<organization>"}`,
	"/v2/memory/stats/get":               `{}`,
	"/v2/memory/profiles/get":            `{"targetUserId":"<reviewer>"}`,

	"/v2/users/add": `{"organizationId":"<organization>","createOrganization":false,"users":[{"userId":"eve","name":"Eve"}]}`,
	"/v2/commentannotations/add": `{"organizationId":"<organization>","documentId":"<document>",
		"commentAnnotations":[{"commentData":[{"commentText":"Mine","from":{"userId":"eve"}}]}]}`,
	"/v2/commentannotations/read": `{"organizationId":"<organization>","documentId":"<document>","userId":"eve","annotationIds":["<annotation>"]}`,
	"/v2/commentannotations/comments/add": `{"organizationId":"<organization>","documentId":"<document>","annotationId":"<annotation>",
		"commentData":[{"commentText":"Mine","from":{"userId":"eve"}}]}`,
	"/v2/commentannotations/comments/update": `{"organizationId":"<organization>","documentId":"<document>","annotationId":"<annotation>",
		"commentIds":[1],"updatedData":{"commentText":"Mine"}}`,
	"/v2/commentannotations/update":          `{"organizationId":"<organization>","documentId":"<document>","annotationIds":["<annotation>"],"updatedData":{"priority":null}}`,
	"/v2/commentannotations/delete":          `{"organizationId":"<organization>","documentId":"<document>","annotationIds":["<annotation>"]}`,
	"/v2/commentannotations/comments/delete": `{"organizationId":"<organization>","documentId":"<document>","annotationId":"<annotation>"}`,
	"/v2/organizations/get":                  `{"organizationIds":["<organization>"]}`,
	"/v2/organizations/update":               `{"organizations":[{"organizationId":"<organization>","organizationName":"Taken over"}]}`,
	"/v2/organizations/delete":               `{"organizationIds":["<organization>"]}`,
	"/v2/organizations/documents/add":        `{"organizationId":"<organization>","documents":[{"documentId":"<document>","documentName":"Mine"}]}`,
	"/v2/organizations/documents/get":        `{"organizationId":"<organization>","documentIds":["<document>"]}`,
	"/v2/organizations/documents/update":     `{"organizationId":"<organization>","documents":[{"documentId":"<document>","documentName":"Mine"}]}`,
	"/v2/organizations/documents/delete":     `{"organizationId":"<organization>","documentIds":["<document>"]}`,
	"/v2/organizations/documents/access/update": `{"organizationId":"<organization>","documentIds":["<document>"],
		"accessType":"public"}`,
	"/v2/organizations/documents/migrate":        `{"organizationId":"<organization>","documentId":"<document>","newDocumentId":"taken-over"}`,
	"/v2/organizations/documents/migrate/status": `{"organizationId":"<organization>","migrationId":"<migration>"}`,
	"/v2/organizations/documents/move":           `{"organizationId":"<organization>","documentIds":["<document>"],"folderId":"root"}`,

	"/v2/organizations/usergroups/add":          `{"organizationId":"<organization>","organizationUserGroups":[{"groupId":"<group>","groupName":"Mine"}]}`,
	"/v2/organizations/usergroups/get":          `{"organizationId":"<organization>","groupIds":["<group>"]}`,
	"/v2/organizations/usergroups/delete":       `{"organizationId":"<organization>","groupIds":["<group>"]}`,
	"/v2/organizations/usergroups/users/add":    `{"organizationId":"<organization>","organizationUserGroupId":"<group>","userIds":["ann"]}`,
	"/v2/organizations/usergroups/users/delete": `{"organizationId":"<organization>","organizationUserGroupId":"<group>","userIds":["ann"]}`,

	"/v2/users/get":                       `{"organizationId":"<organization>","userIds":["ann"],"organizationUserGroupIds":["<group>"]}`,
	"/v2/users/update":                    `{"organizationId":"<organization>","users":[{"userId":"ann","name":"Taken over"}]}`,
	"/v2/users/delete":                    `{"organizationId":"<organization>","userIds":["ann"]}`,
	"/v1/commentannotations/get":          `{"organizationId":"<organization>","documentId":"<document>"}`,
	"/v2/commentannotations/get":          `{"organizationId":"<organization>","documentId":"<document>","annotationIds":["<annotation>"],"userIds":["ann"]}`,
	"/v1/commentannotations/comments/get": `{"organizationId":"<organization>","documentId":"<document>","annotationId":"<annotation>"}`,
	"/v2/commentannotations/comments/get": `{"organizationId":"<organization>","documentId":"<document>","annotationId":"<annotation>"}`,
	"/v1/commentannotations/count/get":    `{"organizationId":"<organization>","documentIds":["<document>"],"userId":"ann"}`,
	"/v2/commentannotations/count/get":    `{"organizationId":"<organization>","documentIds":["<document>"],"userId":"ann"}`,

	"/v2/activities/get": `{"organizationId":"<organization>","documentId":"<document>","activityIds":["<activity>"]}`,
	"/v2/activities/add": `{"organizationId":"<organization>","documentId":"<document>","activities":[{"featureType":"comment","actionType":"mine",
		"actionUser":{"userId":"eve"},"targetEntityId":"<annotation>"}]}`,

	"/v2/organizations/folders/add":           `{"organizationId":"<organization>","folders":[{"folderId":"mine"}]}`,
	"/v2/organizations/folders/get":           `{"organizationId":"<organization>","folderId":"<folder>"}`,
	"/v2/organizations/folders/update":        `{"organizationId":"<organization>","folders":[{"folderId":"<folder>","folderName":"Taken over"}]}`,
	"/v2/organizations/folders/delete":        `{"organizationId":"<organization>","folderId":"<folder>"}`,
	"/v2/organizations/folders/access/update": `{"organizationId":"<organization>","folderIds":["<folder>"],"accessType":"public"}`,
	"/v2/auth/permissions/add": `{"user":{"userId":"eve"},
		"permissions":{"resources":[{"type":"folder","id":"<folder>","organizationId":"<organization>"}]}}`,
	"/v2/auth/permissions/get": `{"organizationId":"<organization>","userIds":["ann"],"folderIds":["<folder>"],"documentIds":["<document>"]}`,
	"/v2/auth/permissions/remove": `{"userId":"ann",
		"permissions":{"resources":[{"type":"folder","id":"<folder>","organizationId":"<organization>"}]}}`,

	"/v2/notifications/get":        `{"organizationId":"<organization>","documentId":"<document>","notificationIds":["<notification>"]}`,
	"/v2/notifications/update":     `{"organizationId":"<organization>","notifications":[{"id":"<notification>","readByUserIds":["bob"]}]}`,
	"/v2/notifications/delete":     `{"organizationId":"<organization>","notificationIds":["<notification>"]}`,
	"/v2/notifications/config/set": `{"organizationId":"<organization>","userIds":["bob"],"documentIds":["<document>"],"config":{"inbox":"ALL"}}`,
	"/v2/notifications/config/get": `{"organizationId":"<organization>","userId":"bob","documentIds":["<document>"]}`,

	"/v2/workspace/advancedwebhookconfig/get":               `{}`,
	"/v2/workspace/advancedwebhook/endpoints/get":           `{}`,
	"/v2/workspace/advancedwebhook/endpoints/update":        `{"endpointId":"<endpoint>","description":"Taken over"}`,
	"/v2/workspace/advancedwebhook/endpoints/delete":        `{"endpointId":"<endpoint>"}`,
	"/v2/workspace/advancedwebhook/endpoints/secret/get":    `{"endpointId":"<endpoint>"}`,
	"/v2/workspace/advancedwebhook/endpoints/secret/rotate": `{"endpointId":"<endpoint>"}`,
	"/v2/workspace/advancedwebhook/endpoints/test":          `{"endpointId":"<endpoint>","eventType":"webhook.test"}`,
	"/v2/workspace/advancedwebhook/attempts/get":            `{"endpointId":"<endpoint>"}`,
	"/v2/workspace/advancedwebhook/endpoints/recover":       `{"endpointId":"<endpoint>","since":` + strconv.FormatInt(time.Now().UnixMilli(), 10) + `}`,
	"/v2/workspace/advancedwebhook/endpoints/recover/get":   `{"recoveryId":"<recovery>"}`,
	"/v2/workspace/advancedwebhook/messages/get":            `{"endpointId":"<endpoint>","messageIds":["<message>"],"includePayload":true}`,
	"/v2/workspace/advancedwebhook/messages/resend":         `{"endpointId":"<endpoint>","messageId":"<message>"}`,
	"/v2/workspace/advancedwebhook/eventtypes/get":          `{}`,
}

// nameless make or change what is the caller's own and take no name of another's thing.
var nameless = []string{
	"/v2/workspace/create", "/v2/workspace/apikey/create", "/v2/workspace/apikeyconfig/update", "/v2/workspace/emailconfig/update",
	"/v2/workspace/domains/add", "/v2/workspace/domains/delete", "/v2/workspace/permissionproviderconfig/update",
	"/v2/workflow/definitions/create", "/v2/workflow/definitions/lint", "/v2/memory/knowledge/upload-url",
	"/v2/workspace/advancedwebhookconfig/update", "/v2/workspace/advancedwebhook/endpoints/create", "/v2/organizations/add",
	"/v2/agents/create",
}

// tokened are opened by a token or secret of their own, never by a workspace's credentials:
// what another one's opens is told where their stories are.
var tokened = []string{"/v2/memory/files/{token}", "/v2/workflow/webhook-callback/complete", "/v2/workflow/webhook-inbound/trigger"}

// ownID is the id that is computed from the names that a caller gives, latency the time
// that a search took.
var (
	ownID   = regexp.MustCompile(`"id":"[0-9a-f]{32}"`)
	latency = regexp.MustCompile(`"searchLatencyMs":\d+`)
)

// belongings fills a workspace and gives the names of what is in it.
func (s *scene) belongings() map[string]string {
	s.t.Helper()
	name := map[string]string{
		"key": s.workspace.APIKey, "definition": s.signOff(),
		"organization": unique("organization"), "document": unique("document"), "annotation": unique("annotation"), "folder": unique("folder"),
	}
	scope := map[string]any{"organizationId": name["organization"], "documentId": name["document"]}
	with := func(more map[string]any) map[string]any {
		all := maps.Clone(scope)
		maps.Copy(all, more)
		return all
	}
	s.hooked()
	name["endpoint"] = s.endpointAt("/endpoint", onlyCompleted).ID
	name["recovery"] = s.recover(name["endpoint"], time.Now()).RecoveryID
	name["message"] = s.try(name["endpoint"], "webhook.test")
	name["agent"] = s.register(unique("agent")).AgentID
	s.annotate(with(map[string]any{
		"createOrganization": true, "createDocument": true, "commentAnnotations": []any{annotated(name["annotation"], wrote("ann", "Whose is this?"))},
	}))
	s.items(addFolders, map[string]any{"organizationId": name["organization"], "folders": []any{folder(name["folder"])}})
	name["activity"] = unique("activity")
	s.items(addActivities, with(map[string]any{"activities": []any{did("ann", name["annotation"], identified(name["activity"]))}}))
	name["group"] = unique("group")
	s.items(addGroups, groups(name["organization"], name["group"]))
	name["notification"] = s.notifiedOf(name["organization"], name["document"])
	leaving := unique("leaving")
	s.items(addDocuments, map[string]any{"organizationId": name["organization"], "documents": []any{map[string]any{"documentId": leaving}}})
	var migrating client.Wrapped[migratingView]
	s.call(migrate, map[string]any{"organizationId": name["organization"], "documentId": leaving, "newDocumentId": "gone-" + leaving}, &migrating)
	name["migration"] = migrating.Data.MigrationID
	decided, step := s.asks([]string{"ann"})
	decided.decide(step.NodeID, "ann", "approve")
	r := s.dispatch(name["definition"], key("k"), s.withReceiver("/events"))
	name["execution"], name["step"] = r.id, r.waitsAt("review").StepID
	var address struct{ FileRef string }
	s.call("memory/knowledge/upload-url", map[string]any{"mimeType": plainText, "fileSize": 10}, &address)
	name["file"] = address.FileRef
	name["record"], name["reviewer"] = unique("record"), unique("reviewer")
	s.record(verdict(name["reviewer"], "approve", scope, map[string]any{"recordId": name["record"]}))
	name["source"] = s.ingest(manual(1))
	s.broughtIn(name["source"], "completed")
	return name
}

// nobodys are names of the same form that nothing has.
func nobodys(names map[string]string) map[string]string {
	other := map[string]string{}
	for what, name := range names {
		last := "a"
		if strings.HasSuffix(name, last) {
			last = "b"
		}
		other[what] = name[:len(name)-1] + last
	}
	return other
}

// TestOtherWorkspacesDoNotExist asks for everything of one workspace with the
// credentials of another and compares word for word with what does not exist.
// An operation that is in none of the lists has to be put into one.
func TestOtherWorkspacesDoNotExist(t *testing.T) {
	s := begin(t)
	stranger := s.elsewhere().hooked()
	known := s.belongings()
	unknown := nobodys(known)
	document, err := s.keyed.Do(t.Context(), http.MethodGet, "/v2/openapi.json", nil, nil)
	require.NoError(t, err)
	var published struct{ Paths map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(document.Body, &published))
	require.ElementsMatch(t, slices.Collect(maps.Keys(published.Paths)), slices.Concat(slices.Collect(maps.Keys(named)), nameless, tokened))

	for path, template := range named {
		answer, of := stranger.asked(path, template, known)
		nothing, ofNothing := stranger.asked(path, template, unknown)
		assert.Equal(t, ofNothing, of, path)
		assert.NotContains(t, nothing, "INVALID_ARGUMENT", "%s: it was not even asked", path)
		assert.JSONEq(t, nothing, answer, path)
		for what, name := range known {
			assert.NotContains(t, answer, name, "%s: the %s", path, what)
		}
	}
	require.Equal(t, "waiting", (&run{s: s, id: known["execution"]}).step("review").Status, "and nothing has changed")
	require.Equal(t, "completed", s.status(known["source"]).Status)
	require.Len(t, s.endpoints(map[string]any{}).Endpoints, 1)
	require.Equal(t, 1, s.judgments(map[string]any{"contentType": "general", "decision": "approve"}).Total)
	require.Equal(t, known["organization"], s.oneOrganization(known["organization"]).OrganizationName)
}

// asked makes an operation and gives the answer with its code. The names that
// were asked for are bracketed words again in it.
func (s *scene) asked(path, template string, names map[string]string) (answer string, code int) {
	s.t.Helper()
	data := template
	for what, name := range names {
		data = strings.ReplaceAll(data, "<"+what+">", name)
	}
	headers := maps.Clone(s.owner.Headers)
	maps.Copy(headers, s.keyed.Headers)
	reply, err := s.keyed.With(headers).Send(s.ctx, path, []byte(`{"data":`+data+`}`), nil)
	require.NoError(s.t, err)
	answer = ownID.ReplaceAllString(string(reply.Body), `"id":"computed"`)
	answer = latency.ReplaceAllString(answer, `"searchLatencyMs":0`)
	for what, name := range names {
		if strings.Contains(template, "<"+what+">") {
			answer = strings.ReplaceAll(answer, name, "<"+what+">")
		}
	}
	return answer, reply.HTTP
}

// notifiedOf lets a comment in a document tell bob and gives the notification.
func (s *scene) notifiedOf(organizationID, documentID string) (id string) {
	s.t.Helper()
	at := map[string]any{"organizationId": organizationID, "documentId": documentID}
	s.annotate(with(at, map[string]any{"commentAnnotations": []any{annotated(unique("notified"), wrote("ann", "Hi {{bob}}", loud))}}))
	found := s.notices(at)
	require.Len(s.t, found, 1)
	return found[0].ID
}
