package tests

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// accented are so many characters of two bytes each.
func accented(n int) string { return strings.Repeat("é", n) }

// approvals are ids, or judgments with them.
func approvals(n int) (ids []string, all []map[string]any) {
	for i := range n {
		ids = append(ids, fmt.Sprint("r", i))
		all = append(all, verdict("ann", "approve", map[string]any{"recordId": ids[i]}))
	}
	return ids, all
}

func TestMemorySearchAndSuggest_QuestionsAtTheirLimits(t *testing.T) {
	s := begin(t)
	_, all := approvals(1)
	s.record(listed(all...))
	documents, _ := approvals(21)
	without := func(n int) map[string]any { return map[string]any{"excludeDocumentIds": documents[:n]} }
	asked := func(length, excluded int) map[string]any {
		return map[string]any{"query": accented(length), "recencyDays": 1, "filters": without(excluded)}
	}
	require.Equal(t, []string{"query"}, s.refusedAs("INVALID_ARGUMENT", searchJudgments, asked(8001, 20)).Issues[0].Path)
	require.Equal(t, []string{"filters", "excludeDocumentIds"}, s.refusedAs("INVALID_ARGUMENT", searchJudgments, asked(8000, 21)).Issues[0].Path)
	require.Equal(t, []string{"r0"}, s.nearest(accented(8000), map[string]any{"recencyDays": 1}, without(20)).ids())
	require.Equal(t, []string{"query"}, s.refusedAs("INVALID_ARGUMENT", suggestDecision, map[string]any{"query": accented(8001)}).Issues[0].Path)
	require.Equal(t, suggestResult{}, s.suggest(accented(8000)))
}

// A question is answered from twenty judgments, twelve chunks and eight rules at most, and a
// search gives ten where no limit is named.
func TestAsk_OnlySoManyRecordsAreSearched(t *testing.T) {
	s := begin(t)
	s.rejected(25)
	s.broughtIn(s.ingest(manual(15)), "completed")
	s.remembers()
	require.Equal(t, [6]int{25, 25, 0, 1, 15, 15}, s.stats())
	require.Equal(t, 20, s.ask(liability, onlyJudgments).RecordsSearched)
	require.Equal(t, 20+12+8, s.ask(liability).RecordsSearched)
	acme := map[string]any{"organizationId": "acme"}
	require.Equal(t, 12+8, s.ask(liability, acme, map[string]any{"filters": map[string]any{"reviewerId": "nobody"}}).RecordsSearched)
	found := s.nearest(liability, nil)
	require.Len(t, found.Results, 10)
	require.Equal(t, 25, found.TotalInScope)
}

// A suggestion looks at the hundred nearest of a scope, and of equally near ones at the newest.
func TestSuggest_TheHundredNearestVote(t *testing.T) {
	s := begin(t)
	const count, most = 130, 100
	for from := 0; from < count; from += count / 2 {
		var list []map[string]any
		for i := range count / 2 {
			list = append(list, about(fmt.Sprint("u", from+i), "reject", liability))
		}
		s.record(listed(list...))
	}
	s.remembers()
	found := s.suggested("they reject", votes(most), map[string]any{"organizationId": "acme"})
	require.Equal(t, most, found.Primary.UniqueReviewers)
	require.Equal(t, count, s.nearest(liability, nil).TotalInScope)
}
