package platform

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

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// named are the operations that name or list things, with what a stranger asks
// them. A word in angle brackets stands for the name of a thing of one workspace.
var named = map[string]string{
	"/v2/workspace/get":              `{}`,
	"/v2/workspace/apikeys/get":      `{"apiKeys":["<key>"]}`,
	"/v2/workspace/apikey/update":    `{"apiKey":"<key>","apiKeyName":"Taken over"}`,
	"/v2/workspace/authtokens/get":   `{"apiKey":"<key>"}`,
	"/v2/workspace/authtoken/reset":  `{"apiKey":"<key>"}`,
	"/v2/workspace/authtoken/ensure": `{"apiKey":"<key>"}`,
	"/v2/workspace/apikey/copy":      `{"sourceApiKey":"<key>","targetApiKey":"ak_other"}`,
	"/v2/workspace/jobs/list":        `{}`,
	"/v2/workspace/apikeyconfig/get": `{}`,
	"/v2/workspace/emailconfig/get":  `{}`,
	"/v2/workspace/domains/get":      `{}`,

	"/v2/workspace/permissionproviderconfig/get": `{}`,
	"/v2/workspace/activityconfig/get":           `{}`,
	"/v2/workspace/webhookconfig/get":            `{}`,
	"/v2/workspace/notificationconfig/get":       `{}`,

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
	"/v2/workflow/executions/delete":            `{"executionIds":["<execution>"]}`,
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

	"/v2/agents/version/update":   `{"agentId":"<agent>","instructions":"Taken over"}`,
	"/v2/agents/versions/list":    `{"agentId":"<agent>"}`,
	"/v2/agents/versions/restore": `{"agentId":"<agent>","version":1}`,
	"/v2/agents/execution/run":    `{"agentId":"<agent>","url":"https://pages.example.com/"}`,
	"/v2/agents/execution/get":    `{"executionId":"<execution>"}`,
	"/v2/agents/execution/list":   `{"agentId":"<agent>"}`,
	"/v2/agents/execution/count":  `{}`,
	"/v2/agents/analytics/get":    `{}`,

	"/v2/agents/groups/get":           `{"groupId":"<agent-group>"}`,
	"/v2/agents/groups/list":          `{}`,
	"/v2/agents/groups/update":        `{"groupId":"<agent-group>","name":"Taken over"}`,
	"/v2/agents/groups/add-agents":    `{"groupId":"<agent-group>","agentIds":["spell-check"]}`,
	"/v2/agents/groups/remove-agents": `{"groupId":"<agent-group>","agentIds":["spell-check"]}`,
	"/v2/agents/groups/delete":        `{"groupId":"<agent-group>"}`,

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
	"/v2/memory/alerts/list":             `{}`,
	"/v2/memory/alerts/dismiss":          `{"alertId":"alr_01kdvm9w00abcdefghjkmnpqrs"}`,
	"/v2/memory/alerts/action":           `{"alertId":"alr_01kdvm9w00abcdefghjkmnpqrs"}`,
	"/v2/memory/alerts/config/get":       `{}`,
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
	"/v2/organizations/documents/migrate":                    `{"organizationId":"<organization>","documentId":"<document>","newDocumentId":"taken-over"}`,
	"/v2/organizations/documents/migrate/status":             `{"organizationId":"<organization>","migrationId":"<migration>"}`,
	"/v2/organizations/documents/access/disablestate/update": `{"organizationId":"<organization>","documentIds":["<document>"],"disabled":true}`,
	"/v2/organizations/access/disablestate/update":           `{"organizationIds":["<organization>"],"disabled":true}`,
	"/v2/organizations/documents/count/get":                  `{"organizationId":"<organization>"}`,
	"/v2/users/count/get":                                    `{"organizationId":"<organization>","documentId":"<document>"}`,
	"/v2/users/doc/get":                                      `{"organizationId":"<organization>","userIds":["ann"]}`,
	"/v2/organizations/documents/move":                       `{"organizationId":"<organization>","documentIds":["<document>"],"folderId":"root"}`,

	"/v2/organizations/usergroups/add":          `{"organizationId":"<organization>","organizationUserGroups":[{"groupId":"<group>","groupName":"Mine"}]}`,
	"/v2/organizations/usergroups/get":          `{"organizationId":"<organization>","groupIds":["<group>"]}`,
	"/v2/organizations/usergroups/delete":       `{"organizationId":"<organization>","groupIds":["<group>"]}`,
	"/v2/organizations/usergroups/users/add":    `{"organizationId":"<organization>","organizationUserGroupId":"<group>","userIds":["ann"]}`,
	"/v2/organizations/usergroups/users/delete": `{"organizationId":"<organization>","organizationUserGroupId":"<group>","userIds":["ann"]}`,

	"/v2/users/get":                       `{"organizationId":"<organization>","userIds":["ann"],"organizationUserGroupIds":["<group>"]}`,
	"/v2/users/invite/add":                `{"organizationId":"<organization>","email":"eve@example.com","type":"doc_user","documentId":"<document>"}`,
	"/v2/users/invite/respond":            `{"organizationId":"<organization>","email":"ann@example.com","type":"doc_user","documentId":"<document>","status":"WITHDRAWN"}`,
	"/v2/users/invite/get":                `{"organizationId":"<organization>"}`,
	"/v2/users/invitations/get":           `{"organizationId":"<organization>","email":"ann@example.com"}`,
	"/v2/users/invite/pending/count":      `{"organizationId":"<organization>","type":"doc_user"}`,
	"/v2/users/data/get":                  `{"organizationId":"<organization>","userId":"ann"}`,
	"/v2/users/data/export":               `{"organizationId":"<organization>","userId":"ann"}`,
	"/v2/users/data/export/status":        `{"jobId":"<export>"}`,
	"/v2/users/data/delete":               `{"userIds":["ann"],"organizationIds":["<organization>"]}`,
	"/v2/users/data/delete/status":        `{"jobId":"<erasure>"}`,
	"/v2/users/update":                    `{"organizationId":"<organization>","users":[{"userId":"ann","name":"Taken over"}]}`,
	"/v2/users/delete":                    `{"organizationId":"<organization>","userIds":["ann"]}`,
	"/v1/commentannotations/get":          `{"organizationId":"<organization>","documentId":"<document>"}`,
	"/v2/commentannotations/get":          `{"organizationId":"<organization>","documentId":"<document>","annotationIds":["<annotation>"],"userIds":["ann"]}`,
	"/v1/commentannotations/comments/get": `{"organizationId":"<organization>","documentId":"<document>","annotationId":"<annotation>"}`,
	"/v2/commentannotations/comments/get": `{"organizationId":"<organization>","documentId":"<document>","annotationId":"<annotation>"}`,
	"/v1/commentannotations/count/get":    `{"organizationId":"<organization>","documentIds":["<document>"],"userId":"ann"}`,
	"/v2/commentannotations/count/get":    `{"organizationId":"<organization>","documentIds":["<document>"],"userId":"ann"}`,

	"/v2/activities/get":    `{"organizationId":"<organization>","documentId":"<document>","activityIds":["<activity>"]}`,
	"/v2/activities/update": `{"organizationId":"<organization>","activities":[{"id":"<activity>","actionIcon":"mine"}]}`,
	"/v2/activities/delete": `{"organizationId":"<organization>","documentId":"<document>","activityIds":["<activity>"]}`,
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

	"/v2/notifications/get": `{"organizationId":"<organization>","documentId":"<document>","notificationIds":["<notification>"]}`,
	"/v2/notifications/add": `{"organizationId":"<organization>","documentId":"<document>","actionUser":{"userId":"eve"},
		"displayHeadlineMessageTemplate":"Mine","displayBodyMessage":"Mine"}`,
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

// nameless are about what is the caller's own and take no name of another's thing.
var nameless = []string{
	"/v2/workspace/create", "/v2/workspace/apikey/create", "/v2/workspace/apikeyconfig/update", "/v2/workspace/emailconfig/update",
	"/v2/memory/alerts/config/update", "/v2/memory/consolidation/trigger", "/v2/workspace/activityconfig/update", "/v2/workspace/notificationconfig/update", "/v2/workspace/webhookconfig/update",
	"/v2/workspace/domains/add", "/v2/workspace/domains/delete", "/v2/workspace/permissionproviderconfig/update",
	"/v2/workflow/definitions/create", "/v2/workflow/definitions/lint", "/v2/memory/knowledge/upload-url",
	"/v2/workspace/advancedwebhookconfig/update", "/v2/workspace/advancedwebhook/endpoints/create", "/v2/organizations/add",
	"/v2/agents/create", "/v2/agents/groups/create", "/v2/workspace/usage/get", "/v2/workspace/owner/get",
	"/v2/workspace/owner/send-confirmation",
	"/v2/workspace/emailconfig/confirm",
	"/v2/auth/generate_token", "/v2/auth/verify_token",
}

// tokened are opened by a token or secret of their own, never by a workspace's credentials:
// what another one's opens is told where their tests are.
var tokened = []string{"/v2/memory/files/{token}", "/v2/workspace/owner/confirm/{token}", "/v2/workflow/webhook-callback/complete", "/v2/workflow/webhook-inbound/trigger"}

// ownID is the id that is computed from the names that a caller returns, latency the time
// that a search took, newErasure the job that every erasure has of its own.
var (
	ownID      = regexp.MustCompile(`"id":"[0-9a-f]{32}"`)
	latency    = regexp.MustCompile(`"searchLatencyMs":\d+`)
	newErasure = regexp.MustCompile(`"jobId":"era_[0-9a-z]{26}","tasksCount"`)
)

// belongings fills a workspace and returns the names of what is in it; those that a caller
// chooses are made by unique, of words.
func belongings(env *kit.Env, unique func(string) string) map[string]string {
	env.T.Helper()
	name := map[string]string{
		"key": env.Workspace.APIKey, "definition": kit.SignOffAs(env, unique("definition")),
		"organization": unique("organization"), "document": unique("document"), "annotation": unique("annotation"), "folder": unique("folder"),
	}
	scope := map[string]any{"organizationId": name["organization"], "documentId": name["document"]}
	with := func(more map[string]any) map[string]any {
		all := maps.Clone(scope)
		maps.Copy(all, more)
		return all
	}
	kit.Hooked(env)
	name["endpoint"] = kit.EndpointAt(env, "/endpoint", kit.OnlyCompleted).ID
	name["recovery"] = kit.Recover(env, name["endpoint"], time.Now()).RecoveryID
	name["message"] = kit.Try(env, name["endpoint"], "webhook.test")
	name["agent"] = kit.Register(env, unique("agent")).AgentID
	var group redline.OneAgentGroupResult
	env.Call(client.CreateAgentGroup, map[string]any{"name": "Language", "agentIds": []string{name["agent"]}}, &group)
	name["agent-group"] = group.Data.Group.ID
	kit.Annotate(env, with(map[string]any{
		"createOrganization": true, "createDocument": true, "commentAnnotations": []any{kit.Annotated(name["annotation"], kit.Wrote("ann", "Whose is this?"))},
	}))
	kit.Items(env, client.AddFolders, map[string]any{"organizationId": name["organization"], "folders": []any{kit.Folder(name["folder"])}})
	name["activity"] = unique("activity")
	kit.Items(env, client.ActivitiesAdd, with(map[string]any{"activities": []any{kit.Activity("ann", name["annotation"], kit.Identified(name["activity"]))}}))
	name["group"] = unique("group")
	kit.Items(env, client.AddGroups, kit.Groups(name["organization"], name["group"]))
	name["notification"] = notifiedOf(env, name["organization"], name["document"])
	leaving := unique("leaving")
	kit.Items(env, client.AddDocuments, map[string]any{"organizationId": name["organization"], "documents": []any{map[string]any{"documentId": leaving}}})
	var migrating redline.MigrationIDResult
	env.Call(client.Migrate, map[string]any{"organizationId": name["organization"], "documentId": leaving, "newDocumentId": "gone-" + leaving}, &migrating)
	name["migration"] = migrating.Data.MigrationID
	var exporting redline.ExportAcceptedResult
	env.Call(client.ExportUserData, map[string]any{"organizationId": name["organization"], "userId": "ann"}, &exporting)
	name["export"] = exporting.Data.JobID
	var erasing redline.ErasureAcceptedResult
	env.Call(client.EraseUserData, map[string]any{"userIds": []string{"nobody"}}, &erasing)
	name["erasure"] = erasing.Data.JobID
	decided, step := kit.Asks(env, []string{"ann"})
	decided.Decide(step.NodeID, "ann", "approve")
	r := kit.Dispatch(env, name["definition"], kit.Key("k"), kit.WithReceiver(env, "/events"))
	name["execution"], name["step"] = r.ID, r.WaitsAt("review").StepID
	var address redline.UploadURLResult
	env.Call(client.UploadAddress, map[string]any{"mimeType": kit.PlainText, "fileSize": 10}, &address)
	name["file"] = address.FileRef
	name["record"], name["reviewer"] = unique("record"), unique("reviewer")
	kit.Record(env, kit.Verdict(name["reviewer"], "approve", scope, map[string]any{"recordId": name["record"]}))
	name["source"] = kit.Ingest(env, kit.HousePaper)
	kit.BroughtIn(env, name["source"], "completed")
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
	env := kit.NewWorkspace(t)
	stranger := kit.Hooked(kit.Elsewhere(env))
	known := belongings(env, kit.Unique)
	unknown := nobodys(known)
	document, err := env.Keyed.Do(t.Context(), http.MethodGet, "/v2/openapi.json", nil, nil)
	require.NoError(t, err)
	var published struct{ Paths map[string]json.RawMessage }
	require.NoError(t, json.Unmarshal(document.Body, &published))
	require.ElementsMatch(t, slices.Collect(maps.Keys(published.Paths)), slices.Concat(slices.Collect(maps.Keys(named)), nameless, tokened))

	for path, template := range named {
		answer, of := asked(stranger, path, template, known)
		nothing, ofNothing := asked(stranger, path, template, unknown)
		assert.Equal(t, ofNothing, of, path)
		assert.NotContains(t, nothing, "INVALID_ARGUMENT", "%s: it was not even asked", path)
		assert.JSONEq(t, nothing, answer, path)
		for what, name := range known {
			assert.NotContains(t, answer, name, "%s: the %s", path, what)
		}
	}
	require.Equal(t, redline.StepStatusWaiting, (&kit.Run{S: env, ID: known["execution"]}).Step("review").Status, "and nothing has changed")
	require.Equal(t, redline.IngestStatusStatusCompleted, kit.Status(env, known["source"]).Status)
	require.Len(t, kit.Endpoints(env, map[string]any{}).Endpoints, 1)
	require.Equal(t, int64(1), kit.Judgments(env, map[string]any{"contentType": "general", "decision": "approve"}).Total)
	require.Equal(t, known["organization"], kit.OneOrganization(env, known["organization"]).OrganizationName)
}

// asked makes an operation and returns the answer with its code. The names that
// were asked for are bracketed words again in it.
func asked(env *kit.Env, path, template string, names map[string]string) (answer string, code int) {
	env.T.Helper()
	answer, code = sent(env, path, json.RawMessage(filled(template, names)))
	answer = ownID.ReplaceAllString(answer, `"id":"computed"`)
	answer = latency.ReplaceAllString(answer, `"searchLatencyMs":0`)
	answer = newErasure.ReplaceAllString(answer, `"jobId":"new","tasksCount"`)
	for what, name := range names {
		if strings.Contains(template, "<"+what+">") {
			answer = strings.ReplaceAll(answer, name, "<"+what+">")
		}
	}
	return answer, code
}

// notifiedOf lets a comment in a document tell bob and returns the notification.
func notifiedOf(env *kit.Env, organizationID, documentID string) (id string) {
	env.T.Helper()
	at := map[string]any{"organizationId": organizationID, "documentId": documentID}
	kit.Annotate(env, kit.With(at, map[string]any{"commentAnnotations": []any{kit.Annotated(kit.Unique("notified"), kit.Wrote("ann", "Hi {{bob}}", kit.Loud))}}))
	found := kit.Notices(env, at)
	require.Len(env.T, found, 1)
	return found[0].ID
}
