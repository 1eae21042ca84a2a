package tests

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// mark stands in every value that may be told to nobody: texts of bodies,
// secrets, addresses of people, queries of URLs.
const mark = "zqMARKqz"

// sink keeps bytes of many senders.
type sink struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *sink) add(text []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.text.Write(text)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// collector plays an OTLP collector and keeps what it is sent.
func collector(t *testing.T) (*httptest.Server, *sink) {
	t.Helper()
	kept := &sink{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			kept.add(body)
		}
	}))
	t.Cleanup(server.Close)
	return server, kept
}

// engineMethods are the calls whose contents end in histories and in the
// engine's visibility store.
var engineMethods = []string{
	"StartWorkflowExecution", "SignalWithStartWorkflowExecution", "SignalWorkflowExecution", "UpdateWorkflowExecution",
	"RespondWorkflowTaskCompleted", "RespondWorkflowTaskFailed", "RespondActivityTaskCompleted", "RespondActivityTaskFailed",
	"RecordActivityTaskHeartbeat", "ExecuteMultiOperation",
}

// overhear keeps every request to the engine and holds none.
func (l *lab) overhear() *sink {
	heard := &sink{}
	for _, method := range engineMethods {
		l.Engine.HoldRequest(method, func(request []byte) bool {
			heard.add(request)
			return false
		})
	}
	return heard
}

// leak is one story of marked values: what was called, and the texts of refusals.
type leak struct {
	s       *scene
	called  map[string]bool
	refused sink
}

// twice makes an operation as it should be, and then with faults in marked
// values: another type, a key that does not exist, wrong credentials.
func (l *leak) twice(session *client.Session, operation string, data map[string]any) json.RawMessage {
	t := l.s.t
	t.Helper()
	l.called[pathOf(operation)] = true
	reply := l.send(session, operation, data)
	require.Equal(t, http.StatusOK, reply.HTTP, "%s: %s", operation, reply.Body)
	var answer struct{ Result json.RawMessage }
	require.NoError(t, json.Unmarshal(reply.Body, &answer))
	for name := range data {
		faulty := maps.Clone(data)
		for _, value := range []any{mark, []any{mark}, map[string]any{"x": mark}, strings.Repeat(mark, 40) + "\u0000 ", 7, nil} {
			faulty[name] = value
			l.refuse(session, operation, faulty)
		}
	}
	l.refuse(session.With(map[string]string{
		"x-svc-api-key": mark, "x-svc-auth-token": mark, "x-svc-workspace-id": mark, "x-svc-workspace-auth-token": mark,
	}), operation, data)
	return answer.Result
}

// pathOf is the path of an operation: those of the older family are named by
// the whole of it.
func pathOf(operation string) string {
	if strings.HasPrefix(operation, "/") {
		return operation
	}
	return "/v2/" + operation
}

func (l *leak) send(session *client.Session, operation string, data any) *client.Reply {
	t := l.s.t
	t.Helper()
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(t, err)
	reply, err := session.Send(t.Context(), pathOf(operation)+"?query="+mark, body, nil)
	require.NoError(t, err)
	return reply
}

func (l *leak) refuse(session *client.Session, operation string, data any) {
	l.s.t.Helper()
	if reply := l.send(session, operation, data); reply.HTTP != http.StatusOK {
		text := reply.Body
		for _, asSent := range []string{`"id":"` + mark + `"`, `"documentIds":["` + mark + `"]`} { // what is not there is named by the id that was sent
			text = bytes.ReplaceAll(text, []byte(asSent), nil)
		}
		l.refused.add(text)
	}
}

