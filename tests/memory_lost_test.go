package tests

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/proxy"
	"github.com/redline-svc/redline/tests/stack"
)

// whenDue is asked while the index is lost, so its vector must be known before.
const whenDue = "When are bills due?"

// isLost proves that a search is answered with what is newest, that the process says why,
// and that nobody is told of judgments that are merely recent.
func (s *scene) isLost(process *stack.Service) {
	s.t.Helper()
	how, answer := s.degraded(whenDue)
	require.Equal(s.t, "recency", how)
	require.NotEmpty(s.t, answer.Results)
	for _, hit := range answer.Results {
		require.Nil(s.t, hit.Score)
	}
	reads(s.t, process, "weaviate", "index-lost")
	require.Equal(s.t, "index-away", s.refusedAs("UNAVAILABLE", searchJudgments, map[string]any{"query": liability}).Reason)
}

// An index whose folder is lost is built anew from the rows, and for that nothing is embedded:
// the model is away. Until it is there again, searches give what is newest.
func TestIndex_ItsFolderIsLostAndItIsBuiltAnew(t *testing.T) {
	parts := ownParts(t)
	l, model := labOn(t, parts), beforeModel(t)
	settings := map[string]string{
		"REDLINE_EMBEDDER": "http", "REDLINE_EMBED_URL": "http://" + model.Addr(), "REDLINE_EMBED_MODEL": "letters", "REDLINE_EMBED_DIMENSIONS": "32",
	}
	process, err := l.Start(t.Context(), "serve", settings)
	require.NoError(t, err)
	s := l.begin(process)
	source := s.ingest(manual(6))
	s.whole(source, 6)
	s.broughtIn(s.ingest(housePaper), "completed")
	s.rejected(moreThanFew, on("spring"))
	near := func() []string {
		return s.nearest(liability, map[string]any{"embeddingType": "content", "limit": 50}).ids()
	}
	within(t, patience, "the judgments are found", func() bool { return len(near()) == moreThanFew })
	before, judgments := s.search(whenDue, map[string]any{"includeRules": true}), near()

	require.NoError(t, parts.Part(t.Context(), "weaviate", "kill"))
	require.NoError(t, os.RemoveAll(filepath.Join(parts.Folder, "weaviate", "data")))
	require.NoError(t, parts.Part(t.Context(), "weaviate", "start"))
	s.isLost(process)
	model.Down()
	held := l.Rows.HoldRequest(proxy.Says("INSERT INTO index_copies"))
	ended := make(chan error, 1)
	go func() {
		_, err := l.RunWith(t.Context(), settings, "admin", "index", "rebuild", "--as=story")
		ended <- err
	}()
	reached(t, "the first source is in the new index", held.Reached())
	how, answer := s.degraded(whenDue)
	require.Equal(t, "recency", how)
	require.Nil(t, answer.Results[0].Score)
	held.Release()
	require.NoError(t, <-ended)
	require.Equal(t, before, s.search(whenDue, map[string]any{"includeRules": true}))
	require.Equal(t, judgments, near())

	require.NoError(t, model.Up())
	reads(t, process, "", "")
	report, err := l.checkIndex()
	require.NoError(t, err)
	require.Equal(t, indexReport{Workspaces: 1, Versions: 2, Items: 15, Judgments: moreThanFew}, report)
	s.whole(source, 6)
	s.whole(s.ingest(manual(3)), 3)
	rows := l.rows()
	within(t, ingestionTime, "the lost generation is forgotten", func() bool {
		var left int
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM index_generations`).Scan(&left))
		return left == 1
	})
	l.atRest(whileAway...)
}

// loses takes all that the scene's workspace has out of the index.
func (s *scene) loses() {
	s.t.Helper()
	lost := s.collections()
	require.NotEmpty(s.t, lost)
	for _, collection := range lost {
		weaviate(s.t, http.MethodDelete, "schema/"+collection, nil)
	}
}

// What is brought in after the index was lost does not hide the loss from those who have
// not searched yet: it waits, the process says why, and once the index is mended all of it
// is found.
func TestIndex_WhatComesAfterALossDoesNotHideIt(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s, other := l.begin(process), l.begin(process)
	source := s.ingest(manual(6))
	s.whole(source, 6)
	s.loses()

	late := s.ingest(manual(3))
	reads(t, process, "weaviate", "index-lost")
	status := s.status(late)
	require.Equal(t, []string{"processing", "indexing"}, []string{status.Status, status.Progress.Stage})
	how, answer := s.degraded(whenDue)
	require.Equal(t, "recency", how)
	require.Nil(t, answer.Results[0].Score)
	other.whole(other.ingest(manual(2)), 2)

	report, err := l.checkIndex("--fix")
	require.NoError(t, err)
	require.Equal(t, []int{12, 12}, []int{report.Missing, report.Fixed})
	s.whole(late, 3)
	s.whole(source, 6)
	reads(t, process, "", "")
	report, err = l.checkIndex()
	require.NoError(t, err)
	require.Equal(t, indexReport{Workspaces: 2, Versions: 3, Items: 22}, report)
}

// triedAgain returns once a judgment that waits for the index was tried from here on, or
// waits no more.
func (s *scene) triedAgain(rows *pgx.Conn) {
	s.t.Helper()
	tries := func() (n int) {
		require.NoError(s.t, rows.QueryRow(s.ctx, `SELECT coalesce(max(tries), 1000) FROM judgment_index WHERE workspace_id = $1 AND due IS NOT NULL`,
			s.workspace.ID).Scan(&n))
		return n
	}
	before := tries()
	within(s.t, patience, "it is tried again", func() bool { return tries() > before+1 })
}

// Judgments wait likewise, and those of other workspaces do not wait with them.
func TestIndex_JudgmentsThatComeAfterALossDoNotHideIt(t *testing.T) {
	l := newLab(t)
	process := l.start("serve")
	s, other := l.begin(process), l.begin(process)
	s.rejected(moreThanFew, on("spring"))
	s.remembers()
	s.loses()

	s.record(about("late", "reject", liability, map[string]any{"recordId": "late"}))
	reads(t, process, "weaviate", "index-lost")
	other.record(about("ann", "reject", liability, map[string]any{"recordId": "theirs"}))
	other.remembers()
	require.Equal(t, []string{"theirs"}, other.nearest(liability, map[string]any{"embeddingType": "content"}).ids())
	s.triedAgain(l.rows())
	require.Equal(t, "index-away", s.refusedAs("UNAVAILABLE", searchJudgments, map[string]any{"query": liability}).Reason)

	report, err := l.checkIndex("--fix")
	require.NoError(t, err)
	require.Equal(t, []int{moreThanFew, moreThanFew}, []int{report.Missing, report.Fixed})
	s.remembers()
	require.Len(t, s.nearest(liability, map[string]any{"embeddingType": "content", "limit": 50}).ids(), moreThanFew+1)
	reads(t, process, "", "")
}
