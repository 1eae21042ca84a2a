package tests

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What is as long as it may be is taken, and one character more is not.
func TestJudgmentsRecord_TextsAtTheirLimits(t *testing.T) {
	s := begin(t)
	longest := map[string]int{"recordId": 200, "decision": 64, "contentType": 64, "category": 64, "reasoning": 10_000, "content": 50_000}
	all := verdict("ann", "approve")
	for field, most := range longest {
		all[field] = accented(most)
		failure := s.refusedAs("INVALID_ARGUMENT", recordJudgments, verdict("ann", "approve", map[string]any{field: accented(most + 1)}))
		require.Equal(t, []string{field}, failure.Issues[0].Path)
	}
	require.Equal(t, []recordedView{{accented(200), true}}, s.record(all))
	page := s.judgments(map[string]any{"decision": accented(64), "contentType": accented(64)})
	require.Equal(t, 1, page.Total)
	require.Equal(t, accented(10_000), page.Results[0].Reasoning)
	require.Equal(t, map[string]bool{accented(200): true}, s.forget(accented(200)))
}

func TestJudgmentsRecordAndDelete_AHundredAtOnce(t *testing.T) {
	s := begin(t)
	ids, all := approvals(101)
	require.Equal(t, []string{"judgments"}, s.refusedAs("INVALID_ARGUMENT", recordJudgments, listed(all...)).Issues[0].Path)
	require.Zero(t, s.judgments(nil).Total)
	require.Len(t, s.record(listed(all[:100]...)), 100)
	require.Equal(t, []string{"recordIds"}, s.refusedAs("INVALID_ARGUMENT", deleteJudgments, map[string]any{"recordIds": ids}).Issues[0].Path)
	require.Equal(t, 100, s.judgments(nil).Total)
	require.Len(t, s.forget(ids[:100]...), 100)
	require.Zero(t, s.judgments(nil).Total)
}
