package models_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/contract"
	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/internal/walk"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/pgtest"
)

// dispatchBeside lets a dispatch wait for the row of its definition while a
// transaction that holds it runs these statements and commits.
func (b *bench) dispatchBeside(statements ...string) (models.Dispatched, error) {
	b.t.Helper()
	tx, err := b.db.Pool.Begin(b.t.Context())
	require.NoError(b.t, err)
	_, err = tx.Exec(b.t.Context(), `SELECT FROM definitions WHERE workspace_id = $1 AND definition_id = 'mock' FOR UPDATE`, workspace)
	require.NoError(b.t, err)
	type answer struct {
		models.Dispatched
		err error
	}
	told := make(chan answer, 1)
	go func() {
		d, err := b.Dispatch(b.t.Context(), workspace, models.Dispatch{DefinitionID: "mock", KeySpace: contract.KeysOfCallers})
		told <- answer{d, err}
	}()
	require.Eventually(b.t, func() bool {
		var waits bool
		err := b.db.Pool.QueryRow(b.t.Context(), `SELECT EXISTS (SELECT FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock')`).Scan(&waits)
		return err == nil && waits
	}, time.Minute, time.Millisecond, "it waits for the row")
	for _, statement := range statements {
		_, err = tx.Exec(b.t.Context(), statement, workspace)
		require.NoError(b.t, err)
	}
	require.NoError(b.t, tx.Commit(b.t.Context()))
	got := <-told
	return got.Dispatched, got.err
}

// queued makes an execution whose call waits for a place.
func (b *bench) queued(key string) (executionID string) {
	b.t.Helper()
	d := b.dispatch("hook", key)
	b.ask("hook", key, d.ExecutionID)
	call, _, err := b.Begin(b.t.Context(), workspace, d.ExecutionID, walk.StepID(d.ExecutionID, "a", 1, 1))
	require.NoError(b.t, err)
	require.Nil(b.t, call)
	return d.ExecutionID
}

func (b *bench) stillQueued() []string {
	b.t.Helper()
	return b.rows(`SELECT execution_id FROM steps WHERE queued_at IS NOT NULL ORDER BY queued_at`)
}

// copies are more executions like the only one there is, which waits for people,
// each a millisecond after the one before.
func (b *bench) copies(n int) {
	b.t.Helper()
	b.exec(`INSERT INTO executions SELECT (jsonb_populate_record(e, jsonb_build_object(
		'id', 'exec_' || split_part(e.id, '_', 2)::bigint + n || '_' || lpad(n::text, 8, '0'),
		'idempotency_key', 'copy ' || n, 'started_at', e.started_at + n * interval '1 ms'))).*
		FROM executions e CROSS JOIN generate_series(1, $1::int) AS n`, n)
}

// copy is the id of one of them.
func (b *bench) copy(n int) string {
	b.t.Helper()
	var id string
	require.NoError(b.t, b.db.Pool.QueryRow(b.t.Context(), `SELECT id FROM executions WHERE idempotency_key = 'copy ' || $1::int`, n).Scan(&id))
	return id
}

// stepsEach gives every copy so many waiting steps. Nothing refers to what is not
// there, so the references need not be checked one by one.
func (b *bench) stepsEach(n int, name, output string) {
	b.t.Helper()
	b.exec(fmt.Sprintf(`SET LOCAL session_replication_role = replica;
		INSERT INTO steps (workspace_id, execution_id, id, node_id, node_type, node_name, iteration, attempt, ordinal, status, created_at, definition_id, output)
		SELECT workspace_id, e.id, 'step_' || n, 'n' || n, 'human', '%[2]s', 1, 1, n, 'waiting',
			e.started_at + n * interval '1 us', definition_id, '%[3]s'
		FROM executions e CROSS JOIN generate_series(1, %[1]d) AS n WHERE e.idempotency_key LIKE 'copy %%';
		INSERT INTO step_reviewers (workspace_id, execution_id, step_id, user_id, position, mandatory, step_created, open, step_ordinal)
		SELECT workspace_id, execution_id, id, 'busy', 0, true, created_at, true, ordinal FROM steps WHERE node_id ~ '^n[0-9]+$'`, n, name, output))
}

// sent is how many rows a statement gives.
func (b *bench) sent(query string, args []any) int64 {
	b.t.Helper()
	tag, err := b.db.Pool.Exec(b.t.Context(), query, args...)
	require.NoError(b.t, err)
	return tag.RowsAffected()
}

// blocks is how many blocks a query touches.
func (b *bench) blocks(query string, args []any) int {
	b.t.Helper()
	var text []byte
	require.NoError(b.t, b.db.Pool.QueryRow(context.Background(), "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) "+query, args...).Scan(&text))
	var plans []struct {
		Plan struct {
			Hit  int `json:"Shared Hit Blocks"`
			Read int `json:"Shared Read Blocks"`
		}
	}
	require.NoError(b.t, json.Unmarshal(text, &plans))
	return plans[0].Plan.Hit + plans[0].Plan.Read
}

// bench is a store of executions with definitions written by hand.
type bench struct {
	*models.Executions
	t      *testing.T
	db     *models.DB
	nudges *models.Nudges
}

const workspace = "ws_test"

