package api_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestKnowledgeList_2_AnEmptyWorkspaceAndWhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	raw, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.ListSources, map[string]any{})
	require.NoError(t, err)
	require.JSONEq(t, `[]`, string(raw))
	for _, page := range []map[string]any{{"pageSize": 5}, {"cursor": ""}} {
		raw, err = client.Call[json.RawMessage](env.Ctx, env.Keyed, client.ListSources, page)
		require.NoError(t, err)
		require.JSONEq(t, `{"items":[],"nextCursor":null,"hasMore":false}`, string(raw))
	}
	kit.Ingest(env, "one")
	kit.Ingest(env, "two")
	cursor := *kit.ListSourcePage(env, map[string]any{"pageSize": 1}).NextCursor
	for _, data := range []map[string]any{
		{"pageSize": 0},
		{"pageSize": 101},
		{"pageSize": "5"},
		{"pageSize": 1.5},
		{"status": "retired"},
		{"status": ""},
		{"documentId": "d"},
		{"organizationId": ""},
		{"surplus": 1},
		{"cursor": cursor + "x"},
		{"cursor": "x"},
		{"cursor": cursor, "status": "processing"},
		{"cursor": cursor, "organizationId": "acme"},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.ListSources, data)
	}
	require.Len(t, kit.ListSourcePage(env, map[string]any{"cursor": cursor}).Items, 1, "a page of another size begins there too")
	for _, operation := range []string{client.ListRules, client.ReadText, client.DeleteSource, client.RetrySource} {
		for _, data := range []map[string]any{{}, {"sourceId": ""}, {"sourceId": " "}, {"sourceId": 7}, {"sourceId": "a", "surplus": 1}} {
			env.RefusedAs("INVALID_ARGUMENT", operation, data)
		}
	}
	env.RefusedAs("INVALID_ARGUMENT", client.DeleteSource, map[string]any{"sourceId": "a", "force": "yes"})
}
