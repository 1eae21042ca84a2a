package knowledge_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

var makersNow = knowledge.Makers{Converter: 3, Chunker: 5, Rules: 7}

// A version goes on from the first stage whose output is missing or was made by an older
// maker.
func TestARetryGoesOnWhereTheOutputEnds(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	for _, c := range []struct {
		makers     string
		done, want int
	}{
		{"", 0, 0},
		{"", 1, 0}, // nobody knows who converted it
		{makersNow.String(), 2, 2},
		{makersNow.String(), 3, 3},
		{makersNow.String(), 4, 4},
		{"extract/2 chunk/5 rules/7", 4, 0},
		{"extract/3 chunk/4 rules/7", 4, 1},
		{"extract/3 chunk/5 rules/6", 4, 2},
		{"extract/4 chunk/6 rules/8", 4, 4}, // of a newer process
	} {
		v := l.Staged("ws_one", c.makers)
		require.NoError(t, l.Fail(ctx, v, "index-failed", "m"))
		l.Exec(`UPDATE source_versions SET done = $1, makers = $2 WHERE source_id = $3`, c.done, c.makers, v.SourceID)
		require.NoError(t, l.Retry(ctx, "ws_one", v.SourceID, makersNow))
		require.Equal(t, 1, count(t, l, "source_versions WHERE state = 'accepted'"))
		status, err := l.Status(ctx, "ws_one", v.SourceID)
		require.NoError(t, err)
		require.Equal(t, []any{knowledge.StageQueued, 1}, []any{status.Stage, status.Version})
		require.Nil(t, status.FailureReason)
		require.Nil(t, status.FailureMessage)
		require.Equal(t, c.want > 1, status.ChunkCount == 1, "%+v", c)
		require.Equal(t, c.want > 0, strings.Contains(string(status.Metadata), `"pages"`), "%+v", c)
		require.Equal(t, c.want > 2, strings.Contains(string(status.Metadata), `"rulesSkipped"`), "what was said of rules that are made again")
		claimed := l.ClaimVersions(100)
		require.Contains(t, claimed, v)
		stage := []string{knowledge.StageConverting, knowledge.StageChunking, knowledge.StageRules, knowledge.StageEmbedding, knowledge.StageIndexing}[c.want]
		work, err := l.BeginStage(ctx, v, stage)
		require.NoError(t, err)
		require.False(t, work.Ended || work.Beyond, "%+v", c)
		l.Exec(`DELETE FROM sources`)
	}
}

// Of one converter a version is tried again three times, another one begins again.
func TestAVersionIsTriedAgainSoOften(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v, next := l.Staged("ws_one", ""), makersNow
	next.Converter++
	for _, now := range []knowledge.Makers{makersNow, next} {
		for range 3 {
			require.NoError(t, l.Fail(t.Context(), v, "conversion-timeout", "m"))
			require.NoError(t, l.Retry(t.Context(), "ws_one", v.SourceID, now))
			l.ClaimVersions(100)
			_, err := l.BeginStage(t.Context(), v, knowledge.StageConverting)
			require.NoError(t, err)
		}
		require.NoError(t, l.Fail(t.Context(), v, "conversion-timeout", "m"))
		modelstest.RequireRefusal(t, l.Retry(t.Context(), "ws_one", v.SourceID, now), fault.StatusFailedPrecondition, "retries-used")
	}
}

func TestOnlyWhatHasFailedIsTriedAgain(t *testing.T) {
	l := modelstest.NewLibrary(t)
	live, staged := l.Live("ws_one", "a"), l.Staged("ws_one", "b")
	for _, id := range []string{live.SourceID, staged.SourceID, brought(t, l, "c")} {
		modelstest.RequireRefusal(t, l.Retry(t.Context(), "ws_one", id, makersNow), fault.StatusFailedPrecondition, "not-failed")
	}
	require.NoError(t, l.Fail(t.Context(), staged, "index-failed", "m"))
	modelstest.RequireRefusal(t, l.Retry(t.Context(), "ws_two", staged.SourceID, makersNow), fault.StatusNotFound, "unknown-source")
	_, err := l.Delete(t.Context(), "ws_one", staged.SourceID, false)
	require.NoError(t, err)
	modelstest.RequireRefusal(t, l.Retry(t.Context(), "ws_one", staged.SourceID, makersNow), fault.StatusNotFound, "unknown-source")
}

// Of ten that ask at once one makes the version run.
func TestRacingRetriesMakeOneRun(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Staged("ws_one", "a")
	require.NoError(t, l.Fail(t.Context(), v, "index-failed", "m"))
	var callers sync.WaitGroup
	refused := make([]error, 10)
	for i := range refused {
		callers.Go(func() { refused[i] = l.Retry(context.Background(), "ws_one", v.SourceID, makersNow) })
	}
	callers.Wait()
	won := 0
	for _, err := range refused {
		if err == nil {
			won++
			continue
		}
		modelstest.RequireRefusal(t, err, fault.StatusFailedPrecondition, "not-failed")
	}
	require.Equal(t, 1, won)
	claimed := l.ClaimVersions(10)
	require.Equal(t, []knowledge.VersionRef{v}, claimed)
}

