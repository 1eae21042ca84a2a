package tests

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

const (
	createDefinition = "workflow/definitions/create"
	updateDefinition = "workflow/definitions/update"
	getDefinition    = "workflow/definitions/get"
	listDefinitions  = "workflow/definitions/list"
	deleteDefinition = "workflow/definitions/delete"
	lintDefinition   = "workflow/definitions/lint"
	listVersions     = "workflow/definitions/versions/list"
	getVersion       = "workflow/definitions/versions/get"
)

// view is a whole DefinitionView as JSON objects are read.
type view = map[string]any

// lintResult is the answer of definitions/lint.
type lintResult struct {
	Valid    bool            `json:"valid"`
	Issues   []client.Issue  `json:"issues"`
	Warnings []client.Issue  `json:"warnings"`
	Compiled json.RawMessage `json:"compiled"`
}

// simple is a definition of one step, with more keys.
func simple(id string, more map[string]any) map[string]any {
	data := map[string]any{"definitionId": id, "name": "Simple", "nodes": []client.Node{client.Mock("only")}, "edges": []any{}}
	maps.Copy(data, more)
	return data
}

// created creates it.
func (s *scene) created(id string, more map[string]any) view {
	s.t.Helper()
	var made view
	s.call(createDefinition, simple(id, more), &made)
	return made
}

// raw posts data as text and gives the answer's text, which has to be a result.
func (s *scene) raw(operation, data string) string {
	s.t.Helper()
	reply, err := s.keyed.Send(s.ctx, "/v2/"+operation, []byte(`{"data":`+data+`}`), nil)
	require.NoError(s.t, err)
	require.Equal(s.t, http.StatusOK, reply.HTTP, "%s", reply.Body)
	return string(reply.Body)
}

// found gives issues as "code at a.b.c".
func found(issues []client.Issue) []string {
	list := []string{}
	for _, issue := range issues {
		list = append(list, issue.Code+" at "+strings.Join(issue.Path, "."))
	}
	return list
}

// got is definitions/get.
func (s *scene) got(id string) view {
	s.t.Helper()
	var read view
	s.call(getDefinition, map[string]any{"definitionId": id}, &read)
	return read
}

func TestUpdateDefinition_3_AnExecutionKeepsItsVersion(t *testing.T) {
	s := begin(t)
	id := s.signOff()
	r := s.dispatch(id)
	r.waitsAt("review")
	s.call(updateDefinition, simple(id, map[string]any{"ifVersion": 1}), nil)
	require.True(t, r.decide("review", "ann", "approve").Recorded)
	last := r.ends("completed")
	require.Equal(t, 1, last.DefinitionVersion)
	require.Len(t, steps(last, "publish"), 1, "the removed node's edges were followed")
	next := s.dispatch(id)
	require.Equal(t, 2, next.ends("completed").DefinitionVersion)
}

func TestUpdateDefinition_4_and_5_TheReceiverStaysUnlessReplacedOrCleared(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	hook := func(path, key string) map[string]any {
		return map[string]any{"url": s.receiver().URL(path), "secret": key, "eventTypes": []string{"execution.completed"}}
	}
	s.created(id, map[string]any{"webhookConfig": hook("/first", secret), "tags": []string{"a"}})

	read := s.got(id)
	for _, name := range []string{"version", "createdAt", "updatedAt", "status", "compiled"} {
		delete(read, name)
	}
	read["ifVersion"], read["tags"] = 1, []string{"b"}
	s.call(updateDefinition, read, nil)
	s.refusedAs("FAILED_PRECONDITION", updateDefinition, simple(id, map[string]any{"ifVersion": 1, "webhookConfig": hook("/late", "another-secret-of-16")}))
	s.refusedAs("INVALID_ARGUMENT", updateDefinition, simple(id, map[string]any{"ifVersion": 2, "webhookConfig": hook("/short", "short")}))
	require.InDelta(t, 2, s.got(id)["version"], 0, "a failed update leaves the version")
	require.Equal(t, []any{"b"}, s.got(id)["tags"])
	s.dispatch(id).ends("completed")
	got := s.arrived("/first", receiver.Count(1))
	require.NoError(t, receiver.Verify(got[0], secret), "the secret was kept")

	s.call(updateDefinition, simple(id, map[string]any{"ifVersion": 2, "webhookConfig": hook("/second", "another-secret-of-16")}), nil)
	s.dispatch(id).ends("completed")
	got = s.arrived("/second", receiver.Count(1))
	require.NoError(t, receiver.Verify(got[0], "another-secret-of-16"))
	require.Nil(t, s.got(id)["tags"], "what is left out is unset")

	s.call(updateDefinition, simple(id, map[string]any{"ifVersion": 3, "webhookConfig": nil}), nil)
	quiet := s.dispatch(id)
	quiet.ends("completed")
	require.Empty(t, everyPage[client.Delivery](s, "workflow/executions/getDeliveries", map[string]any{"executionId": quiet.id}),
		"deliveries are queued with their events: a cleared receiver is told nothing")
	require.Len(t, s.receiver().Requests("/first"), 1)
}

func TestGetDefinition_1_ByteForByte(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	nodes := `[ {"type":"agent", "config":{"agentId":"\u005f_mock__"},"nodeId":"a"},
		{"nodeId":"b","name":"B & <C> €","type":"agent","config":{ "agentId":"__mock__" }} ]`
	edges := `[{"to":"b" ,"from":{"nodeId":"a","kind":"node"},"on":"custom","when":"{\"op\":\"eq\",\"args\":[{\"var\":\"execution.input.n\"},9007199254740993]}"}]`
	custom := `{"big":9007199254740993,"exact":1.2300,"wide":1E+2,"deep":{"z":[ null,true ],"a":"<é\u00e9>"}}`
	data := `{"definitionId":"` + id + `","name":"Exact","edges":` + edges + `,"custom":` + custom + `,"nodes":` + nodes + `}`
	for _, answer := range []string{
		s.raw(createDefinition, data), s.raw(getDefinition, `{"definitionId":"`+id+`","organizationId":7,"documentId":null}`),
		s.raw(listDefinitions, `{}`), s.raw(getVersion, `{"definitionId":"`+id+`","version":1}`),
	} {
		require.Contains(t, answer, `"nodes":`+nodes)
		require.Contains(t, answer, `"edges":`+edges)
		require.Contains(t, answer, `"custom":`+custom)
	}
	exact := s.dispatch(id, input(json.RawMessage(`{"n":9007199254740993}`)))
	require.Len(t, steps(exact.ends("completed"), "b"), 1)
	rounded := s.dispatch(id, input(json.RawMessage(`{"n":9007199254740992}`)))
	require.Empty(t, steps(rounded.ends("completed"), "b"))
}
