package execution_test

import (
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/queue"
)

func decisionOf(run, user, word string) interpreter.Decision {
	return interpreter.Decision{StepID: interpreter.StepID(run, "a", 1, 1), ReviewerID: user, Word: word, Reason: "clear"}
}

// differing are the parts of two executions that are alike which differ: hashes and times.
var differing = regexp.MustCompile(`[0-9]{13}|[0-9a-f]{12}`)

// rowsOf are all rows of an execution, without what differs between any two.
func rowsOf(b *modelstest.Bench, run string) []string {
	var all []string
	for _, query := range []string{
		`SELECT (to_jsonb(e) - '{id,idempotency_key,correlation_id,started_at,completed_at,paused_at,cancelled_at}'::text[])::text FROM executions e WHERE id = $1`,
		`SELECT (to_jsonb(s) - '{id,execution_id,created_at,started_at,completed_at}'::text[])::text FROM steps s WHERE execution_id = $1 ORDER BY ordinal`,
		`SELECT (to_jsonb(r) - '{step_id,execution_id,decided_at,step_created}'::text[])::text FROM step_reviewers r WHERE execution_id = $1 ORDER BY position`,
		`SELECT concat_ws(' ', seq, type, status, internal, data) FROM events WHERE execution_id = $1 ORDER BY seq`,
		`SELECT concat_ws(' ', kind, workspace_id, group_key, ready) FROM work WHERE key = $1 ORDER BY kind`,
		`SELECT concat_ws(' ', decision, reasoning, content, user_id, organization_key, document_key) FROM judgments WHERE origin_id LIKE $1 || '%' ORDER BY user_id`,
	} {
		for _, row := range b.Rows(query, run) {
			all = append(all, differing.ReplaceAllString(row, "..."))
		}
	}
	return all
}

// A decision by the process that has written the execution writes what any other
// process writes.
func TestADecisionIsWrittenAlikeByWhoeverTakesIt(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	for n, about := range []execution.Dispatch{{}, {OrganizationID: "acme", DocumentID: "doc"}} {
		for _, words := range [][]string{{"approve", "approve"}, {"approve", "reject"}, {"reject"}} {
			own, others := b.Waiting(fmt.Sprint(n, words, "own"), about), b.Waiting(fmt.Sprint(n, words, "others"), about)
			for i, word := range words {
				user := []string{"ann", "bob"}[i]
				got := b.Decides(own, user, word, "clear")
				require.True(t, got.Recorded, "%d %s %d", n, words, i)
				want, err := b.Limited(0).Decide(t.Context(), modelstest.Workspace, others, "", decisionOf(others, user, word))
				require.NoError(t, err)
				require.Equal(t, want, got)
			}
			require.Equal(t, rowsOf(b, others), rowsOf(b, own))
		}
	}
}

