package platform

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

// leak is one test of marked values: what was called, and the texts of refusals.
type leak struct {
	s       *kit.Env
	called  map[string]bool
	refused sink
}

// twice makes an operation as it should be, and then with faults in marked
// values: another type, a key that does not exist, wrong credentials.
func (l *leak) twice(session *client.Session, operation string, data map[string]any) json.RawMessage {
	t := l.s.T
	t.Helper()
	l.called[kit.PathOf(operation)] = true
	reply := l.send(session, operation, data)
	require.Equal(t, http.StatusOK, reply.HTTP, "%s: %s", operation, reply.Body)
	var answer struct{ Result json.RawMessage }
	require.NoError(t, json.Unmarshal(reply.Body, &answer))
	for name := range data {
		faulty := maps.Clone(data)
		for _, value := range []any{kit.Mark, []any{kit.Mark}, map[string]any{"x": kit.Mark}, strings.Repeat(kit.Mark, 40) + "\u0000 ", 7, nil} {
			faulty[name] = value
			l.refuse(session, operation, faulty)
		}
	}
	l.refuse(session.With(map[string]string{
		"x-svc-api-key": kit.Mark, "x-svc-auth-token": kit.Mark, "x-svc-workspace-id": kit.Mark, "x-svc-workspace-auth-token": kit.Mark,
	}), operation, data)
	return answer.Result
}

func (l *leak) send(session *client.Session, operation string, data any) *client.Reply {
	t := l.s.T
	t.Helper()
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(t, err)
	reply, err := session.Send(t.Context(), kit.PathOf(operation)+"?query="+kit.Mark, body, nil)
	require.NoError(t, err)
	return reply
}

func (l *leak) refuse(session *client.Session, operation string, data any) {
	l.s.T.Helper()
	if reply := l.send(session, operation, data); reply.HTTP != http.StatusOK {
		text := reply.Body
		for _, asSent := range []string{`"id":"` + kit.Mark + `"`, `"documentIds":["` + kit.Mark + `"]`} { // what is not there is named by the id that was sent
			text = bytes.ReplaceAll(text, []byte(asSent), nil)
		}
		l.refused.add(text)
	}
}

func TestSecrets_StandInNoLogTraceMetricErrorOrHistory(t *testing.T) {
	o := overhear(kit.NewIsolatedStack(t), "REDLINE_OWNERS_CONFIRMED=false")
	l := &leak{s: o.NewWorkspace(o.all), called: map[string]bool{}}
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
	reply, err := l.s.Keyed.Do(t.Context(), http.MethodGet, "/v2/openapi.json", nil, nil)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(reply.Body, &document))
	for path := range document.Paths {
		assert.True(t, l.called[path], "%s belongs into this story", path)
	}

	told := o.stop()
	require.Contains(t, told[theHistories], executionID)
	assert.NotContains(t, told[theMetrics], l.s.Workspace.ID, "no tenant is a label")
	told["the refusals"] = l.refused.String()
	require.Contains(t, told["the refusals"], "INVALID_ARGUMENT")
	tellsNone(t, told, append(tokens, kit.Mark))
}

// workspaces calls the operations on workspaces and returns the tokens that are
// secret from then on.
func (l *leak) workspaces() []string {
	t, env := l.s.T, l.s
	t.Helper()
	email := kit.Mark + kit.Unique("owner") + "@tests.example.com"
	var created client.Wrapped[kit.WorkspaceView]
	require.NoError(t, json.Unmarshal(l.twice(env.Owner, client.WorkspaceCreate, map[string]any{
		"ownerEmail": email, "name": kit.Mark, "workspaceName": kit.Mark, "avatar": "https://example.com/a?q=" + kit.Mark,
	}), &created))
	l.refuse(env.Owner, client.WorkspaceCreate, map[string]any{"ownerEmail": email, "workspaceName": kit.Mark})
	l.refuse(env.Owner, client.WorkspaceCreate, map[string]any{"ownerEmail": kit.Mark + "@mailinator.com"})
	l.twice(env.Owner, client.GetWorkspace, map[string]any{})
	key := env.Workspace.APIKey
	l.twice(env.Owner, client.CreateKey, map[string]any{"ownerEmail": email, "type": "testing", "apiKeyName": kit.Mark, "allowedDomains": []string{"a.example.com"}})
	l.twice(env.Owner, client.UpdateKey, map[string]any{"apiKey": key, "apiKeyName": kit.Mark})
	l.twice(env.Owner, client.ListKeys, map[string]any{"apiKeys": []string{key}, "pageSize": 1})
	l.twice(env.Owner, client.GetTokens, map[string]any{"apiKey": key})
	var reset redline.NewAuthTokenResult
	require.NoError(t, json.Unmarshal(l.twice(env.Owner, client.ResetToken, map[string]any{"apiKey": key}), &reset))
	l.twice(env.Owner, client.EnsureToken, map[string]any{"apiKey": key})
	l.twice(env.Owner, client.CopyKey, map[string]any{"sourceApiKey": kit.NewKey(env, nil).APIKey, "targetApiKey": key})
	tokens := []string{l.owner(created.Data), env.Workspace.Token, env.Workspace.AuthToken, created.Data.AuthToken, reset.Data.NewAuthToken.Token}
	env.Keyed = kit.KeySession(env.Keyed, key, reset.Data.NewAuthToken.Token)
	env.Workspace.Keyed = env.Keyed
	l.twice(env.Keyed, client.AddDomains, kit.Domains(kit.Mark+".example.com"))
	l.twice(env.Keyed, client.GetDomains, map[string]any{})
	l.twice(env.Keyed, client.DeleteDomains, kit.Domains(kit.Mark+".example.com"))
	l.twice(env.Keyed, client.UpdateProvider, map[string]any{"permissionProviderConfig": map[string]any{
		"permissionProviderUrl": "https://access.example.com/a?k=" + kit.Mark, "authToken": kit.Mark,
	}})
	l.twice(env.Keyed, client.GetProvider, map[string]any{})
	l.twice(env.Keyed, client.GetUsage, map[string]any{})
	l.twice(env.Keyed, client.ListJobs, map[string]any{"kinds": []string{"migration"}})
	return tokens
}

