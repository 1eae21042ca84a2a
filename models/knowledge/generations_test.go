package knowledge_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

func TestFirstGenerationIsMadeOnce(t *testing.T) {
	l := modelstest.NewLibrary(t)
	none, err := l.Serving(t.Context(), true)
	require.NoError(t, err)
	require.Nil(t, none)
	var callers sync.WaitGroup
	made := make([]*knowledge.Generation, 8)
	for i := range made {
		callers.Go(func() { made[i], _ = l.FirstGeneration(t.Context(), "m1", []float32{1, 0.5}) })
	}
	callers.Wait()
	for _, g := range made {
		require.Equal(t, made[0], g)
	}
	require.Equal(t, []any{"m1", []float32{1, 0.5}, "m1"}, []any{made[0].Identity, made[0].Probe, made[0].Model})
	later, err := l.FirstGeneration(t.Context(), "m2", []float32{2})
	require.NoError(t, err)
	require.Equal(t, made[0], later)
}

func TestSwitchWaitsForEveryLiveVersion(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	old, other := l.Live("ws_one", "a"), l.Live("ws_two", "b")
	first := l.Generation()
	built, err := l.Build(ctx, "m2", []float32{2}, "m2")
	require.NoError(t, err)
	again, err := l.Build(ctx, "m2", []float32{2}, "m2")
	require.NoError(t, err)
	require.Equal(t, built, again, "it goes on where it was left")
	lacks, err := l.Uncopied(ctx, built.ID, 10)
	require.NoError(t, err)
	require.ElementsMatch(t, []knowledge.VersionRef{old, other}, lacks)
	require.NoError(t, l.Copied(ctx, old, built.ID))
	done, err := l.Switch(ctx, built.ID)
	require.NoError(t, err)
	require.False(t, done)
	require.Equal(t, first, l.Generation())
	require.NoError(t, l.Copied(ctx, other, built.ID))
	live, copied, err := l.LiveVersions(ctx, built.ID)
	require.NoError(t, err)
	require.Equal(t, []int{2, 2}, []int{live, copied})

	between := l.Staged("ws_one", "between")
	done, err = l.Switch(ctx, built.ID)
	require.NoError(t, err)
	require.True(t, done)
	serving, err := l.Serving(ctx, true)
	require.NoError(t, err)
	require.Equal(t, built, serving)
	require.NoError(t, l.Complete(ctx, between), "it is in the old generation only")
	status, err := l.Status(ctx, "ws_one", between.SourceID)
	require.NoError(t, err)
	require.Equal(t, []any{"staging", "embedding"}, []any{status.State, status.Stage}, "so it is embedded and indexed once more")
	claimed := l.ClaimVersions(10)
	require.Equal(t, []knowledge.VersionRef{between}, claimed)
	l.Begin(between, knowledge.StageEmbedding)
	require.NoError(t, l.FinishStage(ctx, between, knowledge.StageEmbedding))
	l.Begin(between, knowledge.StageIndexing)
	require.NoError(t, l.MarkIndexed(ctx, between, built.ID))
	require.NoError(t, l.Complete(ctx, between))
	status, err = l.Status(ctx, "ws_one", between.SourceID)
	require.NoError(t, err)
	require.Equal(t, "live", status.State)
}

func TestSearchReadsTheServingGenerationByItsOwnModelOnly(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	v := l.Live("ws_one", "a")
	x := &modelstest.Index{Hits: map[vector.Corpus][]vector.Hit{vector.Chunks: {modelstest.ChunkHit(v, 0, 0.1)}}}
	built, err := l.Build(ctx, "m2", []float32{2}, "m2")
	require.NoError(t, err)
	require.NoError(t, l.Copied(ctx, v, built.ID))
	found, err := l.Search(ctx, "ws_one", x, modelstest.Question)
	require.NoError(t, err)
	require.False(t, found.Moved || found.Degraded)
	require.Equal(t, l.Generation().Suffix, x.Suffix)
	_, err = l.Switch(ctx, built.ID)
	require.NoError(t, err)
	found, err = l.Search(ctx, "ws_one", x, modelstest.Question)
	require.NoError(t, err)
	require.True(t, found.Moved && found.Degraded, "a vector of the model before says nothing")
	require.Nil(t, found.Items[0].Score)
	q := modelstest.Question
	q.Model = "m2"
	found, err = l.Search(ctx, "ws_one", x, q)
	require.NoError(t, err)
	require.False(t, found.Moved || found.Degraded)
	require.Equal(t, built.Suffix, x.Suffix)
}

