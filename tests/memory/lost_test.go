package memory

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/proxy"
	"github.com/redline-svc/redline/tests/kit/stack"
)

// whenDue is asked while the index is lost, so its vector must be known before.
const whenDue = "When are bills due?"

// isLost proves that a search is answered with what is newest, that the process says why,
// and that nobody is told of judgments that are merely recent.
func isLost(env *kit.Env, process *stack.Service) {
	env.T.Helper()
	how, answer := degraded(env, whenDue)
	require.Equal(env.T, "recency", how)
	require.NotEmpty(env.T, answer.Results)
	for _, hit := range answer.Results {
		require.Zero(env.T, hit.Score)
	}
	reads(env.T, process, "weaviate", "index-lost")
	require.Equal(env.T, redline.ErrorDetailsReasonIndexAway, env.RefusedAs("UNAVAILABLE", client.SearchJudgments, map[string]any{"query": kit.Liability}).Reason)
}

// An index whose folder is lost is built again from the rows, and for that nothing is embedded:
// the model is away. Until it is there again, searches give what is newest.
func TestIndex_ItsFolderIsLostAndItIsBuiltAgain(t *testing.T) {
	parts := kit.OwnParts(t)
	isolated, model := kit.NewIsolatedStackOn(t, parts), beforeModel(t)
	settings := map[string]string{
		"REDLINE_EMBEDDER": "http", "REDLINE_EMBED_URL": "http://" + model.Addr(), "REDLINE_EMBED_MODEL": "letters", "REDLINE_EMBED_DIMENSIONS": "32",
	}
	process, err := isolated.Start(t.Context(), "serve", settings)
	require.NoError(t, err)
	env := isolated.NewWorkspace(process)
	source := kit.Ingest(env, kit.Manual(6))
	whole(env, source, 6)
	kit.BroughtIn(env, kit.Ingest(env, kit.HousePaper), "completed")
	rejected(env, several, on("spring"))
	near := func() []string {
		return kit.JudgmentIDs(kit.Nearest(env, kit.Liability, map[string]any{"embeddingType": "content", "limit": 50}))
	}
	kit.RequireWithin(t, kit.Patience, "the judgments are found", func() bool { return len(near()) == several })
	before, judgments := kit.Search(env, whenDue, map[string]any{"includeRules": true}), near()

	require.NoError(t, parts.Part(t.Context(), "weaviate", "kill"))
	require.NoError(t, os.RemoveAll(filepath.Join(parts.Folder, "weaviate", "data")))
	require.NoError(t, parts.Part(t.Context(), "weaviate", "start"))
	isLost(env, process)
	_, err = isolated.RunWith(t.Context(), settings, "admin", "doctor")
	require.ErrorContains(t, err, "rebuild where all is gone", "the doctor says what to do")
	model.Down()
	held := isolated.Rows.HoldRequest(proxy.Says("INSERT INTO index_copies"))
	ended := make(chan error, 1)
	go func() {
		_, err := isolated.RunWith(t.Context(), settings, "admin", "index", "rebuild", "--as=test")
		ended <- err
	}()
	kit.RequireReached(t, "the first source is in the new index", held.Reached())
	how, answer := degraded(env, whenDue)
	require.Equal(t, "recency", how)
	require.Zero(t, answer.Results[0].Score)
	held.Release()
	require.NoError(t, <-ended)
	require.Equal(t, before, kit.Search(env, whenDue, map[string]any{"includeRules": true}))
	require.Equal(t, judgments, near())

	require.NoError(t, model.Up())
	reads(t, process, "", "")
	report, err := isolated.CheckIndex()
	require.NoError(t, err)
	require.Equal(t, kit.IndexReport{Workspaces: 1, Versions: 2, Items: 15, Judgments: several}, report)
	whole(env, source, 6)
	whole(env, kit.Ingest(env, kit.Manual(3)), 3)
	rows := isolated.DB()
	kit.RequireWithin(t, kit.IngestionTime, "the lost generation is forgotten", func() bool {
		var left int
		require.NoError(t, rows.QueryRow(t.Context(), `SELECT count(*) FROM index_generations`).Scan(&left))
		return left == 1
	})
	isolated.AtRest(kit.WhileAway...)
}

