package knowledge_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
)

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
