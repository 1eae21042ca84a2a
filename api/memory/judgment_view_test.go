package memory

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/judgment"
)

func TestAJudgmentIsShownWhole(t *testing.T) {
	for _, row := range []judgment.View{{}, {
		RecordID: "rec_1", Reasoning: "because", Decision: "approve", Confidence: 0.95, JudgeType: "human", ContentType: "workflow",
		ActionUser: judgment.ActionUser{UserID: "u", Name: "U", Email: new("u@example.com")}, CreatedAt: 1,
		OrganizationID: new("o"), DocumentID: new("d"), Agent: json.RawMessage(`{"id":"a"}`),
	}} {
		want, err := json.Marshal(row)
		require.NoError(t, err)
		got, err := json.Marshal(viewJudgment(row))
		require.NoError(t, err)
		require.Equal(t, string(want), string(got))
	}
}