// owner has the owner of a workspace confirm the address, and returns the token of the page.
func (l *leak) owner(w kit.WorkspaceView) (token string) {
	t, env := l.s.T, l.s
	t.Helper()
	session := env.Owner.With(map[string]string{"x-svc-workspace-id": w.ID, "x-svc-workspace-auth-token": w.AuthToken})
	l.twice(session, client.GetOwner, map[string]any{})
	l.twice(session, client.SendConfirmation, map[string]any{})
	_, token, found := strings.Cut(kit.Mails(env, w.Owner.Email, 1)[0].Text, "/v2/workspace/owner/confirm/")
	require.True(t, found)
	token, _, _ = strings.Cut(token, "\r\n")
	l.called["/v2/workspace/owner/confirm/{token}"] = true
	for _, each := range []struct {
		method, token string
		want          int
	}{{http.MethodGet, token, 200}, {http.MethodPost, token + kit.Mark, 404}, {http.MethodPost, token, 200}} {
		page := env.Owner.BaseURL + "/v2/workspace/owner/confirm/" + each.token + "?query=" + kit.Mark
		request, err := http.NewRequestWithContext(t.Context(), each.method, page, nil)
		require.NoError(t, err)
		reply, err := http.DefaultClient.Do(request) // it is answered with a page
		require.NoError(t, err)
		require.NoError(t, reply.Body.Close())
		require.Equal(t, each.want, reply.StatusCode)
	}
	return token
}

// agentGroups calls the operations on groups of agents.
func (l *leak) agentGroups(env *kit.Env) {
	env.T.Helper()
	var made struct {
		Data struct{ Group struct{ ID string } }
	}
	reply := l.twice(env.Keyed, client.CreateAgentGroup, map[string]any{
		"name": kit.Mark, "description": kit.Mark, "agentIds": []string{"checker"}, "metadata": map[string]any{"x": kit.Mark},
	})
	require.NoError(env.T, json.Unmarshal(reply, &made))
	one := map[string]any{"groupId": made.Data.Group.ID}
	members := map[string]any{"groupId": made.Data.Group.ID, "agentIds": []string{"spell-check"}}
	l.twice(env.Keyed, client.GetAgentGroup, one)
	l.twice(env.Keyed, client.ListAgentGroups, map[string]any{})
	l.twice(env.Keyed, client.UpdateAgentGroup, map[string]any{"groupId": made.Data.Group.ID, "name": kit.Mark})
	l.twice(env.Keyed, client.AddToAgentGroup, members)
	l.twice(env.Keyed, client.RemoveFromAgentGroup, members)
	l.twice(env.Keyed, client.DeleteAgentGroup, one)
}