func TestSecrets_StandInNoLogTraceMetricErrorOrHistory(t *testing.T) {
	lab := newLab(t)
	spans, traced := collector(t)
	heard := lab.overhear()
	all := lab.start("serve", "REDLINE_LOG_LEVEL=debug", "REDLINE_OTLP_ENDPOINT="+spans.URL, "REDLINE_TRACE_RATIO=1")
	l := &leak{s: lab.begin(all), called: map[string]bool{}}
	tokens := l.workspaces()
	tokens = append(tokens, l.agents(), l.callbacks())
	l.senders()
	executionID := l.workflows()
	tokens = append(tokens, l.knowledge()...)
	l.collaboration()
	l.mails()
	tokens = append(tokens, l.webhooks()...)

	var document struct {
		Paths map[string]json.RawMessage `json:"paths"`
	}
	reply, err := l.s.keyed.Do(t.Context(), http.MethodGet, "/v2/openapi.json", nil, nil)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(reply.Body, &document))
	for path := range document.Paths {
		assert.True(t, l.called[path], "%s belongs into this story", path)
	}

	metrics, err := client.Public(all.Ops).Do(t.Context(), http.MethodGet, "/metrics", nil, nil)
	require.NoError(t, err)
	require.NoError(t, all.Stop())
	log, err := os.ReadFile(all.Log)
	require.NoError(t, err)

	require.Contains(t, string(log), "/v2/workflow/executions/dispatch")
	require.Contains(t, string(metrics.Body), "redline_http_requests_total")
	require.Contains(t, traced.String(), "/v2/workflow/executions/dispatch")
	require.Contains(t, heard.String(), executionID)
	require.Contains(t, l.refused.String(), "INVALID_ARGUMENT")
	for where, text := range map[string]string{
		"the log": string(log), "the metrics": string(metrics.Body), "the traces": traced.String(),
		"the histories": heard.String(), "the refusals": l.refused.String(),
	} {
		for _, secret := range append(tokens, mark) {
			if at := strings.Index(text, secret); at >= 0 {
				assert.Fail(t, "a value was told", "%s has it: %q", where, text[max(0, at-200):min(len(text), at+100)])
			}
		}
	}
	assert.NotContains(t, string(metrics.Body), l.s.workspace.ID, "no tenant is a label")
}

// workspaces calls the operations on workspaces and gives the tokens that are
// secret from then on.
func (l *leak) workspaces() []string {
	t, s := l.s.t, l.s
	t.Helper()
	email := mark + unique("owner") + "@stories.example.com"
	var created client.Wrapped[workspaceView]
	require.NoError(t, json.Unmarshal(l.twice(s.owner, createWorkspace, map[string]any{
		"ownerEmail": email, "name": mark, "workspaceName": mark, "avatar": "https://example.com/a?q=" + mark,
	}), &created))
	l.refuse(s.owner, createWorkspace, map[string]any{"ownerEmail": email, "workspaceName": mark})
	l.refuse(s.owner, createWorkspace, map[string]any{"ownerEmail": mark + "@mailinator.com"})
	l.twice(s.owner, getWorkspace, map[string]any{})
	key := s.workspace.APIKey
	l.twice(s.owner, createKey, map[string]any{"ownerEmail": email, "type": "testing", "apiKeyName": mark, "allowedDomains": []string{"a.example.com"}})
	l.twice(s.owner, updateKey, map[string]any{"apiKey": key, "apiKeyName": mark})
	l.twice(s.owner, listKeys, map[string]any{"apiKeys": []string{key}, "pageSize": 1})
	l.twice(s.owner, getTokens, map[string]any{"apiKey": key})
	var reset client.Wrapped[tokenReset]
	require.NoError(t, json.Unmarshal(l.twice(s.owner, resetToken, map[string]any{"apiKey": key}), &reset))
	tokens := []string{s.workspace.Token, s.workspace.AuthToken, created.Data.AuthToken, reset.Data.NewAuthToken.Token}
	s.keyed = keySession(s.keyed, key, reset.Data.NewAuthToken.Token)
	s.workspace.Keyed = s.keyed
	l.twice(s.keyed, addDomains, domains(mark+".example.com"))
	l.twice(s.keyed, getDomains, map[string]any{})
	l.twice(s.keyed, deleteDomains, domains(mark+".example.com"))
	l.twice(s.keyed, updateProvider, map[string]any{"permissionProviderConfig": map[string]any{
		"permissionProviderUrl": "https://access.example.com/a?k=" + mark, "authToken": mark,
	}})
	l.twice(s.keyed, getProvider, map[string]any{})
	return tokens
}

// agents calls the operations on the registry of agents, lets one of them resolve its
// step, and gives the token that it was sent.
func (l *leak) agents() (token string) {
	t, s := l.s.t, l.s
	t.Helper()
	one := agentNamed("checker")
	s.receiver().Answer("/agent", receiver.JSON(`{"agentExecutionId":"`+mark+`"}`))
	s.register("told", map[string]any{"url": s.receiver().URL("/agent") + "?token=" + mark})
	l.twice(s.keyed, createAgent, anAgent("checker", map[string]any{
		"name": mark, "description": mark, "url": somewhere + "?token=" + mark, "secret": mark + "-secret-of-the-agent",
	}))
	l.twice(s.keyed, getAgent, one)
	l.twice(s.keyed, listAgents, map[string]any{"pageSize": 1})
	l.twice(s.keyed, updateAgent, map[string]any{"agentId": "checker", "name": mark, "secret": mark + "-next-secret-of-the-agent"})
	answered := s.asksAgent(client.Agent("check", "told"))
	answered.waitsAt("check")
	l.twice(s.keyed, recordResolution, answered.resolves("check", "r1", "rejected", map[string]any{
		"output": map[string]any{"note": mark}, "reason": mark, "actorId": "ann",
	}))
	l.twice(s.keyed, deleteAgent, one)
	return s.calledAgent("/agent").Callback.Token
}

