package modelstest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/execution"
	"github.com/redline-svc/redline/models/execution/view"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/notifier"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/queue"
)

// DispatchBeside lets a dispatch wait for the row of its definition while a
// transaction that holds it runs these statements and commits.
func (b *Bench) DispatchBeside(statements ...string) (execution.Dispatched, error) {
	b.T.Helper()
	tx, err := b.DB.Pool.Begin(b.T.Context())
	require.NoError(b.T, err)
	_, err = tx.Exec(b.T.Context(), `SELECT FROM definitions WHERE workspace_id = $1 AND definition_id = 'mock' FOR UPDATE`, Workspace)
	require.NoError(b.T, err)
	type answer struct {
		execution.Dispatched
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		d, err := b.Dispatch(b.T.Context(), Workspace, execution.Dispatch{DefinitionID: "mock", KeySpace: contract.KeysOfCallers})
		answered <- answer{d, err}
	}()
	require.Eventually(b.T, func() bool {
		var waits bool
		err := b.DB.Pool.QueryRow(b.T.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits)
		return err == nil && waits
	}, time.Minute, time.Millisecond, "it waits for the row")
	for _, statement := range statements {
		_, err = tx.Exec(b.T.Context(), statement, Workspace)
		require.NoError(b.T, err)
	}
	require.NoError(b.T, tx.Commit(b.T.Context()))
	got := <-answered
	return got.Dispatched, got.err
}

// Queued makes an execution whose call waits for a slot.
func (b *Bench) Queued(key string) (executionID string) {
	b.T.Helper()
	d := b.Accept("hook", key)
	b.Ask("hook", key, d.ExecutionID)
	call, _, err := b.Begin(b.T.Context(), CallOf(d.ExecutionID, interpreter.StepID(d.ExecutionID, "a", 1, 1)))
	require.NoError(b.T, err)
	require.Nil(b.T, call)
	return d.ExecutionID
}

// StillQueued returns the executions whose calls wait for a slot.
func (b *Bench) StillQueued() []string {
	b.T.Helper()
	return b.Rows(`SELECT execution_id FROM steps WHERE queued_at IS NOT NULL ORDER BY queued_at`)
}

// Copies are more executions like the only one there is, which waits for people,
// each a millisecond after the one before.
func (b *Bench) Copies(n int) {
	b.T.Helper()
	b.Exec(`INSERT INTO executions SELECT (jsonb_populate_record(e, jsonb_build_object(
		'id', 'exec_' || split_part(e.id, '_', 2)::bigint + n || '_' || lpad(n::text, 8, '0'),
		'idempotency_key', 'copy ' || n, 'started_at', e.started_at + n * interval '1 ms'))).*
		FROM executions e CROSS JOIN generate_series(1, $1::int) AS n`, n)
}

// Copy is the id of one of them.
func (b *Bench) Copy(n int) string {
	b.T.Helper()
	var id string
	require.NoError(b.T, b.DB.Pool.QueryRow(b.T.Context(), `SELECT id FROM executions WHERE idempotency_key = 'copy ' || $1::int`, n).Scan(&id))
	return id
}

// StepsEach gives every copy so many waiting steps. Nothing refers to what is not
// there, so the references need not be checked one by one.
func (b *Bench) StepsEach(n int, name, output string) {
	b.T.Helper()
	b.Exec(fmt.Sprintf(`SET LOCAL session_replication_role = replica;
		INSERT INTO steps (workspace_id, execution_id, id, node_id, node_type, node_name, iteration, attempt, ordinal, status, created_at, definition_id, output)
		SELECT workspace_id, e.id, 'step_' || n, 'n' || n, 'human', '%[2]s', 1, 1, n, 'waiting',
			e.started_at + n * interval '1 us', definition_id, '%[3]s'
		FROM executions e CROSS JOIN generate_series(1, %[1]d) AS n WHERE e.idempotency_key LIKE 'copy %%';
		INSERT INTO step_reviewers (workspace_id, execution_id, step_id, user_id, position, mandatory, step_created, open, step_ordinal)
		SELECT workspace_id, execution_id, id, 'busy', 0, true, created_at, true, ordinal FROM steps WHERE node_id ~ '^n[0-9]+$'`, n, name, output))
}

// Sent is how many rows a statement returns.
func (b *Bench) Sent(query string, args []any) int64 {
	b.T.Helper()
	tag, err := b.DB.Pool.Exec(b.T.Context(), query, args...)
	require.NoError(b.T, err)
	return tag.RowsAffected()
}

// Blocks is how many blocks a query touches.
func (b *Bench) Blocks(query string, args []any) int {
	b.T.Helper()
	return blocks(b.T, b.DB.Pool, query, args)
}