// agentVersions calls the operations on the behaviour of an agent, and has one look at a page.
func (l *leak) agentVersions(env *kit.Env) {
	env.T.Helper()
	one := kit.AgentNamed("checker")
	env.Call(client.DeleteAgent, kit.AgentNamed(kit.Mark), nil) // a run would name the agent by its id, which is told
	l.twice(env.Keyed, client.UpdateAgentVersion, map[string]any{"agentId": "checker", "instructions": kit.Mark, "setup": map[string]any{kit.Mark: kit.Mark}})
	l.twice(env.Keyed, client.ListAgentVersions, one)
	l.twice(env.Keyed, client.RestoreAgentVersion, map[string]any{"agentId": "checker", "version": 1})
	var started struct{ Data struct{ ExecutionID string } }
	require.NoError(env.T, json.Unmarshal(l.twice(env.Keyed, client.RunAgent, map[string]any{
		"agentId": "__mock__", "url": kit.Somewhere + "?token=" + kit.Mark, "userContext": map[string]any{"x": kit.Mark},
		"ranBy": map[string]any{"userId": kit.Mark, "name": kit.Mark, "email": kit.Mark}, "aiConfig": map[string]any{"x": kit.Mark},
	}), &started))
	l.twice(env.Keyed, client.GetAgentRun, map[string]any{"executionId": started.Data.ExecutionID, "includeResults": true})
	l.twice(env.Keyed, client.ListAgentRuns, one)
	l.twice(env.Keyed, client.CountAgentRuns, map[string]any{"agentIds": []string{kit.Mark}})
	l.twice(env.Keyed, client.GetAgentAnalytics, map[string]any{"agentId": kit.Mark})
}

// agents calls the operations on the registry of agents, lets one of them resolve its
// step, and returns the token that it was sent.
func (l *leak) agents() (token string) {
	t, env := l.s.T, l.s
	t.Helper()
	one := kit.AgentNamed("checker")
	env.Receiver().Answer("/agent", receiver.JSON(`{"agentExecutionId":"`+kit.Mark+`"}`))
	kit.Register(env, "told", map[string]any{"url": env.Receiver().URL("/agent") + "?token=" + kit.Mark})
	l.twice(env.Keyed, client.CreateAgent, kit.AnAgent("checker", map[string]any{
		"name": kit.Mark, "description": kit.Mark, "url": kit.Somewhere + "?token=" + kit.Mark, "secret": kit.Mark + "-secret-of-the-agent",
	}))
	l.twice(env.Keyed, client.GetAgent, one)
	l.twice(env.Keyed, client.ListAgents, map[string]any{"pageSize": 1})
	l.twice(env.Keyed, client.UpdateAgent, map[string]any{"agentId": "checker", "name": kit.Mark, "secret": kit.Mark + "-next-secret-of-the-agent"})
	l.agentGroups(env)
	l.agentVersions(env)
	answered := kit.AsksAgent(env, client.Agent("check", "told"))
	answered.WaitsAt("check")
	l.twice(env.Keyed, client.RecordResolution, answered.Resolves("check", "r1", "rejected", map[string]any{
		"output": map[string]any{"note": kit.Mark}, "reason": kit.Mark, "actorId": "ann",
	}))
	l.twice(env.Keyed, client.DeleteAgent, one)
	return kit.CalledAgent(env, "/agent").Callback.Token
}

// callbacks lets the receiver of a step call back with what it must not have and with what
// it may, and returns the token that it was sent.
func (l *leak) callbacks() (token string) {
	t, env := l.s.T, l.s
	t.Helper()
	r := kit.Dispatch(env, kit.Define(env, []redline.NodeInput{kit.Later("cms", env.Receiver().URL("/cms")+"?token="+kit.Mark)}))
	r.WaitsAt("cms")
	o := kit.CalledAt(env, "/cms")
	l.called["/v2/workflow/webhook-callback/complete"] = true
	for _, wrong := range []string{`{"status":"` + kit.Mark + `"}`, `{"status":"failed","` + kit.Mark + `":1}`, kit.Mark} {
		_, code := o.Completes(wrong)
		require.Equal(t, "invalid-body", code)
	}
	o.Accepted(map[string]any{
		"status": "failed", "output": map[string]any{"note": kit.Mark}, "error": map[string]any{"code": "no-cms", "message": kit.Mark},
	})
	r.Ends("failed")
	return o.Token
}

