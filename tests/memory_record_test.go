package tests

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	recordJudgments = "memory/judgments/record"
	deleteJudgments = "memory/judgments/delete"
)

type recordedView struct {
	RecordID string `json:"recordId"`
	Created  bool   `json:"created"`
}

type recordedResult struct {
	Results []recordedView `json:"results"`
}

type deletedResult struct {
	Results map[string]struct {
		Success bool   `json:"success"`
		Message string `json:"message"`
	} `json:"results"`
}

// verdict is what is needed of a judgment, with more fields.
func verdict(userID, decision string, more ...map[string]any) map[string]any {
	data := map[string]any{"decision": decision, "actionUser": map[string]any{"userId": userID}}
	for _, fields := range more {
		maps.Copy(data, fields)
	}
	return data
}

func listed(all ...map[string]any) map[string]any { return map[string]any{"judgments": all} }

// record records one judgment, or a list.
func (s *scene) record(data map[string]any) []recordedView {
	s.t.Helper()
	var result recordedResult
	s.call(recordJudgments, data, &result)
	return result.Results
}

// forget deletes judgments and gives which of them were there.
func (s *scene) forget(ids ...string) map[string]bool {
	s.t.Helper()
	var result deletedResult
	s.call(deleteJudgments, map[string]any{"recordIds": ids}, &result)
	there := map[string]bool{}
	for id, became := range result.Results {
		require.NotEmpty(s.t, became.Message)
		there[id] = became.Success
	}
	return there
}

func TestJudgmentsDelete_1and3_GoneWithTheAnswerAndRecordedAnew(t *testing.T) {
	s := begin(t)
	s.reviewed(s.signOff(), "approve", "a decision")
	s.record(listed(
		verdict("ann", "approve", map[string]any{"recordId": "r", "reasoning": "recorded"}), verdict("ann", "reject", map[string]any{"recordId": "kept", "reasoning": "kept"})))
	decided := s.judgments(map[string]any{"contentType": "workflow"}).Results[0].RecordID
	require.Equal(t, map[string]bool{"r": true, decided: true, "unknown": false}, s.forget("r", decided, "unknown", "r"))
	require.Equal(t, []string{"kept"}, s.recorded(nil))
	require.Equal(t, 1, s.judgments(nil).Total)
	require.Zero(t, s.judgments(map[string]any{"decision": "approve"}).Total)
	require.Equal(t, map[string]bool{"r": false}, s.forget("r"))
	require.Equal(t, []recordedView{{"r", true}}, s.record(verdict("bob", "approve", map[string]any{"recordId": "r", "reasoning": "anew"})))
	require.Equal(t, []string{"anew", "kept"}, s.recorded(nil))
	require.Equal(t, map[string]bool{"r": false}, s.elsewhere().forget("r"))
	require.Equal(t, 2, s.judgments(nil).Total)
}