// callbacks lets the receiver of a step call back with what it must not have and with what
// it may, and gives the token that it was sent.
func (l *leak) callbacks() (token string) {
	t, s := l.s.t, l.s
	t.Helper()
	r := s.dispatch(s.define([]client.Node{later("cms", s.receiver().URL("/cms")+"?token="+mark)}))
	r.waitsAt("cms")
	o := s.calledAt("/cms")
	l.called["/v2/workflow/webhook-callback/complete"] = true
	for _, wrong := range []string{`{"status":"` + mark + `"}`, `{"status":"failed","` + mark + `":1}`, mark} {
		_, code := o.says(wrong)
		require.Equal(t, "invalid-body", code)
	}
	o.accepted(map[string]any{
		"status": "failed", "output": map[string]any{"note": mark}, "error": map[string]any{"code": "no-cms", "message": mark},
	})
	r.ends("failed")
	return o.token
}

// workflows calls the operations on definitions, executions and steps and gives
// an execution that the engine drove.
func (l *leak) workflows() string {
	t, s := l.s.t, l.s
	t.Helper()
	ear := s.receiver()
	ear.Answer("/call", receiver.JSON(`{"note":"`+mark+`"}`))
	ear.Answer("/broken", receiver.Answer{Status: http.StatusBadRequest, Body: mark})
	id := unique("definition")
	document := map[string]any{
		"definitionId": id, "name": "Story", "description": mark, "custom": map[string]any{"note": mark},
		"nodes": []client.Node{
			client.Hook("call", ear.URL("/call?token="+mark)), client.Human("review", "ann"), client.Hook("broken", ear.URL("/broken?token="+mark)),
		},
		"edges":         []client.Edge{client.Always("call", "review"), client.Approve("review", "broken"), client.Reject("review", "broken")},
		"webhookConfig": map[string]any{"url": ear.URL("/told?token=" + mark), "secret": mark + "-secret-of-the-definition"},
	}
	l.twice(s.keyed, "workflow/definitions/lint", document)
	l.twice(s.keyed, "workflow/definitions/create", document)
	l.twice(s.keyed, "workflow/definitions/get", map[string]any{"definitionId": id})
	l.twice(s.keyed, "workflow/definitions/list", map[string]any{})
	l.twice(s.keyed, "workflow/definitions/versions/list", map[string]any{"definitionId": id})
	l.twice(s.keyed, "workflow/definitions/versions/get", map[string]any{"definitionId": id, "version": 1})

	dispatch := map[string]any{
		"definitionId": id, "webhookUrl": ear.URL("/events?token=" + mark), "webhookSecret": mark + "-secret-of-the-dispatch",
		"triggerContext": map[string]any{"title": mark, "webhookAuth": map[string]any{"call": mark, "broken": mark}},
	}
	var first, second client.Dispatched
	require.NoError(t, json.Unmarshal(l.twice(s.keyed, "workflow/executions/dispatch", dispatch), &first))
	require.NoError(t, json.Unmarshal(l.twice(s.keyed, "workflow/executions/dispatch", dispatch), &second))
	r := &run{s: s, id: first.ExecutionID}
	step := r.waitsAt("review")
	for _, operation := range []string{"pause", "resume"} {
		l.twice(s.keyed, "workflow/executions/"+operation, map[string]any{"executionId": r.id, "reason": mark, "actorId": "ann"})
	}
	l.twice(s.keyed, "workflow/steps/list", map[string]any{"reviewerId": "ann"})
	l.twice(s.keyed, "workflow/steps/reassign", map[string]any{
		"executionId": r.id, "stepId": step.StepID, "fromReviewerId": "ann", "toReviewerId": "eve", "actorId": mark, "reason": mark,
	})
	l.twice(s.keyed, "workflow/steps/recordReviewerDecision", map[string]any{
		"executionId": r.id, "stepId": step.StepID, "reviewerId": "eve", "decision": "approve", "reason": mark,
	})
	l.operator(id)
	r.ends("failed")
	l.twice(s.keyed, "workflow/executions/cancel", map[string]any{"executionId": second.ExecutionID, "reason": mark, "actorId": "ann"})
	l.twice(s.keyed, listExecutions, map[string]any{"definitionId": id})
	for _, operation := range []string{"get", "getEvents", "getDeliveries", "redeliver"} {
		l.twice(s.keyed, "workflow/executions/"+operation, map[string]any{"executionId": r.id})
	}
	for _, status := range []string{"pending", "running"} {
		for _, live := range everyPage[client.Execution](s, listExecutions, map[string]any{"status": status}) {
			(&run{s: s, id: live.ExecutionID}).cancel()
		}
	}
	document["ifVersion"] = 1
	l.twice(s.keyed, "workflow/definitions/update", document)
	l.twice(s.keyed, "workflow/definitions/delete", map[string]any{"definitionId": id})
	r.delivered()
	return r.id
}

