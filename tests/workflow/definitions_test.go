package workflow

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/receiver"
)

func TestUpdateDefinition_3_AnExecutionKeepsItsVersion(t *testing.T) {
	env := kit.NewWorkspace(t)
	id := kit.SignOff(env)
	r := kit.Dispatch(env, id)
	r.WaitsAt("review")
	env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 1}), nil)
	require.True(t, r.Decide("review", "ann", "approve").Recorded)
	last := r.Ends("completed")
	require.Equal(t, int64(1), last.DefinitionVersion)
	require.Len(t, kit.Steps(last, "publish"), 1, "the removed node's edges were followed")
	next := kit.Dispatch(env, id)
	require.Equal(t, int64(2), next.Ends("completed").DefinitionVersion)
}

func TestUpdateDefinition_4_and_5_TheReceiverStaysUnlessReplacedOrCleared(t *testing.T) {
	env := kit.NewWorkspace(t)
	id := kit.Unique("definition")
	hook := func(path, key string) map[string]any {
		return map[string]any{"url": env.Receiver().URL(path), "secret": key, "eventTypes": []string{"execution.completed"}}
	}
	kit.Created(env, id, map[string]any{"webhookConfig": hook("/first", kit.Secret), "tags": []string{"a"}})

	read := kit.GetDefinitionView(env, id)
	for _, name := range []string{"version", "createdAt", "updatedAt", "status", "compiled"} {
		delete(read, name)
	}
	read["ifVersion"], read["tags"] = 1, []string{"b"}
	env.Call(client.UpdateDefinition, read, nil)
	env.RefusedAs("FAILED_PRECONDITION", client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 1, "webhookConfig": hook("/late", "another-secret-of-16")}))
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 2, "webhookConfig": hook("/short", "short")}))
	require.InDelta(t, 2, kit.GetDefinitionView(env, id)["version"], 0, "a failed update leaves the version")
	require.Equal(t, []any{"b"}, kit.GetDefinitionView(env, id)["tags"])
	kit.Dispatch(env, id).Ends("completed")
	got := env.Arrived("/first", receiver.Count(1))
	require.NoError(t, receiver.Verify(got[0], kit.Secret), "the secret was kept")

	env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 2, "webhookConfig": hook("/second", "another-secret-of-16")}), nil)
	kit.Dispatch(env, id).Ends("completed")
	got = env.Arrived("/second", receiver.Count(1))
	require.NoError(t, receiver.Verify(got[0], "another-secret-of-16"))
	require.Nil(t, kit.GetDefinitionView(env, id)["tags"], "what is left out is unset")

	env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 3, "webhookConfig": nil}), nil)
	quiet := kit.Dispatch(env, id)
	quiet.Ends("completed")
	require.Empty(t, kit.EveryPage[redline.Delivery](env, client.GetDeliveries, map[string]any{"executionId": quiet.ID}),
		"deliveries are queued with their events: a cleared receiver is told nothing")
	require.Len(t, env.Receiver().Requests("/first"), 1)
}

func TestGetDefinition_1_ByteForByte(t *testing.T) {
	env := kit.NewWorkspace(t)
	id := kit.Unique("definition")
	nodes := `[ {"type":"agent", "config":{"agentId":"\u005f_mock__"},"nodeId":"a"},
		{"nodeId":"b","name":"B & <C> €","type":"agent","config":{ "agentId":"__mock__" }} ]`
	edges := `[{"to":"b" ,"from":{"nodeId":"a","kind":"node"},"on":"custom","when":"{\"op\":\"eq\",\"args\":[{\"var\":\"execution.input.n\"},9007199254740993]}"}]`
	custom := `{"big":9007199254740993,"exact":1.2300,"wide":1E+2,"deep":{"z":[ null,true ],"a":"<é\u00e9>"}}`
	data := `{"definitionId":"` + id + `","name":"Exact","edges":` + edges + `,"custom":` + custom + `,"nodes":` + nodes + `}`
	for _, answer := range []string{
		kit.Raw(env, client.CreateDefinition, data), kit.Raw(env, client.GetDefinition, `{"definitionId":"`+id+`","organizationId":7,"documentId":null}`),
		kit.Raw(env, client.ListDefinitions, `{}`), kit.Raw(env, client.GetVersion, `{"definitionId":"`+id+`","version":1}`),
	} {
		require.Contains(t, answer, `"nodes":`+nodes)
		require.Contains(t, answer, `"edges":`+edges)
		require.Contains(t, answer, `"custom":`+custom)
	}
	exact := kit.Dispatch(env, id, kit.Input(json.RawMessage(`{"n":9007199254740993}`)))
	require.Len(t, kit.Steps(exact.Ends("completed"), "b"), 1)
	rounded := kit.Dispatch(env, id, kit.Input(json.RawMessage(`{"n":9007199254740992}`)))
	require.Empty(t, kit.Steps(rounded.Ends("completed"), "b"))
}
