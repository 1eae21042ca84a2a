package execution_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/execution/view"
	"github.com/redline-svc/redline/models/modelstest"
)

// ended makes an execution that was cancelled, with rows in all tables that go with it.
func ended(t *testing.T, b *modelstest.Bench, key string) string {
	t.Helper()
	id := b.Waiting(key, execution.Dispatch{})
	_, err := b.Cancel(t.Context(), modelstest.Workspace, id, "", "", "")
	require.NoError(t, err)
	b.Exec(`INSERT INTO callback_tokens VALUES (sha256($2::text::bytea), $1, $2, 'a')`, modelstest.Workspace, id)
	b.Exec(`INSERT INTO step_mails VALUES ($1, $2, 'a', 0, true)`, modelstest.Workspace, id)
	b.Exec(`WITH d AS (INSERT INTO deliveries (workspace_id, destination_id, execution_id, seq, attempt)
VALUES ($1, 'dst_1', $2, 1, 1) RETURNING id), o AS (INSERT INTO open_deliveries (id, destination_id, origin, due_at) SELECT id, 'dst_1', 'o', now() FROM d)
INSERT INTO attempts (delivery_id, attempt, id, workspace_id, destination_id, cause, class, started_at)
SELECT id, 1, 'att_' || $2, $1, 'dst_1', 'schedule', 'timeout', now() FROM d`, modelstest.Workspace, id)
	return id
}

// leavings are the tables that have rows of an execution.
const leavings = `SELECT t FROM (
SELECT 'steps' AS t FROM steps WHERE execution_id = $1 UNION ALL SELECT 'reviewers' FROM step_reviewers WHERE execution_id = $1
UNION ALL SELECT 'events' FROM events WHERE execution_id = $1 UNION ALL SELECT 'tokens' FROM callback_tokens WHERE execution_id = $1
UNION ALL SELECT 'mails' FROM step_mails WHERE execution_id = $1 UNION ALL SELECT 'deliveries' FROM deliveries WHERE execution_id = $1
UNION ALL SELECT 'attempts' FROM attempts WHERE id = 'att_' || $1 UNION ALL SELECT 'executions' FROM executions WHERE id = $1
UNION ALL SELECT 'work' FROM work WHERE key = $1) x GROUP BY t ORDER BY t`

func TestADeletedExecutionIsGoneAtOnceAndItsRowsSoon(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	id, stays := ended(t, b, "one"), ended(t, b, "two")
	live := b.Waiting("three", execution.Dispatch{})
	refused, err := b.Delete(t.Context(), modelstest.Workspace, []string{id, live, "exec_unknown"})
	require.NoError(t, err)
	require.Equal(t, map[string]string{live: execution.CodeNotEnded, "exec_unknown": execution.CodeNotFound}, refused)
	_, err = b.Get(t.Context(), modelstest.Workspace, id, view.Wanted{})
	require.True(t, fault.Is(err, fault.StatusNotFound))
	_, err = b.Events(t.Context(), modelstest.Workspace, id, 0, 100, true)
	require.True(t, fault.Is(err, fault.StatusNotFound))
	require.Empty(t, b.Rows(`SELECT o.id::text FROM open_deliveries o JOIN deliveries d USING (id) WHERE d.execution_id = $1`, id), "nothing of it is sent")
	require.Equal(t, []string{"removal"}, b.Rows(`SELECT kind FROM jobs`))

	again := b.Accept("people", "one")
	require.Equal(t, execution.Dispatched{ExecutionID: id, CorrelationID: again.CorrelationID, Deduplicated: true}, again, "its key stays taken")

	require.NotEmpty(t, b.Rows(leavings, id))
	for n := 1; n > 0; {
		n, err = b.RemoveBatch(t.Context(), modelstest.Workspace)
		require.NoError(t, err)
	}
	require.Empty(t, b.Rows(leavings, id))
	require.Equal(t, []string{"attempts", "deliveries", "events", "executions", "mails", "reviewers", "steps", "tokens", "work"}, b.Rows(leavings, stays))
	require.Equal(t, again, b.Accept("people", "one"))
	refused, err = b.Delete(t.Context(), modelstest.Workspace, []string{id})
	require.NoError(t, err)
	require.Equal(t, map[string]string{id: execution.CodeNotFound}, refused)
}

func TestDeleteExecutions_3_AgainstARetryOneOfThemWins(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	for range 10 {
		d := b.Accept("hook", t.Name()+b.Rows(`SELECT count(*)::text FROM executions`)[0]+b.Rows(`SELECT count(*)::text FROM deleted_executions`)[0])
		b.Exec(`UPDATE executions SET status = 'failed', failure_code = 'step-failed', failure_message = '' WHERE id = $1`, d.ExecutionID)
		b.Exec(`UPDATE steps SET status = 'failed' WHERE execution_id = $1`, d.ExecutionID)
		var refused map[string]string
		errs := modelstest.AtOnce(2, func(i int) (err error) {
			if i == 0 {
				return b.Retry(context.WithoutCancel(t.Context()), modelstest.Workspace, execution.Act{ExecutionID: d.ExecutionID}, nil)
			}
			refused, err = b.Delete(context.WithoutCancel(t.Context()), modelstest.Workspace, []string{d.ExecutionID})
			return err
		})
		require.NoError(t, errs[1])
		if errs[0] == nil {
			require.Equal(t, map[string]string{d.ExecutionID: execution.CodeNotEnded}, refused)
			require.Equal(t, "pending", b.Read(d.ExecutionID).Status)
			continue
		}
		require.True(t, fault.Is(errs[0], fault.StatusNotFound), errors.Unwrap(errs[0]))
		require.Empty(t, refused)
	}
}

// A signature is known whatever key comes with it, also when its execution is deleted.
func TestASignatureThatWasTakenBefore(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	ask := func(key, signature string) execution.Dispatched {
		d, err := b.Dispatch(t.Context(), modelstest.Workspace, execution.Dispatch{
			DefinitionID: "people", KeySpace: contract.KeysOfTriggers, Key: key, Signature: signature,
		})
		require.NoError(t, err)
		return d
	}
	first := ask("a", "s1")
	require.False(t, first.Deduplicated)
	require.Equal(t, first.ExecutionID, ask("b", "s1").ExecutionID)
	require.Equal(t, first.ExecutionID, ask("a", "s2").ExecutionID, "a known id is answered first")
	require.NotEqual(t, first.ExecutionID, ask("b", "s2").ExecutionID, "the signature of a resend was never taken")
	_, err := b.Cancel(t.Context(), modelstest.Workspace, first.ExecutionID, "", "", "")
	require.NoError(t, err)
	refused, err := b.Delete(t.Context(), modelstest.Workspace, []string{first.ExecutionID})
	require.NoError(t, err)
	require.Empty(t, refused)
	require.Equal(t, first.ExecutionID, ask("c", "s1").ExecutionID)

	ids := map[string]bool{}
	for _, id := range modelstest.AtOnce(10, func(i int) error {
		d, err := b.Dispatch(context.WithoutCancel(t.Context()), modelstest.Workspace, execution.Dispatch{
			DefinitionID: "people", KeySpace: contract.KeysOfTriggers, Key: string(rune('k' + i)), Signature: "at once",
		})
		if err != nil {
			return err
		}
		return errors.New(d.ExecutionID)
	}) {
		ids[id.Error()] = true
	}
	require.Len(t, ids, 1)
}