// After 900 of 1,000 chunks have their vectors, 100 are left to be embedded.
func TestARetryKeepsTheVectorsThereAre(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	texts := make([]string, 1000)
	for i := range texts {
		texts[i] = fmt.Sprint("text ", i)
	}
	v := l.Staged("ws_one", texts...)
	rows := make([]knowledge.Embedded, 900)
	for i := range rows {
		rows[i] = embedded(i, i, false)
	}
	require.NoError(t, l.StoreVectors(ctx, v, "m1", vector.Chunks, rows))
	l.Exec(`UPDATE source_versions SET done = 3, makers = $1 WHERE source_id = $2`, makersNow.String(), v.SourceID)
	require.NoError(t, l.Fail(ctx, v, "embedding-failed", "m"))
	require.NoError(t, l.Retry(ctx, "ws_one", v.SourceID, makersNow))
	left, err := l.Unembedded(ctx, v, "m1", vector.Chunks, 0, 1000)
	require.NoError(t, err)
	require.Len(t, left, 100)
	status, err := l.Status(ctx, "ws_one", v.SourceID)
	require.NoError(t, err)
	require.Equal(t, 900, status.ChunksDone)
}

// begun has a failed version, whose chunks and rules an older chunker made, run again as
// far as its chunks.
func begun(t *testing.T, l *modelstest.Library, v knowledge.VersionRef) {
	t.Helper()
	require.NoError(t, l.Fail(t.Context(), v, "index-failed", "m"))
	l.Exec(`UPDATE source_versions SET done = 4, makers = 'extract/3 chunk/4 rules/7' WHERE source_id = $1`, v.SourceID)
	require.NoError(t, l.Retry(t.Context(), v.WorkspaceID, v.SourceID, makersNow))
	claimed := l.ClaimVersions(10)
	require.Contains(t, claimed, v)
	l.Begin(v, knowledge.StageChunking)
}

// What a newer maker makes of a version again leaves no vector that no row names, and
// takes none from what is there again.
func TestKnowledgeRetry_4_WhatIsMadeAgainLeavesNoVectors(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	v, other := l.Staged("ws_one", "a", "b", "x"), l.Live("ws_one", "a")
	chunks := []knowledge.Embedded{embedded(0, 1, false), embedded(1, 2, false), embedded(2, 3, false)}
	require.NoError(t, l.StoreVectors(ctx, v, "m1", vector.Chunks, chunks))
	require.NoError(t, l.StoreVectors(ctx, v, "m1", vector.Rules, []knowledge.Embedded{embedded(0, 4, false), embedded(1, 5, false)}))
	require.NoError(t, l.StoreVectors(ctx, other, "m1", vector.Chunks, []knowledge.Embedded{embedded(0, 1, true)}))
	begun(t, l, v)
	require.NoError(t, l.StoreChunks(ctx, v, []knowledge.StoredChunk{{Content: "b", Tokens: 1}, {Content: "c", Tokens: 1}}, "m"))
	require.Equal(t, 4, count(t, l, "vectors"), "of its chunks one goes: another source has the second, and the third is there again")
	left, err := l.Unembedded(ctx, v, "m1", vector.Chunks, 0, 10)
	require.NoError(t, err)
	require.Equal(t, []knowledge.Unembedded{{Ordinal: 1, Content: "c", Hash: []byte{}}}, left)
	l.Begin(v, knowledge.StageRules)
	same := knowledge.StoredRule{ID: "rule_same", Content: "b", Category: "c", Identity: modelstest.BytesOf(1)}
	require.NoError(t, l.StoreRules(ctx, v, []knowledge.StoredRule{same}, []byte(`{}`)))
	require.Equal(t, 3, count(t, l, "vectors"))
	left, err = l.Unembedded(ctx, v, "m1", vector.Rules, 0, 10)
	require.NoError(t, err)
	require.Empty(t, left)
	drop(t, l, v)
	drop(t, l, other)
	require.Zero(t, count(t, l, "vectors"))
}

// What a failed version left in the index is removed, or brought in again, one after the
// other: nothing that is new goes.
func TestARetryWaitsForThePurge(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	v := l.Staged("ws_one", "a")
	require.NoError(t, l.Fail(ctx, v, "index-failed", "m"))
	retried := make(chan error, 1)
	require.NoError(t, l.Purge(ctx, v, func() error {
		go func() { retried <- l.Retry(context.Background(), "ws_one", v.SourceID, makersNow) }()
		l.SomebodyWaits()
		return nil
	}))
	require.NoError(t, <-retried)
	late := l.Staged("ws_one", "b")
	require.NoError(t, l.Fail(ctx, late, "index-failed", "m"))
	require.NoError(t, l.Retry(ctx, "ws_one", late.SourceID, makersNow))
	require.NoError(t, l.Purge(ctx, late, func() error {
		require.Fail(t, "it is being brought in again")
		return nil
	}))
}
