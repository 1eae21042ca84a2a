package tests

import (
	"os"
	"path/filepath"
	"testing"

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
