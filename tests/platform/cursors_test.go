package platform

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// walked is a list that is read in pages: the call for a page of one, and what the
// token of the next page is called in the request and in the answer.
type walked struct {
	operation     string
	data          map[string]any
	asks, answers string
}

// TestCursorsOfOtherWorkspacesAreRefused walks every list of which a page leads to
// the next by a token: it opens that page to the workspace it was made for, and
// none to another that has a list of the same name and filters.
func TestCursorsOfOtherWorkspacesAreRefused(t *testing.T) {
	env := kit.NewWorkspace(t)
	stranger := kit.Elsewhere(env)
	definition := kit.Unique("definition")
	own, foreign := longLists(env, definition), longLists(stranger, definition)
	for i, list := range own {
		token := nextOf(env, list)
		with := func(data map[string]any) map[string]any {
			data = maps.Clone(data)
			data[list.asks] = token
			return data
		}
		_, err := client.Call[json.RawMessage](env.Ctx, anybody(env), list.operation, with(list.data))
		require.NoError(t, err, list.operation)
		_, err = client.Call[json.RawMessage](stranger.Ctx, anybody(stranger), list.operation, with(foreign[i].data))
		failure := redline.AsError(err)
		require.NotNil(t, failure, "%s: %v", list.operation, err)
		require.Equal(t, redline.ProblemStatusInvalidArgument, failure.Status, list.operation)
		require.Equal(t, []string{list.asks}, failure.Issues[0].Path, list.operation)
	}
}

// anybody is a session with the credentials of the workspace and of its key.
func anybody(env *kit.Env) *client.Session {
	headers := maps.Clone(env.Owner.Headers)
	maps.Copy(headers, env.Keyed.Headers)
	return env.Keyed.With(headers)
}

// nextOf reads the first page of a list and returns the token of the next.
func nextOf(env *kit.Env, list walked) string {
	env.T.Helper()
	raw, err := client.Call[json.RawMessage](env.Ctx, anybody(env), list.operation, list.data)
	require.NoError(env.T, err, list.operation)
	var page map[string]json.RawMessage
	require.NoError(env.T, json.Unmarshal(raw, &page))
	if data, wrapped := page["data"]; wrapped && page[list.answers] == nil {
		require.NoError(env.T, json.Unmarshal(data, &page))
	}
	var token string
	require.NoError(env.T, json.Unmarshal(page[list.answers], &token), "%s: %s", list.operation, raw)
	require.NotEmpty(env.T, token, list.operation)
	return token
}

// longLists makes two of everything and returns the lists of them.
func longLists(env *kit.Env, definition string) []walked {
	env.T.Helper()
	kit.Hooked(env)
	desk := kit.EndpointAt(env, "/told", map[string]any{"uid": "desk"})
	kit.EndpointAt(env, "/told", map[string]any{"uid": "other desk"})
	for n := range 2 {
		kit.Try(env, desk.ID, "webhook.test")
		kit.Attempted(env, kit.Of(desk.ID), n+1)
	}
	kit.NewKey(env, nil)
	kit.Register(env, "one")
	kit.Register(env, "other")
	kit.Ingest(env, "one")
	kit.Ingest(env, "two")
	d := redline.DefinitionRequest{
		DefinitionID: definition, Name: "Sign-off", Nodes: []redline.NodeInput{client.Human("review", "ann"), client.Mock("end")},
		Edges: client.Both("review", "end"),
	}
	kit.Create(env, d)
	env.Call(client.UpdateDefinition, struct {
		redline.DefinitionRequest
		IfVersion int `json:"ifVersion"`
	}{d, 1}, nil)
	kit.SignOff(env)
	for range 2 {
		kit.Reviewed(env, definition, "approve", "", kit.At("acme", "d"))
		kit.Dispatch(env, definition).WaitsAt("review")
	}
	kit.Folders(env, "a", "b")
	r := kit.Dispatch(env, definition, kit.WithReceiver(env, "/events"))
	r.WaitsAt("review")
	r.Delivered()
	one := func(more map[string]any) map[string]any {
		data := map[string]any{"pageSize": 1}
		maps.Copy(data, more)
		return data
	}
	return []walked{
		{client.ListAgents, one(nil), "cursor", "nextCursor"},
		{client.ListDefinitions, one(nil), "cursor", "nextCursor"},
		{client.ListVersions, one(map[string]any{"definitionId": definition}), "cursor", "nextCursor"},
		{client.ListExecutions, one(map[string]any{"definitionId": definition}), "cursor", "nextCursor"},
		{client.GetDeliveries, one(map[string]any{"executionId": r.ID}), "cursor", "nextCursor"},
		{client.ListSteps, one(map[string]any{"reviewerId": "ann"}), "cursor", "nextCursor"},
		{client.ListSources, one(nil), "cursor", "nextCursor"},
		{client.QueryJudgments, map[string]any{"limit": 1, "organizationId": "acme"}, "cursor", "nextCursor"},
		{client.ListKeys, one(nil), "pageToken", "nextPageToken"},
		{client.GetFolders, one(map[string]any{"organizationId": "acme"}), "pageToken", "nextPageToken"},
		{client.ListEndpoints, map[string]any{"limit": 1}, "iterator", "iterator"},
		{client.GetAttempts, map[string]any{"limit": 1, "endpointId": "desk"}, "iterator", "iterator"},
		{client.GetMessages, map[string]any{"limit": 1, "endpointId": "desk"}, "iterator", "iterator"},
	}
}