// workflows calls the operations on definitions, executions and steps and returns
// an execution that Temporal drove.
func (l *leak) workflows() string {
	t, env := l.s.T, l.s
	t.Helper()
	target := env.Receiver()
	target.Answer("/call", receiver.JSON(`{"note":"`+kit.Mark+`"}`))
	target.Answer("/broken", receiver.Answer{Status: http.StatusBadRequest, Body: kit.Mark})
	id := kit.Unique("definition")
	document := map[string]any{
		"definitionId": id, "name": "Story", "description": kit.Mark, "custom": map[string]any{"note": kit.Mark},
		"nodes": []redline.NodeInput{
			client.Hook("call", target.URL("/call?token="+kit.Mark)), client.Human("review", "ann"), client.Hook("broken", target.URL("/broken?token="+kit.Mark)),
		},
		"edges":         []redline.EdgeInput{client.Always("call", "review"), client.Approve("review", "broken"), client.Reject("review", "broken")},
		"webhookConfig": map[string]any{"url": target.URL("/told?token=" + kit.Mark), "secret": kit.Mark + "-secret-of-the-definition"},
	}
	l.twice(env.Keyed, client.LintDefinition, document)
	l.twice(env.Keyed, client.CreateDefinition, document)
	l.twice(env.Keyed, client.GetDefinition, map[string]any{"definitionId": id})
	l.twice(env.Keyed, client.ListDefinitions, map[string]any{})
	l.twice(env.Keyed, client.ListVersions, map[string]any{"definitionId": id})
	l.twice(env.Keyed, client.GetVersion, map[string]any{"definitionId": id, "version": 1})

	dispatch := map[string]any{
		"definitionId": id, "webhookUrl": target.URL("/events?token=" + kit.Mark), "webhookSecret": kit.Mark + "-secret-of-the-dispatch",
		"triggerContext": map[string]any{"title": kit.Mark, "webhookAuth": map[string]any{"call": kit.Mark, "broken": kit.Mark}},
	}
	var first, second redline.DispatchResult
	require.NoError(t, json.Unmarshal(l.twice(env.Keyed, client.StartExecution, dispatch), &first))
	require.NoError(t, json.Unmarshal(l.twice(env.Keyed, client.StartExecution, dispatch), &second))
	r := &kit.Run{S: env, ID: first.ExecutionID}
	step := r.WaitsAt("review")
	for _, operation := range []string{"pause", "resume"} {
		l.twice(env.Keyed, "workflow/executions/"+operation, map[string]any{"executionId": r.ID, "reason": kit.Mark, "actorId": "ann"})
	}
	l.twice(env.Keyed, client.ListSteps, map[string]any{"reviewerId": "ann"})
	l.twice(env.Keyed, client.ReassignStep, map[string]any{
		"executionId": r.ID, "stepId": step.StepID, "fromReviewerId": "ann", "toReviewerId": "eve", "actorId": kit.Mark, "reason": kit.Mark,
	})
	l.twice(env.Keyed, client.RecordDecision, map[string]any{
		"executionId": r.ID, "stepId": step.StepID, "reviewerId": "eve", "decision": "approve", "reason": kit.Mark,
	})
	l.operator(id)
	r.Ends("failed")
	l.twice(env.Keyed, client.CancelExecution, map[string]any{"executionId": second.ExecutionID, "reason": kit.Mark, "actorId": "ann"})
	l.twice(env.Keyed, client.ListExecutions, map[string]any{"definitionId": id})
	for _, operation := range []string{"get", "getEvents", "getDeliveries", "redeliver"} {
		l.twice(env.Keyed, "workflow/executions/"+operation, map[string]any{"executionId": r.ID})
	}
	for _, status := range []string{"pending", "running"} {
		for _, live := range kit.EveryPage[redline.Execution](env, client.ListExecutions, map[string]any{"status": status}) {
			(&kit.Run{S: env, ID: live.ExecutionID}).Cancel()
		}
	}
	document["ifVersion"] = 1
	l.twice(env.Keyed, client.UpdateDefinition, document)
	l.twice(env.Keyed, client.DeleteDefinition, map[string]any{"definitionId": id})
	r.Delivered()
	l.twice(env.Keyed, client.DeleteExecutions, map[string]any{"executionIds": []string{second.ExecutionID}})
	return r.ID
}

// operator calls the operations by which executions are led by hand.
func (l *leak) operator(definitionID string) {
	env := l.s
	env.T.Helper()
	by := func(r *kit.Run, nodeID string, more map[string]any) map[string]any {
		data := map[string]any{"executionId": r.ID, "stepId": r.WaitsAt(nodeID).StepID, "actorId": kit.Mark, "reason": kit.Mark}
		maps.Copy(data, more)
		return data
	}
	resolved, cancelled, failed := kit.Dispatch(env, definitionID), kit.Dispatch(env, definitionID), kit.Dispatch(env, definitionID)
	l.twice(env.Keyed, client.ResolveStep, by(resolved, "review", map[string]any{"action": "force-complete", "output": map[string]any{"note": kit.Mark}}))
	l.twice(env.Keyed, client.CancelStep, by(cancelled, "review", nil))
	env.Call(client.ResolveStep, by(failed, "review", map[string]any{"action": "force-fail"}), nil)
	l.twice(env.Keyed, client.RetryExecution, map[string]any{"executionId": failed.ID, "actorId": kit.Mark, "reason": kit.Mark})
}

