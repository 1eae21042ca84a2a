package judgment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
)

// Callers choose the words, so there may be as many as judgments: all are counted, and the most frequent shown.
func TestAProfileHasTheMostFrequentOfManyWords(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	often := judgment.Record{Decision: "reject", ContentType: "often", JudgeType: "human", UserID: "ann", Category: new("zz")}
	require.True(t, c.records(often))
	require.True(t, c.records(often))
	_, err := c.db.Pool.Exec(t.Context(), `
INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, category, confidence, judge_type, user_id, user_name, created_at)
SELECT workspace_id, 'many' || i, origin, 'many' || i, decision, reasoning, content, 'type' || i, 'flag' || i, confidence, judge_type, user_id, user_name, created_at
FROM (SELECT * FROM judgments LIMIT 1) j, generate_series(1, 1500) i`)
	require.NoError(t, err)
	p, err := c.Profile(t.Context(), modelstest.Workspace, "ann")
	require.NoError(t, err)
	require.EqualValues(t, 1502, p.Judgments)
	require.EqualValues(t, 1502, p.Rejections)
	require.Len(t, p.Flags, 1000)
	require.Len(t, p.ContentTypes, 1000)
	require.Equal(t, judgment.Frequency{Word: "zz", Count: 2}, p.Flags[0])
	require.Equal(t, judgment.Frequency{Word: "often", Count: 2}, p.ContentTypes[0])
}
