package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	getStats   = "memory/stats/get"
	getProfile = "memory/profiles/get"
)

// stats are the six figures, in the order of the interface.
func (s *scene) stats() [6]int {
	s.t.Helper()
	var view map[string]int
	s.call(getStats, map[string]any{}, &view)
	require.Len(s.t, view, 6)
	var figures [6]int
	for i, name := range []string{"Activities", "Profiles", "Patterns", "KnowledgeSources", "Chunks", "Rules"} {
		require.Contains(s.t, view, "total"+name)
		figures[i] = view["total"+name]
	}
	return figures
}

func TestMemoryStats_2_AVersionThatIsNotLiveIsNotCounted(t *testing.T) {
	l := newLab(t)
	index := beforePart(t, "REDLINE_WEAVIATE_ADDR")
	s := l.begin(l.start("serve", "REDLINE_WEAVIATE_ADDR="+index.Addr()))
	index.Down()
	source := s.ingest(manual(3))
	within(t, ingestionTime, "its chunks are there and it is not live", func() bool { return s.status(source).Progress.Stage == "indexing" })
	require.Equal(t, 3, s.status(source).Progress.ChunksTotal)
	require.Equal(t, [6]int{3: 1}, s.stats())
	require.NoError(t, index.Up())
	s.broughtIn(source, "completed")
	require.Equal(t, [6]int{3: 1, 4: 3, 5: 3}, s.stats())
}

func TestMemoryStats_3_TotalsAgreeWithAWalk(t *testing.T) {
	s := begin(t)
	s.items(addDocuments, acmeWith("documents", []any{map[string]any{"documentId": "gone"}}, map[string]any{"createOrganization": true}))
	var all []map[string]any
	for i := range 25 {
		more := map[string]any{"organizationId": "acme"}
		if i%5 == 0 {
			more["documentId"] = "gone"
		}
		all = append(all, verdict(fmt.Sprint("user-", i%7), "approve", more))
	}
	s.record(listed(append(all,
		verdict("bot", "reject", map[string]any{"judgeType": "agent", "agent": map[string]any{"agentId": "a"}}),
		verdict("user-1", "reject", map[string]any{"judgeType": "agent", "agent": map[string]any{"agentId": "a"}}))...))
	kept, dropped, failed := s.ingest(housePaper), s.ingestAbout("acme", "gone", manual(2)), s.ingest(" \n")
	live := s.broughtIn(kept, "completed")
	s.broughtIn(dropped, "completed")
	s.broughtIn(failed, "failed")
	require.Equal(t, [6]int{27, 7, 0, 3, *live.ChunkCount + 2, *live.ExtractedRulesCount + 2}, s.stats())
	s.items(deleteDocuments, acmeWith("documentIds", []string{"gone"}))

	people, walked := map[any]bool{}, 0
	data := map[string]any{"limit": 10}
	for {
		page := s.judgments(data)
		for _, one := range page.Results {
			walked++
			if one.JudgeType == "human" {
				people[one.ActionUser["userId"]] = true
			}
		}
		if !page.HasMore {
			break
		}
		data["cursor"] = *page.NextCursor
	}
	require.Equal(t, 22, walked)
	require.Equal(t, [6]int{walked, len(people), 0, 2, *live.ChunkCount, *live.ExtractedRulesCount}, s.stats())
	require.Equal(t, [6]int{}, s.elsewhere().stats())
}

// What the stats count is what query, list and patterns give.
func TestMemoryStats_3_QueryListAndPatternsAgree(t *testing.T) {
	s := begin(t)
	s.record(listed(opinions(0, 4, "reject")...))
	s.record(listed(opinions(4, 3, "approve", map[string]any{"organizationId": "apex", "content": facts[0], "reasoning": "It is fast enough."})...))
	patterns := s.detected()
	require.NotEmpty(t, patterns)
	s.broughtIn(s.ingest(housePaper), "completed")
	s.broughtIn(s.ingestAbout("acme", "spring", manual(3)), "completed")
	s.broughtIn(s.ingest(" \n"), "failed")
	sources := s.newest(map[string]any{})
	chunks, rules := 0, 0
	for _, source := range sources {
		chunks, rules = chunks+source.ChunkCount, rules+source.RuleCount
	}
	page := s.judgments(map[string]any{"limit": 100})
	people := map[any]bool{}
	for _, one := range page.Results {
		people[one.ActionUser["userId"]] = true
	}
	require.NotZero(t, rules)
	require.Equal(t, [6]int{len(page.Results), len(people), len(patterns), len(sources), chunks, rules}, s.stats())
	require.Equal(t, [6]int{7, 7, len(patterns), 3, chunks, rules}, s.stats())
}

// profile is what profiles/get gives, as JSON.
func (s *scene) profile(userID string) string {
	s.t.Helper()
	reply, err := s.keyed.Send(s.ctx, "/v2/"+getProfile, []byte(`{"data":{"targetUserId":"`+userID+`"}}`), nil)
	require.NoError(s.t, err)
	result, found := strings.CutPrefix(string(reply.Body), `{"result":`)
	require.True(s.t, found, result)
	return strings.TrimSuffix(result, "}")
}