// knowledge calls the operations on knowledge with a file of marked text, uses
// the addresses of files, rightly and wrongly, and returns their tokens.
func (l *leak) knowledge() []string {
	t, env := l.s.T, l.s
	t.Helper()
	var u redline.UploadURLResult
	require.NoError(t, json.Unmarshal(l.twice(env.Keyed, client.UploadAddress, map[string]any{
		"mimeType": kit.PlainText, "fileSize": 20, "fileName": kit.Mark + ".txt",
	}), &u))
	for size, want := range map[int]int{10: http.StatusBadRequest, 20: http.StatusOK} {
		code, text := kit.Put(t, u.UploadURL+"?query="+kit.Mark, kit.PlainText, strings.NewReader(strings.Repeat("x", size)))
		require.Equal(t, want, code, text)
	}
	var done redline.IngestResult
	require.NoError(t, json.Unmarshal(l.twice(env.Keyed, client.Ingest, map[string]any{
		"source": "inline", "file": kit.InlineFile([]byte("A text that says "+kit.Mark+" and no more."), kit.PlainText),
	}), &done))
	files := kit.BroughtIn(env, done.SourceID, "completed")
	l.twice(env.Keyed, client.IngestStatus, map[string]any{"sourceId": done.SourceID})
	l.twice(env.Keyed, client.SearchKnowledge, map[string]any{"query": kit.Mark, "limit": 5})
	tokens := []string{}
	for _, address := range []string{u.UploadURL, files.OriginalDownloadURL, files.CanonicalMdDownloadURL} {
		_, token, found := strings.Cut(address, "/v2/memory/files/")
		require.True(t, found, address)
		l.called["/v2/memory/files/{token}"] = true
		tokens = append(tokens, token)
		kit.Get(t, address, "")
	}
	l.twice(env.Keyed, client.UpdateKnowledge, map[string]any{"sourceId": done.SourceID, "newContent": "A text that must say " + kit.Mark + "."})
	l.sources(done.SourceID)
	return tokens
}

// sources calls the operations on a source that there is, and deletes it.
func (l *leak) sources(sourceID string) {
	env, named := l.s, map[string]any{"sourceId": sourceID}
	env.T.Helper()
	l.twice(env.Keyed, client.ListSources, map[string]any{"organizationId": kit.Mark, "pageSize": 5})
	l.twice(env.Keyed, client.ListRules, named)
	l.twice(env.Keyed, client.ReadText, named)
	l.twice(env.Keyed, client.DeleteSource, named)
	failed := kit.Ingest(env, " ")
	kit.BroughtIn(env, failed, "failed")
	l.twice(env.Keyed, client.RetrySource, map[string]any{"sourceId": failed})
}

