package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestEnvelopeOfTheRequest(t *testing.T) {
	env := newWorkspace(t)
	for name, body := range map[string]string{
		"empty":                 ``,
		"no data":               `{}`,
		"data is null":          `{"data":null}`,
		"data is a list":        `{"data":[]}`,
		"data is text":          `{"data":"x"}`,
		"a list":                `[{"data":{}}]`,
		"a second value":        `{"data":{"executionId":"x"}}{"data":{}}`,
		"data twice":            `{"data":{"executionId":"x"},"data":{"executionId":"y"}}`,
		"not JSON":              `{"data":{"executionId":x}}`,
		"cut off":               `{"data":{"executionId":"x"`,
		"invalid UTF-8":         "{\"data\":{\"executionId\":\"\xff\"}}",
		"upper-case data":       `{"Data":{"executionId":"x"}}`,
		"upper-case field":      `{"data":{"ExecutionId":"x"}}`,
		"a megabyte of opening": strings.Repeat("[", kit.BodySize-10),
		"65 deep":               `{"data":{"executionId":` + strings.Repeat("[", 65) + strings.Repeat("]", 65) + `}}`,
	} {
		failure := kit.Send(t, env.Keyed, kit.GetPath, body, nil)
		if assert.NotNil(t, failure, name) {
			assert.Equal(t, http.StatusBadRequest, failure.HTTPStatus, name)
			assert.Equal(t, redline.ProblemStatusInvalidArgument, failure.Status, name)
			assert.NotEmpty(t, failure.Message, name)
		}
	}
	require.Equal(t, redline.ProblemStatusInvalidArgument, kit.Send(t, env.Keyed, kit.GetPath, `{"data":{"executionId":"x"}}`, map[string]string{"content-type": "text/plain"}).Status)
	require.Equal(t, redline.ProblemStatusNotFound, kit.Send(t, env.Keyed, kit.GetPath, ` {"data":{"executionId":"x"}} `+"\n", map[string]string{"content-type": "application/json; charset=utf-8"}).Status)
}

func TestBodiesAboveTheLimitAreReadNoFurther(t *testing.T) {
	env := newWorkspace(t)
	body := `{"data":{"executionId":"` + strings.Repeat("x", kit.BodySize) + `"}}`
	failure := kit.Send(t, env.Keyed, kit.GetPath, body, nil)
	require.Equal(t, http.StatusRequestEntityTooLarge, failure.HTTPStatus)
	require.Equal(t, redline.ProblemStatusInvalidArgument, failure.Status)

	chunked, err := env.Keyed.Do(t.Context(), http.MethodPost, kit.GetPath, struct{ *bytes.Reader }{bytes.NewReader([]byte(body))}, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusRequestEntityTooLarge, chunked.HTTP, "without a declared length too")
}

func TestAllFaultsAtOnce(t *testing.T) {
	env := newWorkspace(t)
	failure := env.RefusedAs("INVALID_ARGUMENT", client.StartExecution, map[string]any{
		"idempotencyKey": "a b", "triggerContext": 7, "webhookUrl": "https://10.0.0.1/", "webhookSecret": "short", "surplus": true,
	})
	found := map[string]string{}
	for _, issue := range failure.Issues {
		found[strings.Join(issue.Path, ".")] = issue.Code
		require.NotEmpty(t, issue.Message)
	}
	require.Equal(t, "required", found["definitionId"], "%v", found)
	require.Equal(t, "pattern", found["idempotencyKey"])
	require.Equal(t, "type", found["triggerContext"])
	require.Equal(t, "unknown-key", found["surplus"])
	require.Equal(t, "length", found["webhookSecret"])
	require.Equal(t, "address-refused", found["webhookUrl"], "what the guard refuses is told with the rest")

	nested := env.RefusedAs("INVALID_ARGUMENT", client.CreateDefinition, map[string]any{
		"definitionId": kit.Unique("d"), "name": "x", "edges": []any{},
		"nodes": []any{map[string]any{"nodeId": "n", "type": "robot", "config": map[string]any{}}},
	})
	require.Equal(t, []string{"nodes", "0", "type"}, nested.Issues[0].Path, "indices as text")
}

func TestUnknownKeysAreNamedWhereTheyAreIgnored(t *testing.T) {
	env := newWorkspace(t)
	reply, err := env.Owner.Send(t.Context(), "/v2/"+client.GetWorkspace, []byte(`{"data":{"what":1,"a,b":2}}`), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP, "%s", reply.Body)
	require.ElementsMatch(t, []string{"what", "a%2Cb"}, strings.Split(reply.Header.Get("x-svc-ignored-fields"), ","))
}

