package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
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

// Pages repeat no source and leave out none that stayed, while others come and go. Those that
// were there at the beginning are of one moment.
func TestLong_KnowledgeList_1and3_PagingWhileOthersComeAndGo(t *testing.T) {
	env := newWorkspace(t) // none of them is brought in
	ids := make([]string, 1000)
	kit.Concurrently(8, func(caller int) {
		for i := caller; i < len(ids); i += 8 {
			answer, err := client.Call[redline.IngestResult](env.Ctx, env.Keyed, client.Ingest, kit.IngestData(fmt.Sprint("source ", i)))
			if kit.NoError(t, err) {
				ids[i] = answer.SourceID
			}
		}
	})
	_, err := env.DB().Exec(t.Context(), `UPDATE sources SET created_at = date_trunc('day', created_at) WHERE workspace_id = $1`, env.Workspace.ID)
	require.NoError(t, err)
	whole := kit.SourceIDs(kit.ListSourcePage(env, map[string]any{"pageSize": 100}).Items)
	require.True(t, slices.IsSortedFunc(whole, func(a, b string) int { return strings.Compare(b, a) }), "of one moment, the greatest id first")
	require.Equal(t, whole, kit.SourceIDs(kit.NewestSources(env, map[string]any{})), "the newest hundred")
	gone, seen := map[string]bool{}, map[string]bool{}
	data := map[string]any{"pageSize": 17, "status": "processing"}
	for {
		page := kit.ListSourcePage(env, data)
		for _, source := range page.Items {
			require.False(t, seen[source.ID], "listed twice")
			seen[source.ID] = true
		}
		if !page.HasMore {
			require.Nil(t, page.NextCursor)
			break
		}
		data["cursor"] = *page.NextCursor
		kit.Ingest(env, "one that comes in between "+*page.NextCursor)
		for _, id := range []string{page.Items[16].ID, ids[len(gone)]} {
			if !gone[id] {
				gone[id] = true
				kit.DeleteSource(env, id, true)
			}
		}
	}
	for _, id := range ids {
		require.True(t, seen[id] || gone[id], "left out")
	}
}
