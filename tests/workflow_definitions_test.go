package tests

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
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

func TestCreateDefinition_1_FiftyOfOneIDAtOnce(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	var made, refused atomic.Int32
	together(50, func(int) {
		_, err := client.Call[view](s.ctx, s.keyed, createDefinition, simple(id, nil))
		if err == nil {
			made.Add(1)
			return
		}
		if failure := client.Refusal(err); assert.NotNil(t, failure) && assert.Equal(t, "ALREADY_EXISTS", failure.Status) {
			assert.Equal(t, http.StatusConflict, failure.HTTP)
			refused.Add(1)
		}
	})
	require.Equal(t, []int32{1, 49}, []int32{made.Load(), refused.Load()})
	require.InDelta(t, 1, s.got(id)["version"], 0)
}

// got is definitions/get.
func (s *scene) got(id string) view {
	s.t.Helper()
	var read view
	s.call(getDefinition, map[string]any{"definitionId": id}, &read)
	return read
}

func TestCreateDefinition_2_FiveFaultsInShapeAndGraph(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	data := map[string]any{
		"definitionId": id, "name": "", "surprise": 1,
		"nodes": []any{client.Human("review", "ann"), client.Hook("call", "https://127.0.0.1/x")},
		"edges": []any{map[string]any{"from": "review", "to": "nowhere", "on": "custom", "when": "{"}},
	}
	failure := s.refusedAs("INVALID_ARGUMENT", createDefinition, data)
	require.ElementsMatch(t, []string{
		"length at name", "unknown-key at surprise", "APPROVAL_HUMAN_NODE_REQUIRES_REJECT_PATH at nodes.0",
		"address-refused at nodes.1.config.url", "dangling-edge at edges.0.to", "edge-when-invalid at edges.0.when",
	}, found(failure.Issues))
	s.refusedAs("NOT_FOUND", getDefinition, map[string]any{"definitionId": id})
}

func TestCreateDefinition_4_AViewIsAcceptedUnderANewID(t *testing.T) {
	s := begin(t)
	original := s.created(unique("definition"), map[string]any{"scope": map[string]any{"level": "organization", "organizationId": "o"}})
	copied := maps.Clone(original)
	for _, name := range []string{"version", "createdAt", "updatedAt", "status", "compiled"} {
		require.Contains(t, copied, name)
		delete(copied, name)
	}
	copied["definitionId"] = unique("definition")
	for _, name := range []string{"description", "groups", "triggers", "tags", "custom"} {
		require.Contains(t, copied, name)
		require.Nil(t, copied[name], "what is not set is null")
	}
	var made view
	s.call(createDefinition, copied, &made)
	require.Equal(t, original["nodes"], made["nodes"])
	require.Equal(t, original["scope"], made["scope"])
	for _, name := range []string{"version", "compiled", "status", "createdAt", "updatedAt"} {
		copied["definitionId"], copied[name] = unique("definition"), original[name]
		failure := s.refusedAs("INVALID_ARGUMENT", createDefinition, copied)
		require.Equal(t, []string{"unknown-key at " + name}, found(failure.Issues))
		delete(copied, name)
	}
}

func TestCreateDefinition_5_OneIDInTwoWorkspaces(t *testing.T) {
	s := begin(t)
	other := enter(t, shared.URL())
	id := unique("definition")
	s.created(id, map[string]any{"tags": []string{"mine"}})
	other.created(id, map[string]any{"tags": []string{"theirs"}})
	s.call(deleteDefinition, map[string]any{"definitionId": id, "purge": true}, nil)
	require.Equal(t, []any{"theirs"}, other.got(id)["tags"])
}

