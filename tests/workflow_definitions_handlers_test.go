package tests

import (
	"fmt"
	"maps"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

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
	other := s.elsewhere()
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
	other := s.elsewhere()
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