func blocks(t *testing.T, db pg.RowQueryer, query string, args []any) int {
	t.Helper()
	var text []byte
	require.NoError(t, db.QueryRow(context.Background(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+query, args...).Scan(&text))
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		} `json:"Plan"`
	}
	require.NoError(t, json.Unmarshal(text, &plans))
	return plans[0].Plan.Hit + plans[0].Plan.Read
}

// BlocksByKeys is the same of a query, planned for its values or once for all, whichever are
// more.
func (b *Bench) BlocksByKeys(query string, args []any) int {
	b.T.Helper()
	tx, err := b.DB.Pool.Begin(b.T.Context())
	require.NoError(b.T, err)
	defer func() { _ = tx.Rollback(b.T.Context()) }() // there is nothing to commit
	values := make([]string, len(args))
	for i, arg := range args {
		values[i] = "'" + fmt.Sprint(arg) + "'"
	}
	for _, statement := range []string{pg.ByKeys, `PREPARE planned AS ` + query} {
		_, err = tx.Exec(b.T.Context(), statement)
		require.NoError(b.T, err)
	}
	defer func() { _, _ = tx.Exec(context.Background(), `DEALLOCATE planned`) }() // else the connection keeps it
	return max(b.Blocks(query, args), blocks(b.T, tx, `EXECUTE planned (`+strings.Join(values, ", ")+`)`, nil))
}

// Bench is a store of executions, and of what callers see of them, with definitions
// written by hand.
type Bench struct {
	*execution.Executions
	*view.Views
	// Queue is where executions wait for Temporal.
	Queue *queue.Queue
	T     *testing.T
	DB    *pg.DB
	hints *notifier.Notifier
	// more makes a further store of the same rows, as of another process.
	more func(execution.Options) *execution.Executions
}

// Workspace is the id of the workspace of a Bench.
const Workspace = "ws_test"

var (
	mockFlow   = `{"nodes":[{"nodeId":"a","type":"agent","config":{"agentId":"__mock__"}}],"edges":[]}`
	peopleFlow = `{"nodes":[{"nodeId":"a","type":"human","config":{"reviewerIds":["ann","bob"]}},{"nodeId":"b","type":"agent","config":{"agentId":"__mock__"}}],
"edges":[{"from":"a","to":"b"},{"from":"a","to":"b","on":"reject"}]}`
	hookFlow = `{"nodes":[{"nodeId":"a","type":"webhook","config":{"url":"https://receiver.test/a"}}],"edges":[]}`
)

// NewBench makes a store with so many slots for the calls of a workspace.
func NewBench(t *testing.T, slots int) *Bench {
	t.Helper()
	db := pgtest.New(t)
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(t, err)
	flows := map[string]string{"mock": mockFlow, "people": peopleFlow, "hook": hookFlow}
	graphs := GraphFunc(func(ref string) (*definition.Graph, error) { return definition.GraphOf([]byte(flows[ref])) })
	hints := notifier.New(db)
	AddWorkspace(t, db, Workspace)
	open := func(o execution.Options) *execution.Executions { return execution.New(db, box, graphs, o) }
	b := &Bench{open(execution.Options{StepCalls: slots}), view.New(db), queue.New(db), t, db, hints, open}
	for name, flow := range flows {
		b.Exec(`INSERT INTO definitions (workspace_id, definition_id, status, version, version_id, created_at, updated_at)
VALUES ($1, $2, 'active', 1, $2, now(), now())`, Workspace, name)
		b.Exec(`INSERT INTO definition_versions (id, workspace_id, definition_id, version, name, scope_level, snapshot, compiled, size, node_count,
edge_count, defined_at, created_at) VALUES ($2, $1, $2, 1, $2, 'apiKey', $3, '{}', 1, 1, 0, now(), now())`, Workspace, name, flow)
	}
	return b
}

// Limited is the store of another process, by which so many executions may live.
func (b *Bench) Limited(live int) *execution.Executions { return b.more(execution.Options{Live: live}) }

// Exec runs a statement.
func (b *Bench) Exec(sql string, args ...any) {
	b.T.Helper()
	_, err := b.DB.Pool.Exec(b.T.Context(), sql, args...)
	require.NoError(b.T, err)
}

// Accept dispatches a flow under a key; its run has not asked yet.
func (b *Bench) Accept(flow, key string) execution.Dispatched {
	b.T.Helper()
	d, err := b.Dispatch(b.T.Context(), Workspace, execution.Dispatch{DefinitionID: flow, KeySpace: contract.KeysOfCallers, Key: key})
	require.NoError(b.T, err)
	return d
}

// RunID is the id of the run that asks, where no other is named.
const RunID = "run"