// collaboration calls the operations on people, comments and judgments with
// marked names and texts.
func (l *leak) collaboration() {
	env := l.s
	env.T.Helper()
	person := map[string]any{"userId": "ann", "name": kit.Mark, "email": kit.Mark + "@example.com"}
	l.twice(env.Keyed, client.GetSettings, map[string]any{})
	l.twice(env.Keyed, client.UpdateSettings, map[string]any{"requireAutoOrgUser": false})
	l.twice(env.Keyed, client.AddUsers, map[string]any{"organizationId": "acme", "createOrganization": true, "users": []any{person}})
	l.twice(env.Keyed, client.UpdateUsers, map[string]any{"organizationId": "acme", "users": []any{person}})
	l.groups()
	l.twice(env.Keyed, client.AddAnnotations, kit.Made("leaks", kit.Annotated("a1", kit.Wrote("ann", kit.Mark, map[string]any{"commentId": 1}))))
	l.twice(env.Keyed, client.AddComments, kit.Doc("leaks", map[string]any{"annotationId": "a1", "commentData": []any{kit.Wrote("ann", kit.Mark, map[string]any{"commentId": 2})}}))
	l.twice(env.Keyed, client.UpdateComments, kit.Doc("leaks", map[string]any{
		"annotationId": "a1", "commentIds": []int{1}, "updatedData": map[string]any{"commentText": "edited " + kit.Mark}, "actionUser": person,
	}))
	l.twice(env.Keyed, kit.GetAnnotations, kit.Doc("leaks"))
	l.twice(env.Keyed, client.ReadAnnotations, kit.Doc("leaks", map[string]any{"userId": kit.Mark, "annotationIds": []string{"a1", kit.Mark}}))
	l.twice(env.Keyed, kit.FindAnnotations, kit.Doc("leaks", map[string]any{"mentionedUserIds": []string{kit.Mark}, "viewerUserId": kit.Mark}))
	l.twice(env.Keyed, kit.GetComments, kit.Doc("leaks", map[string]any{"annotationId": "a1"}))
	l.twice(env.Keyed, kit.GetWholeComments, kit.Doc("leaks", map[string]any{"annotationId": "a1", "viewerUserId": kit.Mark}))
	l.notices(person)
	l.twice(env.Keyed, client.AddNotification, kit.Doc("leaks", map[string]any{
		"actionUser": person, "notifyUsers": []any{map[string]any{"userId": "bob", "name": kit.Mark}}, "displayHeadlineMessageTemplate": kit.Mark + "{x}",
		"displayHeadlineMessageTemplateData": map[string]any{"x": kit.Mark}, "displayBodyMessage": kit.Mark, "metadata": map[string]any{kit.Mark: kit.Mark},
	}))
	l.tokens(person)
	l.counts()
	for _, operation := range []string{kit.CountNotes, kit.CountAgain} {
		l.twice(env.Keyed, operation, map[string]any{"organizationId": "acme", "documentIds": []string{"leaks"}, "userId": "ann"})
	}
	l.twice(env.Keyed, client.UpdateAnnotations, kit.Doc("leaks", map[string]any{
		"annotationIds": []string{"a1"}, "actionUser": person, "triggerNotification": true, "triggerActivities": true,
		"updatedData": map[string]any{"context": map[string]any{"n": kit.Mark}, "assignedTo": person, "statusUpdatedByUserId": kit.Mark, "targetElement": map[string]any{"targetText": kit.Mark}},
		"updateUsers": []any{map[string]any{"oldUser": map[string]any{"userId": kit.Mark}, "newUser": person}},
	}))
	l.twice(env.Keyed, client.DeleteComments, kit.Doc("leaks", map[string]any{"annotationId": "a1", "actionUser": person, "triggerActivities": true}))
	l.twice(env.Keyed, client.DeleteAnnotations, kit.Doc("leaks", map[string]any{"locationIds": []string{kit.Mark}, "agentId": kit.Mark, "actionUser": person}))
	l.twice(env.Keyed, client.ActivitiesAdd, kit.Doc("leaks", map[string]any{"activities": []any{kit.Activity("ann", kit.Mark, map[string]any{
		"actionUser": person, "actionType": kit.Mark, "entityData": map[string]any{kit.Mark: kit.Mark}, "displayMessageTemplate": kit.Mark + "{{actionUser.name}}",
	})}}))
	l.twice(env.Keyed, client.GetActivities, kit.Doc("leaks", map[string]any{"targetEntityId": kit.Mark, "viewerUserId": "ann"}))
	changed := map[string]any{"id": kit.Mark, "actionIcon": kit.Mark}
	l.twice(env.Keyed, client.UpdateActivities, kit.InAcme(map[string]any{"activities": []any{changed}}))
	l.twice(env.Keyed, client.DeleteActivities, kit.Doc("leaks", map[string]any{"targetEntityId": kit.Mark, "activityIds": []string{kit.Mark}}))
	l.judgments()
	l.twice(env.Keyed, client.GetPatterns, map[string]any{})
	l.alerts()
	l.folders()
	l.documents()
	l.twice(env.Keyed, client.DeleteUsers, map[string]any{"organizationId": "acme", "userIds": []string{"ann"}})
}

// tokens calls the operations on tokens that say who a user is.
func (l *leak) tokens(person map[string]any) {
	keyed := l.s.Keyed
	l.s.T.Helper()
	said := map[string]any{"name": person["name"], "email": person["email"]}
	answer := l.twice(keyed, client.GenerateToken, map[string]any{"userId": kit.Mark, "userProperties": said})
	var made struct{ Data struct{ Token string } }
	require.NoError(l.s.T, json.Unmarshal(answer, &made))
	l.twice(keyed, client.VerifyToken, map[string]any{"token": made.Data.Token})
	l.invitations(person, made.Data.Token)
}

// invitations calls the operations on invitations, with marked names and a token.
func (l *leak) invitations(person map[string]any, token string) {
	keyed := l.s.Keyed
	l.s.T.Helper()
	invited := kit.AcmeWith("email", person["email"], map[string]any{"type": "org_user"})
	l.twice(keyed, client.AddInvitation, kit.With(invited, map[string]any{"invitedBy": person, "organizationName": kit.Mark}))
	l.twice(keyed, client.GetInvitations, kit.AcmeWith("email", person["email"]))
	l.twice(keyed, client.GetInvitationsOf, kit.AcmeWith("email", person["email"]))
	l.twice(keyed, client.CountInvitations, kit.AcmeWith("type", "org_user"))
	l.twice(keyed, client.RespondInvitation, kit.With(invited, map[string]any{"status": "ACCEPTED", "user": map[string]any{"userId": kit.Mark}, "authToken": token}))
}

