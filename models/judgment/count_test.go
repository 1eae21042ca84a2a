package judgment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
)

// What few judgments have is counted without reading the others.
func TestACountReadsOnlyWhatItCounts(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 1)
	b.Exec(`INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence, judge_type,
user_id, user_name, created_at) SELECT $1, n, 'record', n, CASE n WHEN 1 THEN 'odd' ELSE 'approve' END, repeat('why ', 50), '',
CASE n WHEN 1 THEN 'rare' ELSE 'article' END, 0.9, CASE n WHEN 1 THEN 'agent' ELSE 'human' END, CASE n WHEN 1 THEN 'eve' ELSE 'ann' END, 'x',
now() - n * interval '1 minute' FROM generate_series(1, 20000) AS n`, modelstest.Workspace)
	b.Exec(`ANALYZE`)
	for _, f := range []judgment.Filter{
		{ContentType: "rare"}, {Decision: "odd"}, {JudgeType: "agent"}, {ReviewerID: "eve"}, {ContentType: "rare", Decision: "odd", JudgeType: "agent"},
	} {
		require.Less(t, b.Blocks(judgment.CountQuery(modelstest.Workspace, f)), 20, "%+v", f)
		require.Len(t, b.Judgments(f), 1)
	}
}