func TestRetiredGenerationGoesAfterAMinuteWithItsVectors(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	v := l.Live("ws_one", "a")
	first := l.Generation()
	require.NoError(t, l.StoreVectors(ctx, v, "m1", vector.Chunks, []knowledge.Embedded{{Hash: modelstest.BytesOf(1), Vector: []float32{1}}}))
	require.NoError(t, l.StoreVectors(ctx, v, "m2", vector.Chunks, []knowledge.Embedded{{Hash: modelstest.BytesOf(1), Vector: []float32{2}}}))
	given, err := l.Build(ctx, "m3", []float32{3}, "m3")
	require.NoError(t, err)
	built, err := l.Build(ctx, "m2", []float32{2}, "m2")
	require.NoError(t, err)
	require.NotEqual(t, given.ID, built.ID)
	require.NoError(t, l.Copied(ctx, v, built.ID))
	done, err := l.Switch(ctx, built.ID)
	require.NoError(t, err)
	require.True(t, done)
	dropped, err := l.Dropped(ctx)
	require.NoError(t, err)
	require.Empty(t, dropped, "a search may still go on")
	l.Exec(`UPDATE index_generations SET retired_at = retired_at - interval '61 seconds'`)
	dropped, err = l.Dropped(ctx)
	require.NoError(t, err)
	require.ElementsMatch(t, []knowledge.Generation{*first, *given}, dropped)
	for _, g := range dropped {
		require.NoError(t, l.Forget(ctx, g))
	}
	known, err := l.KnownVectors(ctx, "ws_one", "m1", [][]byte{modelstest.BytesOf(1)})
	require.NoError(t, err)
	require.Empty(t, known)
	known, err = l.KnownVectors(ctx, "ws_one", "m2", [][]byte{modelstest.BytesOf(1)})
	require.NoError(t, err)
	require.Len(t, known, 1)
	standing, err := l.Standing(ctx)
	require.NoError(t, err)
	require.Equal(t, []knowledge.Generation{*built}, standing)
}

func TestVersionThatEndedWhileItWasCopiedIsRemovedOnceMore(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	v := l.Staged("ws_one", "a")
	require.NoError(t, l.Fail(ctx, v, "index-failed", "why"))
	require.NoError(t, l.Purge(ctx, v, nothing))
	built, err := l.Build(ctx, "m2", []float32{2}, "m2")
	require.NoError(t, err)
	require.NoError(t, l.Copied(ctx, v, built.ID))
	l.Exec(`UPDATE source_versions SET updated_at = updated_at - interval '61 seconds'`)
	hidden, err := l.HiddenVersions(ctx, 10)
	require.NoError(t, err)
	require.Equal(t, []knowledge.VersionRef{v}, hidden)
}

// Only what is live, or indexed, fills a place of the index, and only in the generation that
// serves.
func TestWhatRowsSayThatAPlaceHolds(t *testing.T) {
	l := modelstest.NewLibrary(t)
	fills := func(workspaceID, suffix string) (filled [3]bool) {
		t.Helper()
		for i, corpus := range []vector.Corpus{vector.Chunks, vector.Rules, vector.Judgments} {
			var err error
			filled[i], err = l.Fills(t.Context(), vector.Partition{Suffix: suffix, Workspace: workspaceID, Corpus: corpus})
			require.NoError(t, err)
		}
		return filled
	}
	serving := l.Generation().Suffix
	l.Staged("ws_one", "a")
	require.Equal(t, [3]bool{}, fills("ws_one", serving), "it is not live yet")
	l.Live("ws_one", "b")
	require.Equal(t, [3]bool{true, true, false}, fills("ws_one", serving))
	l.Exec(`UPDATE source_versions SET rule_count = 0`)
	modelstest.AddReviews(t, l.DB, "ws_one", modelstest.Review{ID: "r", Reviewer: "ann", Review: []float32{1}})
	require.Equal(t, [3]bool{true, false, true}, fills("ws_one", serving))
	require.Equal(t, [3]bool{}, fills("ws_two", serving))
	require.Equal(t, [3]bool{}, fills("ws_one", "_former"))
}