// counts calls the operations that count, and those that switch access off and on.
func (l *leak) counts() {
	keyed := l.s.Keyed
	l.s.T.Helper()
	filter := map[string]any{"key": kit.Mark, "operator": "==", "value": kit.Mark}
	l.twice(keyed, client.CountDocuments, kit.AcmeWith("filters", []any{filter}))
	l.twice(keyed, client.CountUsers, kit.AcmeWith("userId", kit.Mark))
	l.twice(keyed, client.GetDocumentUsers, kit.AcmeWith("userIds", []string{kit.Mark}))
	l.twice(keyed, client.DisableDocuments, kit.AcmeWith("documentIds", []string{"leaks"}, map[string]any{"disabled": false}))
	l.twice(keyed, client.DisableOrganizations, map[string]any{"organizationIds": []string{"acme"}, "disabled": false})
}

// groups calls the operations on user groups, with marked names.
func (l *leak) groups() {
	keyed := l.s.Keyed
	l.s.T.Helper()
	l.twice(keyed, client.AddGroups, kit.AcmeWith("organizationUserGroups", []any{map[string]any{"groupId": "g", "groupName": kit.Mark}}))
	l.twice(keyed, client.GetGroups, kit.AcmeWith("groupIds", []string{"g", kit.Mark}))
	l.twice(keyed, client.AddGroupUsers, kit.InGroup("g", "ann", kit.Mark))
	l.twice(keyed, client.GetUsers, kit.AcmeWith("userIds", []string{"ann", kit.Mark}, map[string]any{"organizationUserGroupIds": []string{"g", kit.Mark}}))
	l.twice(keyed, client.DeleteGroupUsers, kit.InGroup("g", "ann", kit.Mark))
	l.twice(keyed, client.DeleteGroups, kit.AcmeWith("groupIds", []string{"g", kit.Mark}))
}

// alerts calls the operations on alerts, and on what is set for activities and notifications.
func (l *leak) alerts() {
	keyed := l.s.Keyed
	l.s.T.Helper()
	l.twice(keyed, client.ListAlerts, map[string]any{"organizationId": kit.Mark})
	l.twice(keyed, client.TriggerConsolidation, map[string]any{})
	for _, settle := range []string{client.DismissAlert, client.ActOnAlert} {
		l.called[kit.PathOf(settle)] = true
		l.refuse(keyed, settle, map[string]any{"alertId": kit.Mark})
	}
	l.twice(keyed, client.GetAlertConfig, map[string]any{})
	l.twice(keyed, client.UpdateAlertConfig, map[string]any{"config": map[string]any{"enabled": true}})
	l.twice(keyed, client.GetActivitySettings, map[string]any{})
	l.twice(keyed, client.UpdateActivitySettings, map[string]any{"activityServiceConfig": map[string]any{"isEnabled": true}})
	l.twice(keyed, client.GetNotificationSettings, map[string]any{})
	l.twice(keyed, client.UpdateNotificationSettings, map[string]any{"useNotificationService": true})
	l.twice(keyed, client.GetSimpleReceiver, map[string]any{})
	l.twice(keyed, client.UpdateSimpleReceiver, map[string]any{"webhookServiceConfig": map[string]any{
		"rawNotificationUrl": "https://hooks.example.com/a?k=" + kit.Mark, "authToken": kit.Mark,
	}})
}

// judgments calls the operations on judgments, with marked texts.
func (l *leak) judgments() {
	keyed := l.s.Keyed
	l.s.T.Helper()
	l.twice(keyed, client.RecordJudgments, kit.Verdict("ann", kit.Mark, map[string]any{
		"recordId": "leaky", "reasoning": kit.Mark, "content": kit.Mark, "contentType": kit.Mark, "category": kit.Mark, "organizationId": "acme",
		"actionUser": map[string]any{"userId": "ann", "name": kit.Mark, "email": kit.Mark + "@example.com"},
		"judgeType":  "agent", "agent": map[string]any{"agentName": kit.Mark, "agentFields": map[string]any{kit.Mark: kit.Mark}},
	}))
	l.twice(keyed, client.QueryJudgments, map[string]any{"organizationId": "acme"})
	l.twice(keyed, client.AskQuestion, map[string]any{"question": kit.Mark, "organizationId": "acme", "filters": map[string]any{"reviewerId": kit.Mark}})
	l.twice(keyed, client.SuggestDecision, map[string]any{"query": kit.Mark, "organizationId": "acme"})
	l.twice(keyed, client.SearchJudgments, map[string]any{
		"query": kit.Mark, "organizationId": "acme", "recencyDays": 1, "filters": map[string]any{"contentType": kit.Mark, "dateRange": map[string]any{"start": "2026-01-01"}},
	})
	l.refuse(keyed, client.SearchJudgments, map[string]any{"query": kit.Mark, "filters": map[string]any{"dateRange": map[string]any{"start": kit.Mark}}})
	l.twice(keyed, client.GetStats, map[string]any{})
	l.twice(keyed, client.GetProfile, map[string]any{"targetUserId": "ann"})
	l.twice(keyed, client.DeleteJudgments, map[string]any{"recordIds": []string{"leaky", kit.Mark}})
}

