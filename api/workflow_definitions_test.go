package api_test

import (
	"fmt"
	"maps"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestCreateDefinition_1_FiftyOfOneIDAtOnce(t *testing.T) {
	env := newWorkspace(t)
	id := kit.Unique("definition")
	var made, refused atomic.Int32
	kit.Concurrently(50, func(int) {
		_, err := client.Call[kit.View](env.Ctx, env.Keyed, client.CreateDefinition, kit.Simple(id, nil))
		if err == nil {
			made.Add(1)
			return
		}
		if failure := redline.AsError(err); assert.NotNil(t, failure) && assert.Equal(t, redline.ProblemStatusAlreadyExists, failure.Status) {
			assert.Equal(t, http.StatusConflict, failure.HTTPStatus)
			refused.Add(1)
		}
	})
	require.Equal(t, []int32{1, 49}, []int32{made.Load(), refused.Load()})
	require.InDelta(t, 1, kit.GetDefinitionView(env, id)["version"], 0)
}

func TestCreateDefinition_2_FiveFaultsInShapeAndGraph(t *testing.T) {
	env := newWorkspace(t)
	id := kit.Unique("definition")
	data := map[string]any{
		"definitionId": id, "name": "", "surprise": 1,
		"nodes": []any{client.Human("review", "ann"), client.Hook("call", "https://127.0.0.1/x")},
		"edges": []any{map[string]any{"from": "review", "to": "nowhere", "on": "custom", "when": "{"}},
	}
	failure := env.RefusedAs("INVALID_ARGUMENT", client.CreateDefinition, data)
	require.ElementsMatch(t, []string{
		"length at name", "unknown-key at surprise", "APPROVAL_HUMAN_NODE_REQUIRES_REJECT_PATH at nodes.0",
		"address-refused at nodes.1.config.url", "dangling-edge at edges.0.to", "edge-when-invalid at edges.0.when",
	}, kit.Found(failure.Issues))
	env.RefusedAs("NOT_FOUND", client.GetDefinition, map[string]any{"definitionId": id})
}

func TestCreateDefinition_4_AViewIsAcceptedUnderANewID(t *testing.T) {
	env := newWorkspace(t)
	original := kit.Created(env, kit.Unique("definition"), map[string]any{"scope": map[string]any{"level": "organization", "organizationId": "o"}})
	copied := maps.Clone(original)
	for _, name := range []string{"version", "createdAt", "updatedAt", "status", "compiled"} {
		require.Contains(t, copied, name)
		delete(copied, name)
	}
	copied["definitionId"] = kit.Unique("definition")
	for _, name := range []string{"description", "groups", "triggers", "tags", "custom"} {
		require.Contains(t, copied, name)
		require.Nil(t, copied[name], "what is not set is null")
	}
	var made kit.View
	env.Call(client.CreateDefinition, copied, &made)
	require.Equal(t, original["nodes"], made["nodes"])
	require.Equal(t, original["scope"], made["scope"])
	for _, name := range []string{"version", "compiled", "status", "createdAt", "updatedAt"} {
		copied["definitionId"], copied[name] = kit.Unique("definition"), original[name]
		failure := env.RefusedAs("INVALID_ARGUMENT", client.CreateDefinition, copied)
		require.Equal(t, []string{"unknown-key at " + name}, kit.Found(failure.Issues))
		delete(copied, name)
	}
}

func TestCreateDefinition_5_OneIDInTwoWorkspaces(t *testing.T) {
	env := newWorkspace(t)
	other := kit.Elsewhere(env)
	id := kit.Unique("definition")
	kit.Created(env, id, map[string]any{"tags": []string{"mine"}})
	kit.Created(other, id, map[string]any{"tags": []string{"theirs"}})
	env.Call(client.DeleteDefinition, map[string]any{"definitionId": id, "purge": true}, nil)
	require.Equal(t, []any{"theirs"}, kit.GetDefinitionView(other, id)["tags"])
}

func TestUpdateDefinition_1_OneOfTwentyWithOneVersionWins(t *testing.T) {
	env := newWorkspace(t)
	id := kit.Unique("definition")
	kit.Created(env, id, nil)
	var won atomic.Int32
	kit.Concurrently(20, func(i int) {
		_, err := client.Call[kit.View](env.Ctx, env.Keyed, client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 1, "name": fmt.Sprint("n", i)}))
		if err == nil {
			won.Add(1)
			return
		}
		if failure := redline.AsError(err); assert.NotNil(t, failure) {
			assert.Equal(t, redline.ProblemStatusFailedPrecondition, failure.Status)
			assert.Contains(t, failure.Message, "2")
			assert.Contains(t, failure.Message, "1")
		}
	})
	require.EqualValues(t, 1, won.Load())
	require.InDelta(t, 2, kit.GetDefinitionView(env, id)["version"], 0)
	env.RefusedAs("NOT_FOUND", client.UpdateDefinition, kit.Simple(kit.Unique("definition"), map[string]any{"ifVersion": 1}))
	failure := env.RefusedAs("INVALID_ARGUMENT", client.UpdateDefinition, kit.Simple(id, nil))
	require.Equal(t, []string{"required at ifVersion"}, kit.Found(failure.Issues))
}

