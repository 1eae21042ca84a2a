package memory

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestMemoryStats_2_AVersionThatIsNotLiveIsNotCounted(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	index := kit.BeforePart(t, "REDLINE_WEAVIATE_ADDR")
	env := isolated.NewWorkspace(isolated.StartProcess("serve", "REDLINE_WEAVIATE_ADDR="+index.Addr()))
	index.Down()
	source := kit.Ingest(env, kit.Manual(3))
	kit.RequireWithin(t, kit.IngestionTime, "its chunks are there and it is not live", func() bool { return kit.Status(env, source).Progress.Stage == "indexing" })
	require.Equal(t, int64(3), kit.Status(env, source).Progress.ChunksTotal)
	require.Equal(t, [6]int{3: 1}, kit.Stats(env))
	require.NoError(t, index.Up())
	kit.BroughtIn(env, source, "completed")
	require.Equal(t, [6]int{3: 1, 4: 3, 5: 3}, kit.Stats(env))
}

func TestMemoryStats_3_TotalsAgreeWithAWalk(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Items(env, client.AddDocuments, kit.AcmeWith("documents", []any{map[string]any{"documentId": "gone"}}, map[string]any{"createOrganization": true}))
	var all []map[string]any
	for i := range 25 {
		more := map[string]any{"organizationId": "acme"}
		if i%5 == 0 {
			more["documentId"] = "gone"
		}
		all = append(all, kit.Verdict(fmt.Sprint("user-", i%7), "approve", more))
	}
	kit.Record(env, kit.Listed(append(all,
		kit.Verdict("bot", "reject", map[string]any{"judgeType": "agent", "agent": map[string]any{"agentId": "a"}}),
		kit.Verdict("user-1", "reject", map[string]any{"judgeType": "agent", "agent": map[string]any{"agentId": "a"}}))...))
	kept, dropped, failed := kit.Ingest(env, kit.HousePaper), kit.IngestAbout(env, "acme", "gone", kit.Manual(2)), kit.Ingest(env, " \n")
	live := kit.BroughtIn(env, kept, "completed")
	kit.BroughtIn(env, dropped, "completed")
	kit.BroughtIn(env, failed, "failed")
	require.Equal(t, [6]int{27, 7, 0, 3, int(live.ChunkCount + 2), int(live.ExtractedRulesCount + 2)}, kit.Stats(env))
	kit.Items(env, client.DeleteDocuments, kit.AcmeWith("documentIds", []string{"gone"}))

	people, walked := map[any]bool{}, 0
	data := map[string]any{"limit": 10}
	for {
		page := kit.Judgments(env, data)
		for _, one := range page.Results {
			walked++
			if one.JudgeType == "human" {
				people[one.ActionUser.UserID] = true
			}
		}
		if !page.HasMore {
			break
		}
		data["cursor"] = *page.NextCursor
	}
	require.Equal(t, 22, walked)
	require.Equal(t, [6]int{walked, len(people), 0, 2, int(live.ChunkCount), int(live.ExtractedRulesCount)}, kit.Stats(env))
	require.Equal(t, [6]int{}, kit.Stats(kit.Elsewhere(env)))
}

// What the stats count is what query, list and patterns give.
func TestMemoryStats_3_QueryListAndPatternsAgree(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Record(env, kit.Listed(opinions(0, 4, "reject")...))
	kit.Record(env, kit.Listed(opinions(4, 3, "approve", map[string]any{"organizationId": "apex", "content": facts[0], "reasoning": "It is fast enough."})...))
	patterns := detected(env)
	require.NotEmpty(t, patterns)
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	kit.BroughtIn(env, kit.IngestAbout(env, "acme", "spring", kit.Manual(3)), "completed")
	kit.BroughtIn(env, kit.Ingest(env, " \n"), "failed")
	sources := kit.NewestSources(env, map[string]any{})
	chunks, rules := 0, 0
	for _, source := range sources {
		chunks, rules = chunks+int(source.ChunkCount), rules+int(source.RuleCount)
	}
	page := kit.Judgments(env, map[string]any{"limit": 100})
	people := map[any]bool{}
	for _, one := range page.Results {
		people[one.ActionUser.UserID] = true
	}
	require.NotZero(t, rules)
	require.Equal(t, [6]int{len(page.Results), len(people), len(patterns), len(sources), chunks, rules}, kit.Stats(env))
	require.Equal(t, [6]int{7, 7, len(patterns), 3, chunks, rules}, kit.Stats(env))
}