// documents calls the operations on organizations and documents, with marked names.
func (l *leak) documents() {
	keyed := l.s.Keyed
	l.s.T.Helper()
	in := func(more map[string]any) map[string]any {
		all := map[string]any{"organizationId": "leaky"}
		maps.Copy(all, more)
		return all
	}
	marked := map[string]any{"documents": []any{map[string]any{"documentId": "d", "documentName": kit.Mark}}}
	named := map[string]any{"documentIds": []string{"d"}}
	l.twice(keyed, client.AddOrganizations, kit.Organization("leaky", map[string]any{"organizationName": kit.Mark}))
	l.twice(keyed, client.UpdateOrganizations, kit.Organization("leaky", map[string]any{"organizationName": kit.Mark}))
	l.twice(keyed, client.GetOrganizations, map[string]any{"organizationIds": []string{"leaky"}})
	l.twice(keyed, client.AddDocuments, in(marked))
	l.twice(keyed, client.UpdateDocuments, in(marked))
	l.twice(keyed, client.GetDocuments, in(named))
	l.twice(keyed, client.SetAccess, in(map[string]any{"documentIds": []string{"d"}, "accessType": "restricted"}))
	l.twice(keyed, client.MoveDocuments, in(map[string]any{"documentIds": []string{"d"}, "folderId": "root"}))
	var migrating struct{ Data redline.MigrationID }
	accepted := l.twice(keyed, client.Migrate, in(map[string]any{"documentId": "d", "newDocumentId": "e"}))
	require.NoError(l.s.T, json.Unmarshal(accepted, &migrating))
	l.twice(keyed, client.MigrateStatus, in(map[string]any{"migrationId": migrating.Data.MigrationID}))
	l.twice(keyed, client.GetUserData, in(map[string]any{"userId": "ann"}))
	var exporting struct{ Data struct{ JobID string } }
	l.s.Call(client.AddUsers, in(map[string]any{"users": []any{map[string]any{"userId": "ann", "name": kit.Mark}}}), nil)
	require.NoError(l.s.T, json.Unmarshal(l.twice(keyed, client.ExportUserData, in(map[string]any{"userId": "ann"})), &exporting))
	l.twice(keyed, client.ExportStatus, map[string]any{"jobId": exporting.Data.JobID})
	var erasing struct{ Data struct{ JobID string } }
	require.NoError(l.s.T, json.Unmarshal(l.twice(keyed, client.EraseUserData, map[string]any{"userIds": []string{kit.Mark}}), &erasing))
	l.twice(keyed, client.ErasureStatus, map[string]any{"jobId": erasing.Data.JobID})
	kit.PersonJobDone(l.s, client.EraseUserData, client.ErasureStatus, map[string]any{"userIds": []string{kit.Mark}}) // what follows is not erased
	l.twice(keyed, client.DeleteDocuments, in(named))
	l.twice(keyed, client.DeleteOrganizations, map[string]any{"organizationIds": []string{"leaky"}})
}

// folders calls the operations on folders and on what is granted, with marked names.
func (l *leak) folders() {
	keyed := l.s.Keyed
	l.s.T.Helper()
	marked := []any{kit.Folder("leaky", map[string]any{"folderName": kit.Mark})}
	l.twice(keyed, client.AddFolders, kit.AcmeWith("folders", marked))
	l.twice(keyed, client.UpdateFolders, kit.AcmeWith("folders", marked))
	l.twice(keyed, client.FolderAccess, kit.AcmeWith("folderIds", []string{"leaky"}, map[string]any{"accessType": "restricted"}))
	l.twice(keyed, client.AddPermissions, kit.Granting("ann", kit.Resource("folder", "leaky")))
	l.twice(keyed, client.GetPermissions, kit.AcmeWith("userIds", []string{"ann"}, map[string]any{"folderIds": []string{"leaky"}}))
	l.twice(keyed, client.RemovePermissions, kit.Removing("ann", kit.Resource("folder", "leaky")))
	l.twice(keyed, client.GetFolders, kit.AcmeWith("maxDepth", 2))
	l.twice(keyed, client.DeleteFolder, kit.AcmeWith("folderId", "leaky"))
}
