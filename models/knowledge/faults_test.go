package knowledge_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
)

// How long a stage has failed counts from its first fault, whatever came before, and each
// stage begins again.
func TestAFaultLastsFromTheFirstTryThatFailed(t *testing.T) {
	l := modelstest.NewLibrary(t)
	ctx := t.Context()
	v := l.Staged("ws_one", "a")
	l.Exec(`DELETE FROM index_copies`)
	l.Exec(`UPDATE source_versions SET done = 3, stage = 'extracting-rules'`)
	begin := func(stage string) { l.Begin(v, stage) }
	lasted := func(stage string) time.Duration {
		lasted, err := l.NoteFault(ctx, v, stage)
		require.NoError(t, err)
		return lasted.Round(time.Hour)
	}
	later := func() {
		l.Exec(`UPDATE source_versions SET started_at = started_at - interval '7 hours', fault_since = fault_since - interval '7 hours'`)
	}
	begin(knowledge.StageEmbedding)
	later()
	begin(knowledge.StageEmbedding)
	require.Zero(t, lasted(knowledge.StageEmbedding), "the stage began long ago and has not failed")
	later()
	begin(knowledge.StageEmbedding)
	require.Equal(t, 7*time.Hour, lasted(knowledge.StageEmbedding))
	require.Zero(t, lasted(knowledge.StageIndexing), "of a try that is late")

	require.NoError(t, l.FinishStage(ctx, v, knowledge.StageEmbedding))
	begin(knowledge.StageIndexing)
	require.Zero(t, lasted(knowledge.StageIndexing))
	later()
	require.NoError(t, l.FinishStage(ctx, v, knowledge.StageIndexing))
	require.NoError(t, l.Complete(ctx, v), "it goes back: the generation that serves does not have it")
	begin(knowledge.StageEmbedding)
	require.Zero(t, lasted(knowledge.StageEmbedding))
	later()
	require.NoError(t, l.Fail(ctx, v, "embedding-failed", "m"))
	require.Zero(t, lasted(knowledge.StageEmbedding), "it has ended")
}

// A version of a stopped workspace goes into no other stage, and waits in the queue.
func TestAnIngestionOfAStoppedWorkspaceWaits(t *testing.T) {
	l := modelstest.NewLibrary(t)
	v := l.Staged("ws_one", "a")
	require.NoError(t, l.FinishStage(t.Context(), v, knowledge.StageIndexing))
	l.Exec(`UPDATE workspaces SET suspended_at = now(), stopped_at = now()`)
	for _, stage := range []string{knowledge.StageIndexing, knowledge.StageCompleted} {
		work, err := l.BeginStage(t.Context(), v, stage)
		require.NoError(t, err)
		require.True(t, work.Ended, stage)
	}
	l.Exec(`UPDATE work SET locked_until = '-infinity'`)
	require.NotContains(t, l.ClaimVersions(100), v)
	l.Exec(`UPDATE workspaces SET suspended_at = NULL, stopped_at = NULL`)
	require.Contains(t, l.ClaimVersions(100), v)
	l.Begin(v, knowledge.StageCompleted)
}