// operator calls the operations by which executions are led by hand.
func (l *leak) operator(definitionID string) {
	s := l.s
	s.t.Helper()
	by := func(r *run, nodeID string, more map[string]any) map[string]any {
		data := map[string]any{"executionId": r.id, "stepId": r.waitsAt(nodeID).StepID, "actorId": mark, "reason": mark}
		maps.Copy(data, more)
		return data
	}
	resolved, cancelled, failed := s.dispatch(definitionID), s.dispatch(definitionID), s.dispatch(definitionID)
	l.twice(s.keyed, "workflow/steps/resolve", by(resolved, "review", map[string]any{"action": "force-complete", "output": map[string]any{"note": mark}}))
	l.twice(s.keyed, "workflow/steps/cancel", by(cancelled, "review", nil))
	s.call("workflow/steps/resolve", by(failed, "review", map[string]any{"action": "force-fail"}), nil)
	l.twice(s.keyed, "workflow/executions/retry", map[string]any{"executionId": failed.id, "actorId": mark, "reason": mark})
}

// knowledge calls the operations on knowledge with a file of marked text, uses
// the addresses of files, rightly and wrongly, and gives their tokens.
func (l *leak) knowledge() []string {
	t, s := l.s.t, l.s
	t.Helper()
	var u uploadURL
	require.NoError(t, json.Unmarshal(l.twice(s.keyed, "memory/knowledge/upload-url", map[string]any{
		"mimeType": plainText, "fileSize": 20, "fileName": mark + ".txt",
	}), &u))
	for size, want := range map[int]int{10: http.StatusBadRequest, 20: http.StatusOK} {
		code, text := put(t, u.UploadURL+"?query="+mark, plainText, strings.NewReader(strings.Repeat("x", size)))
		require.Equal(t, want, code, text)
	}
	var done ingested
	require.NoError(t, json.Unmarshal(l.twice(s.keyed, "memory/knowledge/ingest", map[string]any{
		"source": "inline", "file": inlineFile([]byte("A text that says "+mark+" and no more."), plainText),
	}), &done))
	files := s.broughtIn(done.SourceID, "completed")
	l.twice(s.keyed, "memory/knowledge/ingest-status", map[string]any{"sourceId": done.SourceID})
	l.twice(s.keyed, "memory/knowledge/search", map[string]any{"query": mark, "limit": 5})
	tokens := []string{}
	for _, address := range []string{u.UploadURL, files.OriginalDownloadURL, files.CanonicalMdDownloadURL} {
		_, token, found := strings.Cut(address, "/v2/memory/files/")
		require.True(t, found, address)
		l.called["/v2/memory/files/{token}"] = true
		tokens = append(tokens, token)
		get(t, address, "")
	}
	l.twice(s.keyed, updateKnowledge, map[string]any{"sourceId": done.SourceID, "newContent": "A text that must say " + mark + "."})
	l.sources(done.SourceID)
	return tokens
}

// sources calls the operations on a source that there is, and deletes it.
func (l *leak) sources(sourceID string) {
	s, named := l.s, map[string]any{"sourceId": sourceID}
	s.t.Helper()
	l.twice(s.keyed, listSources, map[string]any{"organizationId": mark, "pageSize": 5})
	l.twice(s.keyed, listRules, named)
	l.twice(s.keyed, readText, named)
	l.twice(s.keyed, deleteSource, named)
	failed := s.ingest(" ")
	s.broughtIn(failed, "failed")
	l.twice(s.keyed, retrySource, map[string]any{"sourceId": failed})
}

