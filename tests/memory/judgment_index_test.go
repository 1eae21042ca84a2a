package memory

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Judgments that the index has lost are brought back, and go along when it is built
// again, by the same model or by another one.
func TestIndex_JudgmentsAreMendedAndRebuilt(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("serve"))
	for i := range several {
		kit.Record(env, kit.About(fmt.Sprint("u", i), "reject", kit.Liability, map[string]any{"recordId": fmt.Sprint("r", i)}))
	}
	kit.Remembers(env)
	agrees := func(missing, fixed int, flags ...string) {
		t.Helper()
		report, err := isolated.CheckIndex(flags...)
		require.Equal(t, missing > fixed, err != nil)
		require.Equal(t, kit.IndexReport{Workspaces: 1, Judgments: several, Missing: missing, Fixed: fixed}, report)
	}
	ids := func() []string {
		return kit.JudgmentIDs(kit.Nearest(env, kit.Liability, map[string]any{"organizationId": "acme", "embeddingType": "content", "limit": 50}))
	}
	agrees(0, 0)
	before := ids()
	require.Len(t, before, several)

	for _, collection := range kit.Collections(env) {
		kit.Weaviate(t, http.MethodDelete, "schema/"+collection, nil)
	}
	require.Equal(t, redline.ErrorDetailsReasonIndexAway, env.RefusedAs("UNAVAILABLE", client.SearchJudgments, map[string]any{"query": kit.Liability}).Reason)
	agrees(several, 0)
	agrees(several, several, "--fix")
	kit.RequireWithin(t, kit.Patience, "they are back", func() bool {
		report, err := isolated.CheckIndex()
		return err == nil && report.Judgments == several
	})
	require.Equal(t, before, ids())

	_, err := isolated.Run(t.Context(), "admin", "index", "rebuild", "--as=test")
	require.NoError(t, err)
	require.Equal(t, before, ids())
	kit.Record(env, kit.About("late", "reject", kit.Liability, map[string]any{"recordId": "late"}))
	kit.RequireWithin(t, kit.Patience, "what comes later is found as well", func() bool { return len(ids()) == several+1 })
	kit.Forget(env, "r0")
	require.Len(t, ids(), several)
	agrees(0, 0)
}

// While the index holds vectors of another model, nothing is found by meaning and
// nothing new is brought in; built again, it has everything.
func TestIndex_JudgmentsWaitForAnotherModel(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	first := isolated.StartProcess("serve", kit.LettersAt(spelled(t))...)
	env := isolated.NewWorkspace(first)
	kit.Record(env, kit.About("ann", "reject", kit.Liability, map[string]any{"recordId": "old"}))
	kit.Remembers(env)
	first.Stop()
	env = env.Through(isolated.StartProcess("serve", "REDLINE_EMBEDDER=lexical").URL)
	for _, operation := range []string{client.SearchJudgments, client.SuggestDecision} {
		require.Equal(t, redline.ErrorDetailsReasonEmbeddingModelChanged, env.RefusedAs("FAILED_PRECONDITION", operation, map[string]any{"query": kit.Liability}).Reason)
	}
	for _, knowledge := range []bool{true, false} {
		asked := map[string]any{"question": kit.Liability, "includeKnowledge": knowledge}
		require.Equal(t, redline.ErrorDetailsReasonEmbeddingModelChanged, env.RefusedAs("FAILED_PRECONDITION", client.AskQuestion, asked).Reason)
	}
	kit.Record(env, kit.About("bob", "reject", kit.Liability, map[string]any{"recordId": "new"}))
	require.Equal(t, int64(2), kit.Judgments(env, map[string]any{"organizationId": "acme"}).Total)
	_, err := isolated.RunWith(t.Context(), map[string]string{"REDLINE_EMBEDDER": "lexical"}, "admin", "index", "reembed", "--as=test")
	require.NoError(t, err)
	kit.RequireWithin(t, kit.Patience, "both are found", func() bool {
		return len(kit.Nearest(env, kit.Liability, map[string]any{"organizationId": "acme", "embeddingType": "content"}).Results) == 2
	})
	rows := isolated.DB()
	_, err = rows.Exec(t.Context(), `UPDATE index_generations SET retired_at = retired_at - interval '1 minute' WHERE state = 'retired'`)
	require.NoError(t, err)
	kit.RequireWithin(t, kit.Patience, "the vectors of the former model are gone", func() bool {
		var models int
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(DISTINCT model) FROM judgment_vectors`).Scan(&models))
		return models == 1
	})
}
