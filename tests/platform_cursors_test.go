package tests

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
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
	s := begin(t)
	stranger := s.elsewhere()
	definition := unique("definition")
	own, foreign := s.longLists(definition), stranger.longLists(definition)
	for i, list := range own {
		token := s.nextOf(list)
		with := func(data map[string]any) map[string]any {
			data = maps.Clone(data)
			data[list.asks] = token
			return data
		}
		_, err := client.Call[json.RawMessage](s.ctx, s.anybody(), list.operation, with(list.data))
		require.NoError(t, err, list.operation)
		_, err = client.Call[json.RawMessage](stranger.ctx, stranger.anybody(), list.operation, with(foreign[i].data))
		failure := client.Refusal(err)
		require.NotNil(t, failure, "%s: %v", list.operation, err)
		require.Equal(t, "INVALID_ARGUMENT", failure.Status, list.operation)
		require.Equal(t, []string{list.asks}, failure.Issues[0].Path, list.operation)
	}
}

// anybody is a session with the credentials of the workspace and of its key.
func (s *scene) anybody() *client.Session {
	headers := maps.Clone(s.owner.Headers)
	maps.Copy(headers, s.keyed.Headers)
	return s.keyed.With(headers)
}

// nextOf reads the first page of a list and gives the token of the next.
func (s *scene) nextOf(list walked) string {
	s.t.Helper()
	raw, err := client.Call[json.RawMessage](s.ctx, s.anybody(), list.operation, list.data)
	require.NoError(s.t, err, list.operation)
	var page map[string]json.RawMessage
	require.NoError(s.t, json.Unmarshal(raw, &page))
	if data, wrapped := page["data"]; wrapped && page[list.answers] == nil {
		require.NoError(s.t, json.Unmarshal(data, &page))
	}
	var token string
	require.NoError(s.t, json.Unmarshal(page[list.answers], &token), "%s: %s", list.operation, raw)
	require.NotEmpty(s.t, token, list.operation)
	return token
}

// longLists makes two of everything and gives the lists of them.
func (s *scene) longLists(definition string) []walked {
	s.t.Helper()
	s.hooked()
	desk := s.endpointAt("/told", map[string]any{"uid": "desk"})
	s.endpointAt("/told", map[string]any{"uid": "other desk"})
	for n := range 2 {
		s.try(desk.ID, "webhook.test")
		s.attempted(of(desk.ID), n+1)
	}
	s.newKey(nil)
	s.register("one")
	s.register("other")
	s.ingest("one")
	s.ingest("two")
	d := client.Definition{
		DefinitionID: definition, Name: "Sign-off", Nodes: []client.Node{client.Human("review", "ann"), client.Mock("end")},
		Edges: client.Both("review", "end"),
	}
	s.create(d)
	s.call("workflow/definitions/update", struct {
		client.Definition
		IfVersion int `json:"ifVersion"`
	}{d, 1}, nil)
	s.signOff()
	for range 2 {
		s.reviewed(definition, "approve", "", at("acme", "d"))
		s.dispatch(definition).waitsAt("review")
	}
	s.folders("a", "b")
	r := s.dispatch(definition, s.withReceiver("/events"))
	r.waitsAt("review")
	r.delivered()
	one := func(more map[string]any) map[string]any {
		data := map[string]any{"pageSize": 1}
		maps.Copy(data, more)
		return data
	}
	return []walked{
		{listAgents, one(nil), "cursor", "nextCursor"},
		{listDefinitions, one(nil), "cursor", "nextCursor"},
		{listVersions, one(map[string]any{"definitionId": definition}), "cursor", "nextCursor"},
		{listExecutions, one(map[string]any{"definitionId": definition}), "cursor", "nextCursor"},
		{"workflow/executions/getDeliveries", one(map[string]any{"executionId": r.id}), "cursor", "nextCursor"},
		{"workflow/steps/list", one(map[string]any{"reviewerId": "ann"}), "cursor", "nextCursor"},
		{listSources, one(nil), "cursor", "nextCursor"},
		{"memory/judgments/query", map[string]any{"limit": 1, "organizationId": "acme"}, "cursor", "nextCursor"},
		{listKeys, one(nil), "pageToken", "nextPageToken"},
		{getFolders, one(map[string]any{"organizationId": "acme"}), "pageToken", "nextPageToken"},
		{listEndpoints, map[string]any{"limit": 1}, "iterator", "iterator"},
		{getAttempts, map[string]any{"limit": 1, "endpointId": "desk"}, "iterator", "iterator"},
		{getMessages, map[string]any{"limit": 1, "endpointId": "desk"}, "iterator", "iterator"},
	}
}
