package judgment_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/subject"
)

// reviewed makes judgments of a workspace that are alike, the first ones the oldest.
func reviewed(b *modelstest.Bench, workspaceID string, from, to int, decision, contentType, judgeType, user string) {
	b.T.Helper()
	b.Exec(`INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence, judge_type,
user_id, user_name, created_at) SELECT $1, lpad(n::text, 8, '0'), 'record', n, $4, repeat('why ', 50), '', $5, 0.9, $6, $7, 'x',
now() + n * interval '1 minute' FROM generate_series($2::int, $3::int) AS n`, workspaceID, from, to, decision, contentType, judgeType, user)
}

// What few judgments have is counted without reading the others, and a search begins
// without reading any.
func TestACountReadsOnlyWhatItCounts(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 1)
	reviewed(b, modelstest.Workspace, 1, 1, "odd", "rare", "agent", "eve")
	reviewed(b, modelstest.Workspace, 2, 20000, "approve", "article", "human", "ann")
	reviewed(b, "elsewhere", 1, 10000, "odd", "rare", "agent", "eve")
	b.Exec(`ANALYZE`)
	for _, f := range []judgment.Filter{
		{ContentType: "rare"}, {Decision: "odd"}, {JudgeType: "agent"}, {ReviewerID: "eve"}, {ContentType: "rare", Decision: "odd", JudgeType: "agent"},
	} {
		require.Less(t, b.Blocks(judgment.CountQuery(modelstest.Workspace, f, subject.Narrow{})), 20, "%+v", f)
		require.Len(t, b.Judgments(f), 1)
	}
	require.Less(t, b.BlocksByKeys(judgment.ReadSurroundings, []any{modelstest.Workspace, 50}), 100, "whatever is asked for")
}

// What nobody had when Postgres last looked is counted without reading the others, too.
func TestACountReadsOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 1)
	reviewed(b, modelstest.Workspace, 1, 20000, "approve", "article", "human", "ann")
	about(b, "acme", "spring")
	b.Exec(`ANALYZE`)
	reviewed(b, modelstest.Workspace, 20001, 20001, "odd", "rare", "agent", "eve")
	about(b, "rival", "autumn")
	for _, f := range []judgment.Filter{
		{ContentType: "rare"},
		{Decision: "odd"},
		{JudgeType: "agent"},
		{ReviewerID: "eve"},
		{OrganizationID: "rival"},
		{DocumentID: "autumn"},
		{OrganizationID: "rival", DocumentID: "autumn"},
	} {
		var narrow subject.Narrow
		among := subject.Filter{OrganizationID: f.OrganizationID, DocumentID: f.DocumentID}
		require.NoError(t, among.Read(t.Context(), b.DB, modelstest.Workspace, func(_ *pgx.Batch, n subject.Narrow) { narrow = n }))
		require.Less(t, b.Blocks(judgment.CountQuery(modelstest.Workspace, f, narrow)), 100, "%+v", f)
	}
}

// about makes the judgments that are about nothing ones of a document.
func about(b *modelstest.Bench, organizationID, documentID string) {
	b.T.Helper()
	b.Exec(`WITH organization AS MATERIALIZED (SELECT subject_key($1, NULL, $2) AS key),
document AS MATERIALIZED (SELECT subject_key($1, key, $3) AS key FROM organization)
UPDATE judgments SET organization_key = o.key, document_key = d.key FROM organization o, document d WHERE organization_key IS NULL`,
		modelstest.Workspace, organizationID, documentID)
}