// loses takes all that the test's workspace has out of the index.
func loses(env *kit.Env) {
	env.T.Helper()
	lost := kit.Collections(env)
	require.NotEmpty(env.T, lost)
	for _, collection := range lost {
		kit.Weaviate(env.T, http.MethodDelete, "schema/"+collection, nil)
	}
}

// What is brought in after the index was lost does not hide the loss from those who have
// not searched yet: it waits, the process says why, and once the index is mended all of it
// is found.
func TestIndex_WhatComesAfterALossDoesNotHideIt(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve")
	env, other := isolated.NewWorkspace(process), isolated.NewWorkspace(process)
	source := kit.Ingest(env, kit.Manual(6))
	whole(env, source, 6)
	loses(env)

	late := kit.Ingest(env, kit.Manual(3))
	reads(t, process, "weaviate", "index-lost")
	status := kit.Status(env, late)
	require.Equal(t, []string{"processing", "indexing"}, []string{string(status.Status), status.Progress.Stage})
	how, answer := degraded(env, whenDue)
	require.Equal(t, "recency", how)
	require.Zero(t, answer.Results[0].Score)
	whole(other, kit.Ingest(other, kit.Manual(2)), 2)

	report, err := isolated.CheckIndex("--fix")
	require.NoError(t, err)
	require.Equal(t, []int{12, 12}, []int{report.Missing, report.Fixed})
	whole(env, late, 3)
	whole(env, source, 6)
	reads(t, process, "", "")
	report, err = isolated.CheckIndex()
	require.NoError(t, err)
	require.Equal(t, kit.IndexReport{Workspaces: 2, Versions: 3, Items: 22}, report)
}

// triedAgain returns once a judgment that waits for the index was tried from here on, or
// waits no more.
func triedAgain(env *kit.Env, rows *pgx.Conn) {
	env.T.Helper()
	tries := func() (n int) {
		require.NoError(env.T, rows.QueryRow(env.Ctx, `SELECT coalesce(max(attempts), 1000) FROM work WHERE kind = 'judgment' AND workspace_id = $1`,
			env.Workspace.ID).Scan(&n))
		return n
	}
	before := tries()
	kit.RequireWithin(env.T, kit.Patience, "it is tried again", func() bool { return tries() > before+1 })
}

// Judgments wait likewise, and those of other workspaces do not wait with them.
func TestIndex_JudgmentsThatComeAfterALossDoNotHideIt(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	process := isolated.StartProcess("serve")
	env, other := isolated.NewWorkspace(process), isolated.NewWorkspace(process)
	rejected(env, several, on("spring"))
	kit.Remembers(env)
	loses(env)

	kit.Record(env, kit.About("late", "reject", kit.Liability, map[string]any{"recordId": "late"}))
	reads(t, process, "weaviate", "index-lost")
	kit.Record(other, kit.About("ann", "reject", kit.Liability, map[string]any{"recordId": "theirs"}))
	kit.Remembers(other)
	require.Equal(t, []string{"theirs"}, kit.JudgmentIDs(kit.Nearest(other, kit.Liability, map[string]any{"embeddingType": "content"})))
	triedAgain(env, isolated.DB())
	require.Equal(t, redline.ErrorDetailsReasonIndexAway, env.RefusedAs("UNAVAILABLE", client.SearchJudgments, map[string]any{"query": kit.Liability}).Reason)

	report, err := isolated.CheckIndex("--fix")
	require.NoError(t, err)
	require.Equal(t, []int{several, several}, []int{report.Missing, report.Fixed})
	kit.Remembers(env)
	require.Len(t, kit.JudgmentIDs(kit.Nearest(env, kit.Liability, map[string]any{"embeddingType": "content", "limit": 50})), several+1)
	reads(t, process, "", "")
}
