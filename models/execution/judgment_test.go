package execution_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
)

func TestADecisionIsOneJudgment(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	run := b.Waiting("k", execution.Dispatch{OrganizationID: "acme", DocumentID: "doc", TriggerContext: json.RawMessage(`{"content":"A\u0000 text"}`)})
	began := modelstest.ClockOf(t, b.DB)
	require.True(t, b.Decides(run, "ann", "approve", "clear").Recorded)
	require.False(t, b.Decides(run, "ann", "reject", "again").Recorded, "the first decision stands")
	require.False(t, b.Decides(run, "eve", "reject", "").Recorded, "nobody asked eve")
	require.True(t, b.Decides(run, "bob", "reject", " ").Recorded)
	found := b.Judgments(judgment.Filter{})
	require.Len(t, found, 2)
	of := map[string]judgment.View{found[0].ActionUser.UserID: found[0], found[1].ActionUser.UserID: found[1]}
	ann, bob := of["ann"], of["bob"]
	require.True(t, strings.HasPrefix(ann.RecordID, "jdg_"))
	require.Equal(t, []any{"approve", "clear", 0.95, "human", "workflow", "ann"},
		[]any{ann.Decision, ann.Reasoning, ann.Confidence, ann.JudgeType, ann.ContentType, ann.ActionUser.Name})
	require.Equal(t, []any{"reject", " ", 0.75}, []any{bob.Decision, bob.Reasoning, bob.Confidence})
	require.Equal(t, "acme", *ann.OrganizationID)
	require.Equal(t, "doc", *ann.DocumentID)
	require.Nil(t, ann.ActionUser.Email)
	require.Nil(t, ann.Agent)
	require.WithinRange(t, time.UnixMilli(ann.CreatedAt), began.Truncate(time.Millisecond), modelstest.ClockOf(t, b.DB))
	b.Exec(`UPDATE judgments SET content = content || '!' WHERE content = 'A text'`)
	require.Len(t, b.Rows(`SELECT record_id FROM judgments WHERE content = 'A text!'`), 2, "a NUL has no place in a text")
}

// What a judgment is about: the trigger's content, else the document's name,
// else the definition's.
func TestTheContentOfAJudgment(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	b.Exec(`INSERT INTO organizations (workspace_id, organization_id, name) VALUES ($1, 'acme', 'Acme')`, modelstest.Workspace)
	b.Exec(`INSERT INTO documents (workspace_id, organization_key, document_id, name, default_access)
SELECT $1, key, 'doc', 'Spring issue', 'public' FROM organizations`, modelstest.Workspace)
	b.Exec(`INSERT INTO profiles (organization_key, user_id, workspace_id, name, email) SELECT key, 'ann', $1, 'Ann', 'ann@x.y' FROM organizations`, modelstest.Workspace)
	long := strings.Repeat("é", 60_000)
	for i, c := range []struct{ organization, document, trigger, want string }{
		{"acme", "doc", `{"content":"the text"}`, "the text"},
		{"acme", "doc", `{"content":{ "b": [1, 2.50] }}`, `{"b":[1,2.50]}`},
		{"acme", "doc", `{"content":"` + long + `"}`, strings.Repeat("é", 50_000)},
		{"acme", "doc", `{"content":null}`, "Spring issue"},
		{"acme", "doc", ``, "Spring issue"},
		{"acme", "other", `{"content":" "}`, "people"},
		{"other", "doc", ``, "people"},
	} {
		run := b.Waiting(strconv.Itoa(i), execution.Dispatch{OrganizationID: c.organization, DocumentID: c.document, TriggerContext: json.RawMessage(c.trigger)})
		b.Decides(run, "ann", "approve", "")
		got := b.Rows(`SELECT content FROM judgments WHERE origin_id LIKE $1`, run+"/%")
		require.Equal(t, []string{c.want}, got)
	}
	named := b.Judgments(judgment.Filter{OrganizationID: "acme", DocumentID: "doc"})
	require.Len(t, named, 5)
	require.Equal(t, "Ann", named[0].ActionUser.Name)
	require.Equal(t, "ann@x.y", *named[0].ActionUser.Email)
	require.Equal(t, "ann", b.Judgments(judgment.Filter{OrganizationID: "other"})[0].ActionUser.Name)
}

// A decision that is not committed leaves no judgment, and one that cannot be
// stored is not recorded.
func TestADecisionAndItsJudgmentAreOneTransaction(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	run := b.Waiting("k", execution.Dispatch{})
	b.Exec(`ALTER TABLE judgments ADD CONSTRAINT never CHECK (reasoning <> 'never')`)
	_, err := b.Decide(t.Context(), modelstest.Workspace, run, "", interpreter.Decision{
		StepID: interpreter.StepID(run, "a", 1, 1), ReviewerID: "ann", Word: "approve", Reason: "never",
	})
	require.Error(t, err)
	require.Empty(t, b.Judgments(judgment.Filter{}))
	require.True(t, b.Decides(run, "ann", "approve", "").Recorded, "the decision was undone too")
	require.Len(t, b.Judgments(judgment.Filter{}), 1)
}

func TestJudgmentsQuery_3_OneMillisecondPagesThrough(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	b.Exec(`INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence,
judge_type, user_id, user_name, organization_key, annotation_id, created_at)
SELECT $1, 'r' || i, 'step', i::text, 'approve', '', '', 'workflow', 0.75, 'human', 'ann', 'Ann', acme.key, 'thread', '2026-01-01Z'
FROM generate_series(1, 10000) i, subject_key($1, NULL, 'acme') AS acme (key)`, modelstest.Workspace)
	store := judgment.New(b.DB)
	for _, filter := range []judgment.Filter{{}, {AnnotationID: "thread"}} {
		seen := map[string]bool{}
		var after *judgment.Position
		for {
			page, err := store.Query(t.Context(), modelstest.Workspace, filter, after, 97)
			require.NoError(t, err)
			require.Equal(t, int64(10_000), page.Total)
			for i, item := range page.Items {
				require.False(t, seen[item.RecordID])
				seen[item.RecordID] = true
				if i > 0 {
					require.Equal(t, filter.AnnotationID != "", page.Items[i-1].RecordID < item.RecordID, "of a thread oldest first")
				}
			}
			if after = page.Next; after == nil {
				break
			}
		}
		require.Len(t, seen, 10_000)
	}
	stranger, err := store.Query(t.Context(), "ws_other", judgment.Filter{OrganizationID: "acme"}, nil, 20)
	require.NoError(t, err)
	require.Empty(t, stranger.Items)
	require.Zero(t, stranger.Total)
}
