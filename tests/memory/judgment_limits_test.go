package memory

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestMemorySearchAndSuggest_QuestionsAtTheirLimits(t *testing.T) {
	env := kit.NewWorkspace(t)
	_, all := kit.Approvals(1)
	kit.Record(env, kit.Listed(all...))
	documents, _ := kit.Approvals(21)
	without := func(n int) map[string]any { return map[string]any{"excludeDocumentIds": documents[:n]} }
	asked := func(length, excluded int) map[string]any {
		return map[string]any{"query": kit.Accented(length), "recencyDays": 1, "filters": without(excluded)}
	}
	require.Equal(t, []string{"query"}, env.RefusedAs("INVALID_ARGUMENT", client.SearchJudgments, asked(8001, 20)).Issues[0].Path)
	require.Equal(t, []string{"filters", "excludeDocumentIds"}, env.RefusedAs("INVALID_ARGUMENT", client.SearchJudgments, asked(8000, 21)).Issues[0].Path)
	require.Equal(t, []string{"r0"}, kit.JudgmentIDs(kit.Nearest(env, kit.Accented(8000), map[string]any{"recencyDays": 1}, without(20))))
	require.Equal(t, []string{"query"}, env.RefusedAs("INVALID_ARGUMENT", client.SuggestDecision, map[string]any{"query": kit.Accented(8001)}).Issues[0].Path)
	require.Equal(t, redline.SuggestResult{}, suggest(env, kit.Accented(8000)))
}

// A question is answered from twenty judgments, twelve chunks and eight rules at most, and a
// search returns ten where no limit is named.
func TestAsk_OnlySoManyRecordsAreSearched(t *testing.T) {
	env := kit.NewWorkspace(t)
	rejected(env, 25)
	kit.BroughtIn(env, kit.Ingest(env, kit.Manual(15)), "completed")
	kit.Remembers(env)
	require.Equal(t, [6]int{25, 25, 0, 1, 15, 15}, kit.Stats(env))
	require.Equal(t, int64(20), ask(env, kit.Liability, onlyJudgments).RecordsSearched)
	require.Equal(t, int64(20+12+8), ask(env, kit.Liability).RecordsSearched)
	acme := map[string]any{"organizationId": "acme"}
	require.Equal(t, int64(12+8), ask(env, kit.Liability, acme, map[string]any{"filters": map[string]any{"reviewerId": "nobody"}}).RecordsSearched)
	found := kit.Nearest(env, kit.Liability, nil)
	require.Len(t, found.Results, 10)
	require.Equal(t, int64(25), found.TotalInScope)
}

// A suggestion looks at the hundred nearest of a scope, and of equally near ones at the newest.
func TestSuggest_TheHundredNearestVote(t *testing.T) {
	env := kit.NewWorkspace(t)
	const count, most = 130, 100
	for from := 0; from < count; from += count / 2 {
		var list []map[string]any
		for i := range count / 2 {
			list = append(list, kit.About(fmt.Sprint("u", from+i), "reject", kit.Liability))
		}
		kit.Record(env, kit.Listed(list...))
	}
	kit.Remembers(env)
	found := suggested(env, "they reject", votes(most), map[string]any{"organizationId": "acme"})
	require.Equal(t, int64(most), found.Primary.UniqueReviewers)
	require.Equal(t, int64(count), kit.Nearest(env, kit.Liability, nil).TotalInScope)
}