// collaboration calls the operations on people, comments and judgments with
// marked names and texts.
func (l *leak) collaboration() {
	s := l.s
	s.t.Helper()
	person := map[string]any{"userId": "ann", "name": mark, "email": mark + "@example.com"}
	l.twice(s.keyed, "workspace/apikeyconfig/get", map[string]any{})
	l.twice(s.keyed, "workspace/apikeyconfig/update", map[string]any{"requireAutoOrgUser": false})
	l.twice(s.keyed, "users/add", map[string]any{"organizationId": "acme", "createOrganization": true, "users": []any{person}})
	l.twice(s.keyed, "users/update", map[string]any{"organizationId": "acme", "users": []any{person}})
	l.groups()
	l.twice(s.keyed, addAnnotations, made("leaks", annotated("a1", wrote("ann", mark, map[string]any{"commentId": 1}))))
	l.twice(s.keyed, addComments, doc("leaks", map[string]any{"annotationId": "a1", "commentData": []any{wrote("ann", mark, map[string]any{"commentId": 2})}}))
	l.twice(s.keyed, updateComments, doc("leaks", map[string]any{
		"annotationId": "a1", "commentIds": []int{1}, "updatedData": map[string]any{"commentText": "edited " + mark}, "actionUser": person,
	}))
	l.twice(s.keyed, getAnnotations, doc("leaks"))
	l.twice(s.keyed, readAnnotations, doc("leaks", map[string]any{"userId": mark, "annotationIds": []string{"a1", mark}}))
	l.twice(s.keyed, findAnnotations, doc("leaks", map[string]any{"mentionedUserIds": []string{mark}, "viewerUserId": mark}))
	l.twice(s.keyed, getComments, doc("leaks", map[string]any{"annotationId": "a1"}))
	l.twice(s.keyed, getWholeComments, doc("leaks", map[string]any{"annotationId": "a1", "viewerUserId": mark}))
	l.notices(person)
	for _, operation := range []string{countNotes, countAgain} {
		l.twice(s.keyed, operation, map[string]any{"organizationId": "acme", "documentIds": []string{"leaks"}, "userId": "ann"})
	}
	l.twice(s.keyed, updateAnnotations, doc("leaks", map[string]any{
		"annotationIds": []string{"a1"}, "actionUser": person, "triggerNotification": true, "triggerActivities": true,
		"updatedData": map[string]any{"context": map[string]any{"n": mark}, "assignedTo": person, "statusUpdatedByUserId": mark, "targetElement": map[string]any{"targetText": mark}},
		"updateUsers": []any{map[string]any{"oldUser": map[string]any{"userId": mark}, "newUser": person}},
	}))
	l.twice(s.keyed, deleteComments, doc("leaks", map[string]any{"annotationId": "a1", "actionUser": person, "triggerActivities": true}))
	l.twice(s.keyed, deleteAnnotations, doc("leaks", map[string]any{"locationIds": []string{mark}, "agentId": mark, "actionUser": person}))
	l.twice(s.keyed, addActivities, doc("leaks", map[string]any{"activities": []any{did("ann", mark, map[string]any{
		"actionUser": person, "actionType": mark, "entityData": map[string]any{mark: mark}, "displayMessageTemplate": mark + "{{actionUser.name}}",
	})}}))
	l.twice(s.keyed, getActivities, doc("leaks", map[string]any{"targetEntityId": mark, "viewerUserId": "ann"}))
	l.judgments()
	l.twice(s.keyed, "memory/patterns/get", map[string]any{})
	l.folders()
	l.documents()
	l.twice(s.keyed, "users/delete", map[string]any{"organizationId": "acme", "userIds": []string{"ann"}})
}

// groups calls the operations on user groups, with marked names.
func (l *leak) groups() {
	keyed := l.s.keyed
	l.s.t.Helper()
	l.twice(keyed, addGroups, acmeWith("organizationUserGroups", []any{map[string]any{"groupId": "g", "groupName": mark}}))
	l.twice(keyed, getGroups, acmeWith("groupIds", []string{"g", mark}))
	l.twice(keyed, addGroupUsers, inGroup("g", "ann", mark))
	l.twice(keyed, getUsers, acmeWith("userIds", []string{"ann", mark}, map[string]any{"organizationUserGroupIds": []string{"g", mark}}))
	l.twice(keyed, deleteGroupUsers, inGroup("g", "ann", mark))
	l.twice(keyed, deleteGroups, acmeWith("groupIds", []string{"g", mark}))
}

