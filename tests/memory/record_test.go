package memory

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
)

func TestJudgmentsDelete_1and3_GoneWithTheAnswerAndRecordedAgain(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Reviewed(env, kit.SignOff(env), "approve", "a decision")
	kit.Record(env, kit.Listed(
		kit.Verdict("ann", "approve", map[string]any{"recordId": "r", "reasoning": "recorded"}), kit.Verdict("ann", "reject", map[string]any{"recordId": "kept", "reasoning": "kept"})))
	decided := kit.Judgments(env, map[string]any{"contentType": "workflow"}).Results[0].RecordID
	require.Equal(t, map[string]bool{"r": true, decided: true, "unknown": false}, kit.Forget(env, "r", decided, "unknown", "r"))
	require.Equal(t, []string{"kept"}, kit.RecordedReasons(env, nil))
	require.Equal(t, int64(1), kit.Judgments(env, nil).Total)
	require.Zero(t, kit.Judgments(env, map[string]any{"decision": "approve"}).Total)
	require.Equal(t, map[string]bool{"r": false}, kit.Forget(env, "r"))
	require.Equal(t, []redline.RecordedJudgment{{RecordID: "r", Created: true}}, kit.Record(env, kit.Verdict("bob", "approve", map[string]any{"recordId": "r", "reasoning": "again"})))
	require.Equal(t, []string{"again", "kept"}, kit.RecordedReasons(env, nil))
	require.Equal(t, map[string]bool{"r": false}, kit.Forget(kit.Elsewhere(env), "r"))
	require.Equal(t, int64(2), kit.Judgments(env, nil).Total)
}