var (
	mockFlow   = `{"nodes":[{"nodeId":"a","type":"agent","config":{"agentId":"__mock__"}}],"edges":[]}`
	peopleFlow = `{"nodes":[{"nodeId":"a","type":"human","config":{"reviewerIds":["ann","bob"]}},{"nodeId":"b","type":"agent","config":{"agentId":"__mock__"}}],
"edges":[{"from":"a","to":"b"},{"from":"a","to":"b","on":"reject"}]}`
	hookFlow = `{"nodes":[{"nodeId":"a","type":"webhook","config":{"url":"https://receiver.test/a"}}],"edges":[]}`
)

func newBench(t *testing.T, places int) *bench {
	t.Helper()
	db := pgtest.New(t)
	box, err := secret.NewBox([]secret.Key{secret.NewKey("e")}, []secret.Key{secret.NewKey("h")})
	require.NoError(t, err)
	flows := map[string]string{"mock": mockFlow, "people": peopleFlow, "hook": hookFlow}
	graphs := GraphFunc(func(ref string) (*definition.Graph, error) { return definition.GraphOf([]byte(flows[ref])) })
	nudges := models.NewNudges(db)
	b := &bench{models.NewExecutions(db, box, graphs, models.ExecutionOptions{StepCalls: places}), t, db, nudges}
	for name, flow := range flows {
		b.exec(`INSERT INTO definitions (workspace_id, definition_id, status, version, version_id, created_at, updated_at)
VALUES ($1, $2, 'active', 1, $2, now(), now())`, workspace, name)
		b.exec(`INSERT INTO definition_versions (id, workspace_id, definition_id, version, name, scope_level, snapshot, compiled, size, node_count,
edge_count, defined_at, created_at) VALUES ($2, $1, $2, 1, $2, 'apiKey', $3, '{}', 1, 1, 0, now(), now())`, workspace, name, flow)
	}
	return b
}

func (b *bench) exec(sql string, args ...any) {
	b.t.Helper()
	_, err := b.db.Pool.Exec(b.t.Context(), sql, args...)
	require.NoError(b.t, err)
}

func (b *bench) dispatch(flow, key string) models.Dispatched {
	b.t.Helper()
	d, err := b.Dispatch(b.t.Context(), workspace, models.Dispatch{DefinitionID: flow, KeySpace: contract.KeysOfCallers, Key: key})
	require.NoError(b.t, err)
	return d
}

// ask is the question of the execution's own run.
func (b *bench) ask(flow, key, executionID string) contract.Plan {
	b.t.Helper()
	plan, err := b.Plan(b.t.Context(), contract.PlanInput{
		WorkspaceID: workspace, ExecutionID: executionID,
		WorkflowID: contract.ExecutionWorkflowID(workspace, flow, contract.KeysOfCallers, key),
	})
	require.NoError(b.t, err)
	return plan
}

func (b *bench) get(executionID string) *models.ExecutionView {
	b.t.Helper()
	v, err := b.Get(b.t.Context(), workspace, executionID, nil)
	require.NoError(b.t, err)
	return v
}

// waiting dispatches the flow of people and lets it wait for them.
func (b *bench) waiting(key string, d models.Dispatch) string {
	b.t.Helper()
	d.DefinitionID, d.KeySpace, d.Key = "people", contract.KeysOfCallers, key
	made, err := b.Dispatch(b.t.Context(), workspace, d)
	require.NoError(b.t, err)
	b.ask("people", key, made.ExecutionID)
	return made.ExecutionID
}

func (b *bench) decides(executionID, user, word, reason string) walk.Answer {
	b.t.Helper()
	answer, err := b.Decide(b.t.Context(), workspace, executionID, "", walk.Decision{
		StepID: walk.StepID(executionID, "a", 1, 1), ReviewerID: user, Word: word, Reason: reason,
	})
	require.NoError(b.t, err)
	return answer
}

func (b *bench) judgments(f models.JudgmentFilter) []models.JudgmentView {
	b.t.Helper()
	page, err := models.NewJudgments(b.db).Query(b.t.Context(), workspace, f, nil, 100)
	require.NoError(b.t, err)
	require.Len(b.t, page.Items, int(page.Total))
	return page.Items
}

func (b *bench) rows(sql string, args ...any) []string {
	b.t.Helper()
	rows, err := b.db.Pool.Query(b.t.Context(), sql, args...)
	require.NoError(b.t, err)
	defer rows.Close()
	found := []string{}
	for rows.Next() {
		var text string
		require.NoError(b.t, rows.Scan(&text))
		found = append(found, text)
	}
	require.NoError(b.t, rows.Err())
	return found
}

// tenant makes the row of the workspace, which places refer to.
func (b *bench) tenant() {
	b.exec(`INSERT INTO owners (id, email_key) VALUES ('usr_test', 'usr_test')`)
	b.exec(`INSERT INTO workspaces (id, owner_id, name, name_key, owner_email, owner_name, token_mac, hash_key_id, token_sealed)
VALUES ($1, 'usr_test', 'w', 'w', 'o@x.y', 'o', sha256('w'), 'h', '\x00')`, workspace)
}

// GraphFunc gives graphs without definitions.
type GraphFunc func(versionRef string) (*definition.Graph, error)

// Graph gives the graph of a version.
func (f GraphFunc) Graph(_ context.Context, _ models.RowQueryer, versionRef string) (*definition.Graph, error) {
	return f(versionRef)
}
