package tests

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Judgments that the index has lost are brought back, and go along when it is built
// anew, by the same model or by another one.
func TestIndex_JudgmentsAreMendedAndRebuilt(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("serve"))
	for i := range moreThanFew {
		s.record(about(fmt.Sprint("u", i), "reject", liability, map[string]any{"recordId": fmt.Sprint("r", i)}))
	}
	s.remembers()
	agrees := func(missing, fixed int, flags ...string) {
		t.Helper()
		report, err := l.checkIndex(flags...)
		require.Equal(t, missing > fixed, err != nil)
		require.Equal(t, indexReport{Workspaces: 1, Judgments: moreThanFew, Missing: missing, Fixed: fixed}, report)
	}
	ids := func() []string {
		return s.nearest(liability, map[string]any{"organizationId": "acme", "embeddingType": "content", "limit": 50}).ids()
	}
	agrees(0, 0)
	before := ids()
	require.Len(t, before, moreThanFew)

	for _, collection := range s.collections() {
		weaviate(t, http.MethodDelete, "schema/"+collection, nil)
	}
	require.Equal(t, "index-away", s.refusedAs("UNAVAILABLE", searchJudgments, map[string]any{"query": liability}).Reason)
	agrees(moreThanFew, 0)
	agrees(moreThanFew, moreThanFew, "--fix")
	within(t, patience, "they are back", func() bool { report, err := l.checkIndex(); return err == nil && report.Judgments == moreThanFew })
	require.Equal(t, before, ids())

	_, err := l.Run(t.Context(), "admin", "index", "rebuild", "--as=story")
	require.NoError(t, err)
	require.Equal(t, before, ids())
	s.record(about("late", "reject", liability, map[string]any{"recordId": "late"}))
	within(t, patience, "what comes later is found as well", func() bool { return len(ids()) == moreThanFew+1 })
	s.forget("r0")
	require.Len(t, ids(), moreThanFew)
	agrees(0, 0)
}

// While the index holds vectors of another model, nothing is found by meaning and
// nothing new is brought in; built anew, it has everything.
func TestIndex_JudgmentsWaitForAnotherModel(t *testing.T) {
	l := newLab(t)
	first := l.start("serve")
	s := l.begin(first)
	s.record(about("ann", "reject", liability, map[string]any{"recordId": "old"}))
	s.remembers()
	first.Stop()
	s = s.through(l.start("serve", "REDLINE_EMBEDDER=lexical").URL)
	for _, operation := range []string{searchJudgments, suggestDecision} {
		require.Equal(t, "embedding-model-changed", s.refusedAs("FAILED_PRECONDITION", operation, map[string]any{"query": liability}).Reason)
	}
	for _, knowledge := range []bool{true, false} {
		asked := map[string]any{"question": liability, "includeKnowledge": knowledge}
		require.Equal(t, "embedding-model-changed", s.refusedAs("FAILED_PRECONDITION", askQuestion, asked).Reason)
	}
	s.record(about("bob", "reject", liability, map[string]any{"recordId": "new"}))
	require.Equal(t, 2, s.judgments(map[string]any{"organizationId": "acme"}).Total)
	_, err := l.RunWith(t.Context(), map[string]string{"REDLINE_EMBEDDER": "lexical"}, "admin", "index", "reembed", "--as=story")
	require.NoError(t, err)
	within(t, patience, "both are found", func() bool {
		return len(s.nearest(liability, map[string]any{"organizationId": "acme", "embeddingType": "content"}).Results) == 2
	})
	rows := l.rows()
	_, err = rows.Exec(t.Context(), `UPDATE index_generations SET retired_at = retired_at - interval '1 minute' WHERE state = 'retired'`)
	require.NoError(t, err)
	within(t, patience, "the vectors of the former model are gone", func() bool {
		var models int
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(DISTINCT model) FROM judgment_vectors`).Scan(&models))
		return models == 1
	})
}