// CallOf asks for the call of a step.
func CallOf(executionID, stepID string) contract.CallInput {
	return contract.CallInput{WorkspaceID: Workspace, ExecutionID: executionID, StepID: stepID, RunID: RunID}
}

// Ask is the question of the execution's own run.
func (b *Bench) Ask(flow, key, executionID string) contract.Plan {
	b.T.Helper()
	return b.AskBy(RunID, flow, key, executionID)
}

// AskBy is the question of a run of the execution.
func (b *Bench) AskBy(runID, flow, key, executionID string) contract.Plan {
	b.T.Helper()
	plan, err := b.Plan(b.T.Context(), contract.PlanInput{
		WorkspaceID: Workspace, ExecutionID: executionID, RunID: runID,
		WorkflowID: contract.ExecutionWorkflowID(Workspace, flow, contract.KeysOfCallers, key),
	})
	require.NoError(b.T, err)
	return plan
}

// Claim claims what is due of a kind, and nobody works on.
func (b *Bench) Claim(kind queue.Kind) []queue.Claimed {
	b.T.Helper()
	batch, err := b.Queue.Claim(b.T.Context(), kind, "", 100)
	require.NoError(b.T, err)
	return batch.Rows
}

// Signals claims the executions that are to be started or signalled, and returns their runs.
func (b *Bench) Signals() []execution.Run {
	b.T.Helper()
	var runs []execution.Run
	for _, c := range b.Claim(queue.Executions) {
		run, err := b.RunOf(b.T.Context(), c.WorkspaceID, c.Key)
		require.NoError(b.T, err)
		runs = append(runs, *run)
	}
	return runs
}

// Read returns an execution as callers see it.
func (b *Bench) Read(executionID string) *view.ExecutionView {
	b.T.Helper()
	v, err := b.Get(b.T.Context(), Workspace, executionID, view.Wanted{})
	require.NoError(b.T, err)
	return v
}

// Waiting dispatches the flow of people and lets it wait for them.
func (b *Bench) Waiting(key string, d execution.Dispatch) string {
	b.T.Helper()
	d.DefinitionID, d.KeySpace, d.Key = "people", contract.KeysOfCallers, key
	made, err := b.Dispatch(b.T.Context(), Workspace, d)
	require.NoError(b.T, err)
	b.Ask("people", key, made.ExecutionID)
	return made.ExecutionID
}

// Decides sends the decision of a user at the step that waits for it.
func (b *Bench) Decides(executionID, user, word, reason string) interpreter.Answer {
	b.T.Helper()
	answer, err := b.Decide(b.T.Context(), Workspace, executionID, "", interpreter.Decision{
		StepID: interpreter.StepID(executionID, "a", 1, 1), ReviewerID: user, Word: word, Reason: reason,
	})
	require.NoError(b.T, err)
	return answer
}

// Judgments returns the judgments that match a filter.
func (b *Bench) Judgments(f judgment.Filter) []judgment.View {
	b.T.Helper()
	page, err := judgment.New(b.DB).Query(b.T.Context(), Workspace, f, nil, 100)
	require.NoError(b.T, err)
	require.Len(b.T, page.Items, int(page.Total))
	return page.Items
}

// Rows returns the rows of a query with one column of text.
func (b *Bench) Rows(sql string, args ...any) []string {
	b.T.Helper()
	rows, err := b.DB.Pool.Query(b.T.Context(), sql, args...)
	require.NoError(b.T, err)
	defer rows.Close()
	found := []string{}
	for rows.Next() {
		var text string
		require.NoError(b.T, rows.Scan(&text))
		found = append(found, text)
	}
	require.NoError(b.T, rows.Err())
	return found
}

// AddWorkspace makes the row of a workspace, to which containers and subjects refer.
func AddWorkspace(t testing.TB, db *pg.DB, workspaceID string) {
	t.Helper()
	_, err := db.Pool.Exec(t.Context(), `INSERT INTO owners (id, email_key) VALUES ('usr_test', 'usr_test') ON CONFLICT DO NOTHING`)
	require.NoError(t, err)
	_, err = db.Pool.Exec(t.Context(), `
INSERT INTO workspaces (id, owner_id, name, name_key, owner_email, owner_name, token_mac, hash_key_id, token_sealed)
VALUES ($1::text, 'usr_test', $1, $1, 'o@x.y', 'o', sha256($1::text::bytea), 'h', '\x00')`, workspaceID)
	require.NoError(t, err)
}

// GraphFunc returns graphs without definitions.
type GraphFunc func(versionRef string) (*definition.Graph, error)

// Graph returns the graph of a version.
func (f GraphFunc) Graph(_ context.Context, _ pg.RowQueryer, versionRef string) (*definition.Graph, error) {
	return f(versionRef)
}