func TestUnknownKeysBesideDataAreNamedToo(t *testing.T) {
	env := newWorkspace(t)
	reply, err := env.Owner.Send(t.Context(), "/v2/"+client.GetWorkspace, []byte(`{"version":2,"data":{"what":1},"a,b":{"c":1}}`), nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, reply.HTTP, "%s", reply.Body)
	require.Equal(t, "version,a%2Cb,what", reply.Header.Get("x-svc-ignored-fields"))
	strict, err := env.Keyed.Send(t.Context(), kit.GetPath, []byte(`{"data":{"executionId":"x"},"version":2}`), nil)
	require.NoError(t, err)
	require.Equal(t, redline.ProblemStatusInvalidArgument, strict.Failure().Status)
	require.Equal(t, "unknown-key", strict.Failure().Issues[0].Code)
}

func TestCredentialsThatAreWrong(t *testing.T) {
	env := newWorkspace(t)
	other := kit.Elsewhere(env)
	w := env.Workspace
	key := func(id, token string) map[string]string {
		return map[string]string{"x-svc-api-key": id, "x-svc-auth-token": token}
	}
	workspace := func(id, token string) map[string]string {
		return map[string]string{"x-svc-workspace-id": id, "x-svc-workspace-auth-token": token}
	}
	var messages []string
	for name, headers := range map[string]map[string]string{
		"none": {}, "no token": key(w.APIKey, ""), "no key": key("", w.AuthToken), "another's token": key(w.APIKey, other.Workspace.AuthToken),
		"another's key": key(other.Workspace.APIKey, w.AuthToken), "one letter more": key(w.APIKey, w.AuthToken+"x"),
		"the level above": workspace(w.ID, w.Token), "the level above in these headers": key(w.ID, w.Token), "unknown key": key("ak_unknown", w.AuthToken),
	} {
		failure := kit.Send(t, env.Keyed.With(headers), kit.GetPath, `{"data":{"executionId":"x"}}`, nil)
		require.Equal(t, http.StatusUnauthorized, failure.HTTPStatus, name)
		require.Equal(t, redline.ProblemStatusUnauthenticated, failure.Status, name)
		messages = append(messages, failure.Message)
	}
	failure := kit.Send(t, env.Keyed, "/v2/"+client.GetWorkspace, `{"data":{}}`, nil)
	require.Equal(t, redline.ProblemStatusUnauthenticated, failure.Status, "the level below")
	for _, message := range append(messages, failure.Message) {
		require.Equal(t, messages[0], message, "one and the same message")
	}
	both := key(w.APIKey, w.AuthToken)
	both["x-svc-workspace-id"], both["x-svc-workspace-auth-token"] = "ws_x", "wrong"
	require.Equal(t, redline.ProblemStatusNotFound, kit.Send(t, env.Keyed.With(both), kit.GetPath, `{"data":{"executionId":"x"}}`, nil).Status, "only the operation's own pair counts")
	require.Equal(t, redline.ProblemStatusUnauthenticated, kit.Send(t, env.Keyed.With(nil), kit.GetPath, `not even JSON`, nil).Status, "credentials are judged before the body")
}