// judgments calls the operations on judgments, with marked texts.
func (l *leak) judgments() {
	keyed := l.s.keyed
	l.s.t.Helper()
	l.twice(keyed, recordJudgments, verdict("ann", mark, map[string]any{
		"recordId": "leaky", "reasoning": mark, "content": mark, "contentType": mark, "category": mark, "organizationId": "acme",
		"actionUser": map[string]any{"userId": "ann", "name": mark, "email": mark + "@example.com"},
		"judgeType":  "agent", "agent": map[string]any{"agentName": mark, "agentFields": map[string]any{mark: mark}},
	}))
	l.twice(keyed, queryJudgments, map[string]any{"organizationId": "acme"})
	l.twice(keyed, askQuestion, map[string]any{"question": mark, "organizationId": "acme", "filters": map[string]any{"reviewerId": mark}})
	l.twice(keyed, suggestDecision, map[string]any{"query": mark, "organizationId": "acme"})
	l.twice(keyed, searchJudgments, map[string]any{
		"query": mark, "organizationId": "acme", "recencyDays": 1, "filters": map[string]any{"contentType": mark, "dateRange": map[string]any{"start": "2026-01-01"}},
	})
	l.refuse(keyed, searchJudgments, map[string]any{"query": mark, "filters": map[string]any{"dateRange": map[string]any{"start": mark}}})
	l.twice(keyed, getStats, map[string]any{})
	l.twice(keyed, getProfile, map[string]any{"targetUserId": "ann"})
	l.twice(keyed, deleteJudgments, map[string]any{"recordIds": []string{"leaky", mark}})
}

// documents calls the operations on organizations and documents, with marked names.
func (l *leak) documents() {
	keyed := l.s.keyed
	l.s.t.Helper()
	in := func(more map[string]any) map[string]any {
		all := map[string]any{"organizationId": "leaky"}
		maps.Copy(all, more)
		return all
	}
	marked := map[string]any{"documents": []any{map[string]any{"documentId": "d", "documentName": mark}}}
	named := map[string]any{"documentIds": []string{"d"}}
	l.twice(keyed, addOrganizations, organization("leaky", map[string]any{"organizationName": mark}))
	l.twice(keyed, updateOrganizations, organization("leaky", map[string]any{"organizationName": mark}))
	l.twice(keyed, getOrganizations, map[string]any{"organizationIds": []string{"leaky"}})
	l.twice(keyed, addDocuments, in(marked))
	l.twice(keyed, updateDocuments, in(marked))
	l.twice(keyed, getDocuments, in(named))
	l.twice(keyed, setAccess, in(map[string]any{"documentIds": []string{"d"}, "accessType": "restricted"}))
	l.twice(keyed, moveDocuments, in(map[string]any{"documentIds": []string{"d"}, "folderId": "root"}))
	var migrating struct{ Data migratingView }
	accepted := l.twice(keyed, migrate, in(map[string]any{"documentId": "d", "newDocumentId": "e"}))
	require.NoError(l.s.t, json.Unmarshal(accepted, &migrating))
	l.twice(keyed, migrateStatus, in(map[string]any{"migrationId": migrating.Data.MigrationID}))
	l.twice(keyed, deleteDocuments, in(named))
	l.twice(keyed, deleteOrganizations, map[string]any{"organizationIds": []string{"leaky"}})
}

// folders calls the operations on folders and on what is granted, with marked names.
func (l *leak) folders() {
	keyed := l.s.keyed
	l.s.t.Helper()
	marked := []any{folder("leaky", map[string]any{"folderName": mark})}
	l.twice(keyed, addFolders, acmeWith("folders", marked))
	l.twice(keyed, updateFolders, acmeWith("folders", marked))
	l.twice(keyed, folderAccess, acmeWith("folderIds", []string{"leaky"}, map[string]any{"accessType": "restricted"}))
	l.twice(keyed, addPermissions, granting("ann", resource("folder", "leaky")))
	l.twice(keyed, getPermissions, acmeWith("userIds", []string{"ann"}, map[string]any{"folderIds": []string{"leaky"}}))
	l.twice(keyed, removePermissions, removing("ann", resource("folder", "leaky")))
	l.twice(keyed, getFolders, acmeWith("maxDepth", 2))
	l.twice(keyed, deleteFolder, acmeWith("folderId", "leaky"))
}