// Whatever changes an execution behind the back of a process, and whatever changes what
// a command causes, its next decision goes by what stands: it answers and writes as one
// of a process that has never seen the execution.
func TestADecisionGoesByWhatStands(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	other := b.Limited(0)
	for name, change := range map[string]func(run string){
		"another decision": func(run string) {
			_, err := other.Decide(t.Context(), modelstest.Workspace, run, "", decisionOf(run, "bob", "approve"))
			require.NoError(t, err)
		},
		"a pause": func(run string) {
			_, err := other.Pause(t.Context(), modelstest.Workspace, execution.Act{ExecutionID: run})
			require.NoError(t, err)
		},
		"the end": func(run string) {
			_, err := other.Cancel(t.Context(), modelstest.Workspace, run, "", "", "")
			require.NoError(t, err)
		},
		"another run": func(run string) { b.Exec(`UPDATE executions SET run_id = 'another' WHERE id = $1`, run) },
		"another receiver": func(run string) {
			b.Exec(`UPDATE executions SET receiver_origin = 'https://a.test' WHERE id = $1`, run)
		},
		"other events": func(run string) { b.Exec(`UPDATE executions SET receiver_event_types = '{a}' WHERE id = $1`, run) },
		"removal": func(run string) {
			b.Exec(`DELETE FROM step_reviewers WHERE execution_id = $1`, run)
			b.Exec(`DELETE FROM steps WHERE execution_id = $1`, run)
			b.Exec(`DELETE FROM events WHERE execution_id = $1`, run)
			b.Exec(`DELETE FROM executions WHERE id = $1`, run)
		},
		"another subject": func(run string) {
			b.Exec(`UPDATE executions SET document_key = NULL, organization_key = NULL WHERE id = $1`, run)
		},
		"another id of the document": func(run string) {
			b.Exec(`UPDATE subjects SET id = 'moved' WHERE key = (SELECT document_key FROM executions WHERE id = $1)`, run)
		},
	} {
		t.Run(name, func(t *testing.T) {
			about := execution.Dispatch{OrganizationID: "acme", DocumentID: "doc " + name}
			own, others := b.Waiting(name, about), b.Waiting(name+" of others", about)
			change(own)
			change(others)
			got, err := b.Decide(t.Context(), modelstest.Workspace, own, "", decisionOf(own, "ann", "approve"))
			want, wanted := b.Limited(0).Decide(t.Context(), modelstest.Workspace, others, "", decisionOf(others, "ann", "approve"))
			require.Equal(t, wanted, err)
			require.Equal(t, want, got)
			require.Equal(t, rowsOf(b, others), rowsOf(b, own))
		})
	}
}

func TestADecisionOfSomebodyElseIsNotRecorded(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	run := b.Waiting("k", execution.Dispatch{})
	before := rowsOf(b, run)
	require.Equal(t, "unknown-responder", b.Decides(run, "eve", "approve", "").Status)
	require.Equal(t, before, rowsOf(b, run), "nothing was done")
	require.True(t, b.Decides(run, "ann", "approve", "").Recorded)
	require.Equal(t, "idempotent", b.Decides(run, "ann", "reject", "").Status)
}

// A signal that is due stays due, and what drives nothing waits for it.
func TestADecisionLeavesTheSignalThatIsDue(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	run := b.Waiting("k", execution.Dispatch{})
	require.NoError(t, b.Signal(t.Context(), modelstest.Workspace, run))
	require.True(t, b.Decides(run, "ann", "approve", "").Recorded)
	require.Len(t, b.Signals(), 1)

	other := b.Waiting("other", execution.Dispatch{})
	b.Exec(`DELETE FROM work`)
	dueAfter(b, queue.Executions, 10*time.Second, func() { require.True(t, b.Decides(other, "ann", "approve", "").Recorded) })
	require.Empty(t, b.Signals(), "Temporal hears of it later")
	require.True(t, b.Decides(other, "bob", "approve", "").Recorded)
	require.Len(t, b.Signals(), 1, "the end drives")
}

// Webhooks that are switched on count from the next decision on, also about an
// execution that was there before.
func TestADecisionTellsEndpointsThatCameLater(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	before := b.Waiting("before", execution.Dispatch{})
	require.Empty(t, b.Rows(`SELECT id FROM messages`))
	b.Exec(`INSERT INTO webhook_settings (workspace_id, enabled) VALUES ($1, true)`, modelstest.Workspace)
	b.Exec(`INSERT INTO endpoints (id, workspace_id, url) VALUES ('ep_1', $1, 'https://hooks.test/a')`, modelstest.Workspace)
	require.True(t, b.Decides(before, "ann", "reject", "").Recorded)
	require.NotEmpty(t, b.Rows(`SELECT id FROM messages`))
	after := b.Waiting("after", execution.Dispatch{})
	known := len(b.Rows(`SELECT id FROM messages`))
	require.True(t, b.Decides(after, "ann", "reject", "").Recorded)
	require.Greater(t, len(b.Rows(`SELECT id FROM messages`)), known)
}