func TestUpdateDefinition_1_OneOfTwentyWithOneVersionWins(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	s.created(id, nil)
	var won atomic.Int32
	together(20, func(i int) {
		_, err := client.Call[view](s.ctx, s.keyed, updateDefinition, simple(id, map[string]any{"ifVersion": 1, "name": fmt.Sprint("n", i)}))
		if err == nil {
			won.Add(1)
			return
		}
		if failure := client.Refusal(err); assert.NotNil(t, failure) {
			assert.Equal(t, "FAILED_PRECONDITION", failure.Status)
			assert.Contains(t, failure.Message, "2")
			assert.Contains(t, failure.Message, "1")
		}
	})
	require.EqualValues(t, 1, won.Load())
	require.InDelta(t, 2, s.got(id)["version"], 0)
	s.refusedAs("NOT_FOUND", updateDefinition, simple(unique("definition"), map[string]any{"ifVersion": 1}))
	failure := s.refusedAs("INVALID_ARGUMENT", updateDefinition, simple(id, nil))
	require.Equal(t, []string{"required at ifVersion"}, found(failure.Issues))
}

func TestUpdateDefinition_2_DispatchAtTheSameMomentPinsOneVersionWhole(t *testing.T) {
	s := begin(t)
	id := unique("definition")
	data := func(version int) map[string]any {
		more := map[string]any{"nodes": []client.Node{client.Mock(fmt.Sprint("node-of-", version))}}
		if version > 1 {
			more["ifVersion"] = version - 1
		}
		return simple(id, more)
	}
	s.call(createDefinition, data(1), nil)
	runs := make([]*run, 60)
	together(4, func(worker int) {
		if worker == 0 {
			for version := 2; version <= 10; version++ {
				_, err := client.Call[view](s.ctx, s.keyed, updateDefinition, data(version))
				fine(t, err)
			}
			return
		}
		for i := worker - 1; i < len(runs); i += 3 {
			answer, err := s.workspace.Dispatch(s.ctx, client.Dispatch{DefinitionID: id})
			if fine(t, err) {
				runs[i] = &run{s: s, id: answer.ExecutionID}
			}
		}
	})
	for _, r := range runs {
		require.NotNil(t, r)
		read := r.view()
		require.Equal(t, fmt.Sprint("node-of-", read.DefinitionVersion), read.Steps[0].NodeID)
	}
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

func TestGetDefinition_2_and_3_NoSecretAndNoOther(t *testing.T) {
	s := begin(t)
	id, hidden := unique("definition"), unique("a-well-kept-secret")
	config := map[string]any{"url": "https://hooks.example.com/x", "secret": hidden}
	s.created(id, map[string]any{"webhookConfig": config})
	s.call(updateDefinition, simple(id, map[string]any{"ifVersion": 1}), nil)
	named := `{"definitionId":"` + id + `"}`
	for _, answer := range []string{
		s.raw(getDefinition, named), s.raw(listDefinitions, `{}`), s.raw(listVersions, named),
		s.raw(getVersion, `{"definitionId":"`+id+`","version":1}`), s.raw(getVersion, `{"definitionId":"`+id+`","version":2}`),
	} {
		require.NotContains(t, answer, hidden)
		require.NotContains(t, answer, "hooks.example.com")
		require.NotContains(t, answer, "webhookConfig")
	}
	unknown := s.refusedAs("NOT_FOUND", getDefinition, map[string]any{"definitionId": unique("definition")})
	other := enter(t, shared.URL())
	for operation, data := range map[string]map[string]any{
		getDefinition: {"definitionId": id}, deleteDefinition: {"definitionId": id, "purge": true}, listVersions: {"definitionId": id},
		getVersion: {"definitionId": id, "version": 1}, updateDefinition: simple(id, map[string]any{"ifVersion": 2}),
	} {
		failure := other.refusedAs("NOT_FOUND", operation, data)
		if operation != getVersion {
			require.Equal(t, unknown.Message, failure.Message)
		}
	}
	require.Equal(t, "NOT_FOUND", s.refused(getDefinition, map[string]any{"definitionId": "Not An Id!"}).Status)
	require.Empty(t, everyPage[view](other, listDefinitions, nil))
}