func TestUpdateDefinition_2_DispatchAtTheSameMomentPinsOneVersionWhole(t *testing.T) {
	env := newWorkspace(t)
	id := kit.Unique("definition")
	data := func(version int) map[string]any {
		more := map[string]any{"nodes": []redline.NodeInput{client.Mock(fmt.Sprint("node-of-", version))}}
		if version > 1 {
			more["ifVersion"] = version - 1
		}
		return kit.Simple(id, more)
	}
	env.Call(client.CreateDefinition, data(1), nil)
	runs := make([]*kit.Run, 60)
	kit.Concurrently(4, func(worker int) {
		if worker == 0 {
			for version := 2; version <= 10; version++ {
				_, err := client.Call[kit.View](env.Ctx, env.Keyed, client.UpdateDefinition, data(version))
				kit.NoError(t, err)
			}
			return
		}
		for i := worker - 1; i < len(runs); i += 3 {
			answer, err := env.Workspace.Dispatch(env.Ctx, redline.DispatchRequest{DefinitionID: id})
			if kit.NoError(t, err) {
				runs[i] = &kit.Run{S: env, ID: answer.ExecutionID}
			}
		}
	})
	for _, r := range runs {
		require.NotNil(t, r)
		read := r.View()
		require.Equal(t, fmt.Sprint("node-of-", read.DefinitionVersion), read.Steps[0].NodeID)
	}
}

func TestGetDefinition_2_and_3_NoSecretAndNoOther(t *testing.T) {
	env := newWorkspace(t)
	id, hidden := kit.Unique("definition"), kit.Unique("a-well-kept-secret")
	config := map[string]any{"url": "https://hooks.example.com/x", "secret": hidden}
	kit.Created(env, id, map[string]any{"webhookConfig": config})
	env.Call(client.UpdateDefinition, kit.Simple(id, map[string]any{"ifVersion": 1}), nil)
	named := `{"definitionId":"` + id + `"}`
	for _, answer := range []string{
		kit.Raw(env, client.GetDefinition, named), kit.Raw(env, client.ListDefinitions, `{}`), kit.Raw(env, client.ListVersions, named),
		kit.Raw(env, client.GetVersion, `{"definitionId":"`+id+`","version":1}`), kit.Raw(env, client.GetVersion, `{"definitionId":"`+id+`","version":2}`),
	} {
		require.NotContains(t, answer, hidden)
		require.NotContains(t, answer, "hooks.example.com")
		require.NotContains(t, answer, "webhookConfig")
	}
	unknown := env.RefusedAs("NOT_FOUND", client.GetDefinition, map[string]any{"definitionId": kit.Unique("definition")})
	other := kit.Elsewhere(env)
	for operation, data := range map[string]map[string]any{
		client.GetDefinition: {"definitionId": id}, client.DeleteDefinition: {"definitionId": id, "purge": true}, client.ListVersions: {"definitionId": id},
		client.GetVersion: {"definitionId": id, "version": 1}, client.UpdateDefinition: kit.Simple(id, map[string]any{"ifVersion": 2}),
	} {
		failure := other.RefusedAs("NOT_FOUND", operation, data)
		if operation != client.GetVersion {
			require.Equal(t, unknown.Message, failure.Message)
		}
	}
	require.Equal(t, redline.ProblemStatusNotFound, env.Refused(client.GetDefinition, map[string]any{"definitionId": "Not An Id!"}).Status)
	require.Empty(t, kit.EveryPage[kit.View](other, client.ListDefinitions, nil))
}
