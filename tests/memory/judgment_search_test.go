package memory

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestMemorySearch_7_OldAndNewIDTogetherShowEachOnce(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Items(env, client.AddDocuments, kit.AcmeWith("documents", []any{map[string]any{"documentId": "spring"}}, map[string]any{"createOrganization": true}))
	kit.Record(env, kit.Listed(kit.Ago("r1", time.Hour, map[string]any{"organizationId": "acme", "documentId": "spring"}),
		kit.Ago("r2", time.Hour, map[string]any{"organizationId": "acme", "documentId": "summer"})))
	of := func(documentID string) []string {
		return kit.JudgmentIDs(kit.ByRows(env, map[string]any{"organizationId": "acme", "documentId": documentID, "recencyDays": 1}))
	}
	kit.Follows(env, "spring", "autumn")
	require.Empty(t, of("spring"))
	require.Equal(t, []string{"r1"}, of("autumn"))
	without := kit.ByRows(env, kit.Recent, map[string]any{"excludeDocumentIds": []string{"spring", "summer"}})
	require.Equal(t, []string{"r1"}, kit.JudgmentIDs(without), "the former id names nothing")
}

// A thread and what is recent need neither the embedder nor the index; what is nearest
// needs both, and says which is away.
func TestMemorySearch_8_RowsAreFoundWithEmbedderAndIndexAway(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Record(env, kit.Ago("r", time.Hour, map[string]any{"organizationId": "acme", "annotationId": "a"}))
	many(env, several)
	kit.Remembers(env)
	for reason, settings := range map[string][]string{
		"index-away":    {"REDLINE_WEAVIATE_ADDR=127.0.0.1:1", "REDLINE_WEAVIATE_GRPC_ADDR=127.0.0.1:1"},
		"embedder-away": {"REDLINE_ONNXRUNTIME_LIB=/nowhere"},
	} {
		away, _ := kit.Beside(env, settings...)
		require.Equal(t, []string{"r"}, kit.JudgmentIDs(kit.ByRows(away, map[string]any{"organizationId": "acme", "recencyDays": 1})))
		require.Equal(t, []string{"r"}, kit.JudgmentIDs(kit.ByRows(away, map[string]any{"organizationId": "acme"}, map[string]any{"annotationId": "a"})))
		require.Equal(t, int64(1+several), kit.Judgments(away, nil).Total)
		for _, operation := range []string{client.SearchJudgments, client.SuggestDecision} {
			require.Equal(t, reason, string(away.RefusedAs("UNAVAILABLE", operation, map[string]any{"query": "anything else"}).Reason))
		}
		require.Equal(t, reason, string(away.RefusedAs("UNAVAILABLE", client.AskQuestion, map[string]any{"question": "anything else"}).Reason))
		require.Equal(t, []redline.RecordedJudgment{{RecordID: "more", Created: true}}, kit.Record(away, kit.Verdict("bob", "reject", map[string]any{"recordId": "more"})))
		require.Equal(t, [6]int{2 + several, 2 + several}, kit.Stats(away))
		require.NotEqual(t, "null", kit.ProfileOf(away, "bob"))
		require.Empty(t, patterns(away))
		require.Equal(t, map[string]bool{"more": true}, kit.Forget(away, "more"))
	}
}
