package judgment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
)

// reviewed makes judgments of a workspace that are alike but for the first one, as are those
// of another workspace, where what is rare here is what all have.
func reviewed(b *modelstest.Bench, workspaceID, decision, contentType, judgeType, user string) {
	b.T.Helper()
	b.Exec(`INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence, judge_type,
user_id, user_name, created_at) SELECT $1, n, 'record', n, CASE n WHEN 1 THEN 'odd' ELSE $2 END, repeat('why ', 50), '',
CASE n WHEN 1 THEN 'rare' ELSE $3 END, 0.9, CASE n WHEN 1 THEN 'agent' ELSE $4 END, CASE n WHEN 1 THEN 'eve' ELSE $5 END, 'x',
now() - n * interval '1 minute' FROM generate_series(1, 20000) AS n`, workspaceID, decision, contentType, judgeType, user)
}

// What few judgments have is counted, and read by a search, without reading the others.
func TestACountReadsOnlyWhatItCounts(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 1)
	reviewed(b, modelstest.Workspace, "approve", "article", "human", "ann")
	reviewed(b, "elsewhere", "odd", "rare", "agent", "eve")
	b.Exec(`ANALYZE`)
	for _, f := range []judgment.Filter{
		{ContentType: "rare"}, {Decision: "odd"}, {JudgeType: "agent"}, {ReviewerID: "eve"}, {ContentType: "rare", Decision: "odd", JudgeType: "agent"},
	} {
		require.Less(t, b.Blocks(judgment.CountQuery(modelstest.Workspace, f)), 20, "%+v", f)
		require.Len(t, b.Judgments(f), 1)
	}
	for _, f := range []judgment.Filter{
		{},
		{ContentType: "article"},
		{Decision: "approve"},
		{JudgeType: "human"},
		{ReviewerID: "ann"},
		{ContentType: "rare"},
		{Decision: "odd"},
		{JudgeType: "agent"},
		{ReviewerID: "eve"},
		{ContentType: "article", ReviewerID: "eve"},
		{Decision: "odd", ContentType: "article"},
		{ContentType: "article", Decision: "approve", JudgeType: "human"},
		{ContentType: "none"},
		{AnnotationID: "none"},
	} {
		require.Less(t, b.BlocksByKeys(judgment.FirstQuery(modelstest.Workspace, f)), 100, "%+v", f)
	}
}