// NUL, and half of a surrogate pair, have no place in a row: they are refused
// wherever they stand, also in what nobody reads.
func TestTextsThatCannotBeKeptAreRefusedAnywhere(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	for _, odd := range []string{`\u0000`, `\ud800`, `\udc00x`} {
		for path, data := range map[string]string{
			"/v2/" + client.AddUsers:         `{"organizationId":"acme","users":[{"userId":"ann"}],"unread":{"a":["` + odd + `"]}}`,
			"/v2/" + client.AddOrganizations: `{"organizations":[{"organizationId":"acme","own":{"a":["` + odd + `"]}}]}`,
			"/v2/" + client.AddDocuments: `{"organizationId":"acme","createOrganization":true,` +
				`"documents":[{"documentId":"d","unread` + odd + `":1}]}`,
			"/v2/" + client.UpdateUsers: `{"organizationId":"acme","users":[{"userId":"ann","own":"` + odd + `"}]}`,
			"/v2/" + client.DeleteUsers: `{"organizationId":"acme","userIds":["ann"],"unread` + odd + `":1}`,
			"/v2/" + client.AddAnnotations: `{"organizationId":"acme","documentId":"d","createOrganization":true,"createDocument":true,` +
				`"commentAnnotations":[{"commentData":[{"commentText":"a","from":{"userId":"ann"},"unread":"` + odd + `"}]}]}`,
			kit.GetAnnotations:              `{"organizationId":"acme","documentId":"d","unread":"` + odd + `"}`,
			kit.GetComments:                 `{"organizationId":"acme","documentId":"d","annotationId":"` + odd + `"}`,
			kit.CountNotes:                  `{"organizationId":"acme","documentIds":["d"],"userId":"ann","statusIds":["` + odd + `"]}`,
			"/v2/" + client.AddFolders:      `{"organizationId":"acme","createOrganization":true,"folders":[{"folderId":"f","folderName":"` + odd + `"}]}`,
			"/v2/" + client.AddPermissions:  `{"user":{"userId":"ann` + odd + `"},"permissions":{"resources":[{"type":"organization","id":"acme"}]}}`,
			"/v2/" + client.CreateEndpoint:  `{"url":"` + kit.Somewhere + `","metadata":{"a` + odd + `":"x"}}`,
			"/v2/" + client.AskQuestion:     `{"question":"` + odd + `"}`,
			"/v2/" + client.QueryJudgments:  `{"contentType":"` + odd + `"}`,
			"/v2/" + client.SearchJudgments: `{"query":"x` + odd + `","recencyDays":1}`,
			"/v2/" + client.RecordJudgments: `{"decision":"approve","actionUser":{"userId":"bot"},"judgeType":"agent",` +
				`"agent":{"agentId":"a","agentFields":{"x":["` + odd + `"]}}}`,
		} {
			failure := kit.Send(t, env.Keyed, path, `{"data":`+data+`}`, nil)
			if assert.NotNil(t, failure, "%s %s", path, odd) {
				assert.Equal(t, redline.ProblemStatusInvalidArgument, failure.Status, "%s %s", path, odd)
			}
		}
	}
	require.Equal(t, [2]int{}, kit.Counts(env, "ann", "d")["d"])
	require.Nil(t, kit.Send(t, env.Keyed, kit.GetAnnotations, `{"data":{"organizationId":"acme","documentId":"d","unread":"\ufffd \ud83d\ude00"}}`, nil))
	for _, beside := range []string{`"unread%s":1`, `"unread":["%s"]`, `"unread":{"a":{"%s":1}}`} {
		const asked = `{"data":{"organizationId":"acme","documentId":"d"},` + "%s}"
		for _, odd := range []string{`\u0000`, `\ud800`, `\udc00x`} {
			text := fmt.Sprintf(asked, fmt.Sprintf(beside, odd))
			failure := kit.Send(t, env.Keyed, kit.GetAnnotations, text, nil)
			if assert.NotNil(t, failure, text) {
				assert.Equal(t, redline.ProblemStatusInvalidArgument, failure.Status, text)
			}
		}
		require.Nil(t, kit.Send(t, env.Keyed, kit.GetAnnotations, fmt.Sprintf(asked, fmt.Sprintf(beside, `\ufffd`)), nil))
	}
}

func TestHeadersOfAnswers(t *testing.T) {
	env := newWorkspace(t)
	body := []byte(`{"data":{"executionId":"x"}}`)
	for given, kept := range map[string]bool{"my.request-1_A": true, "": false, "with space": false, strings.Repeat("a", 65): false} {
		reply, err := env.Keyed.Send(t.Context(), kit.GetPath, body, map[string]string{"x-request-id": given})
		require.NoError(t, err)
		id := reply.Header.Get("x-request-id")
		require.NotEmpty(t, id)
		require.Equal(t, kept, id == given, "%q became %q", given, id)
		require.Equal(t, "no-store", reply.Header.Get("cache-control"))
		require.Equal(t, "nosniff", reply.Header.Get("x-content-type-options"))
	}
}

func TestPathsAndMethodsThatDoNotExist(t *testing.T) {
	env := newWorkspace(t)
	for _, tried := range []struct{ method, path string }{
		{http.MethodPost, "/v2/workflow/executions/nothing"},
		{http.MethodPost, "/v3/workflow/executions/get"},
		{http.MethodPost, "/"},
		{http.MethodGet, kit.GetPath},
		{http.MethodPut, kit.GetPath},
		{http.MethodOptions, kit.GetPath},
		{http.MethodPost, kit.GetPath + "/"},
		{http.MethodPost, "/V2/workflow/executions/get"},
		{http.MethodGet, "/metrics"},
		{http.MethodGet, "/healthz"},
		{http.MethodGet, "/docs"},
	} {
		reply, err := env.Keyed.Do(t.Context(), tried.method, tried.path, strings.NewReader(`{"data":{}}`), nil)
		require.NoError(t, err)
		failure := reply.Failure()
		require.NotNil(t, failure, tried)
		assert.Equal(t, http.StatusNotFound, failure.HTTPStatus, tried)
		assert.Equal(t, redline.ProblemStatusNotFound, failure.Status, tried)
	}
	document, err := env.Keyed.Do(t.Context(), http.MethodGet, "/v2/openapi.json", nil, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, document.HTTP)
	var openapi struct {
		OpenAPI string                     `json:"openapi"`
		Paths   map[string]json.RawMessage `json:"paths"`
	}
	require.NoError(t, json.Unmarshal(document.Body, &openapi))
	require.True(t, strings.HasPrefix(openapi.OpenAPI, "3.1"))
	require.Contains(t, openapi.Paths, kit.GetPath)
}
