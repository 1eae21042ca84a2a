package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// What is as long as it may be is taken, and one character more is not.
func TestJudgmentsRecord_TextsAtTheirLimits(t *testing.T) {
	env := newWorkspace(t)
	longest := map[string]int{"recordId": 200, "decision": 64, "contentType": 64, "category": 64, "reasoning": 10_000, "content": 50_000}
	all := kit.Verdict("ann", "approve")
	for field, most := range longest {
		all[field] = kit.Accented(most)
		failure := env.RefusedAs("INVALID_ARGUMENT", client.RecordJudgments, kit.Verdict("ann", "approve", map[string]any{field: kit.Accented(most + 1)}))
		require.Equal(t, []string{field}, failure.Issues[0].Path)
	}
	require.Equal(t, []redline.RecordedJudgment{{RecordID: kit.Accented(200), Created: true}}, kit.Record(env, all))
	page := kit.Judgments(env, map[string]any{"decision": kit.Accented(64), "contentType": kit.Accented(64)})
	require.Equal(t, int64(1), page.Total)
	require.Equal(t, kit.Accented(10_000), page.Results[0].Reasoning)
	require.Equal(t, map[string]bool{kit.Accented(200): true}, kit.Forget(env, kit.Accented(200)))
}

func TestJudgmentsRecordAndDelete_AHundredAtOnce(t *testing.T) {
	env := newWorkspace(t)
	ids, all := kit.Approvals(101)
	require.Equal(t, []string{"judgments"}, env.RefusedAs("INVALID_ARGUMENT", client.RecordJudgments, kit.Listed(all...)).Issues[0].Path)
	require.Zero(t, kit.Judgments(env, nil).Total)
	require.Len(t, kit.Record(env, kit.Listed(all[:100]...)), 100)
	require.Equal(t, []string{"recordIds"}, env.RefusedAs("INVALID_ARGUMENT", client.DeleteJudgments, map[string]any{"recordIds": ids}).Issues[0].Path)
	require.Equal(t, int64(100), kit.Judgments(env, nil).Total)
	require.Len(t, kit.Forget(env, ids[:100]...), 100)
	require.Zero(t, kit.Judgments(env, nil).Total)
}
