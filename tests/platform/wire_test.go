package platform

import (
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

func TestHeadersOfAnswers(t *testing.T) {
	env := kit.NewWorkspace(t)
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
	env := kit.NewWorkspace(t)
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

func TestCursorsOfEveryListAreBoundToTheirWorkspace(t *testing.T) {
	env := kit.NewWorkspace(t)
	stranger := kit.Elsewhere(env)
	for range 2 {
		kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/events"))
	}
	r := kit.Dispatch(env, kit.SignOff(env), kit.WithReceiver(env, "/events"))
	r.WaitsAt("review")
	kit.RequireEventually(t, "three people are asked", func() bool { return len(kit.Inbox(env, "ann")) == 3 })
	for operation, data := range map[string]map[string]any{
		client.ListExecutions: {}, client.ListSteps: {}, client.ListDefinitions: {},
	} {
		data["pageSize"] = 1
		var page client.Page[json.RawMessage]
		env.Call(operation, data, &page)
		require.True(t, page.HasMore, operation)
		data["cursor"] = *page.NextCursor
		assert.Equal(t, redline.ProblemStatusInvalidArgument, stranger.Refused(operation, data).Status, operation)
		data["cursor"] = *page.NextCursor + "x"
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(operation, data).Status, operation)
		data["cursor"] = fmt.Sprintf("%064d", 0)
		assert.Equal(t, redline.ProblemStatusInvalidArgument, env.Refused(operation, data).Status, operation)
	}
}
