package models_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models"
)

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

// Two thousand steps of 64 KiB are 125 MiB: one answer has the newest ones, and
// the rest can be read by their ids.
func TestGet_5_AllStepsCanBeReadHoweverLarge(t *testing.T) {
	t.Parallel()
	const many, at = 2000, 100
	b := newBench(t, 10)
	b.dispatch("people", "k")
	b.copies(1)
	b.stepsEach(many, "n", `{"text":"`+strings.Repeat("x", 64<<10-20)+`"}`)
	id := b.copy(1)
	whole := b.get(id)
	require.Len(t, whole.Steps, many)
	size, omitted := 0, []string{}
	for i, step := range whole.Steps {
		require.Equal(t, "step_"+strconv.Itoa(i+1), step.StepID, "in the order of creation")
		if step.OutputOmitted {
			require.JSONEq(t, `{}`, string(step.Output))
			require.Len(t, omitted, i, "only the oldest are left out")
			omitted = append(omitted, step.StepID)
		} else {
			size += len(step.Output)
		}
	}
	require.LessOrEqual(t, size, 8<<20)
	require.Greater(t, size, 7<<20)
	for len(omitted) > 0 {
		next := omitted[:min(at, len(omitted))]
		view, err := b.Get(t.Context(), workspace, id, next)
		require.NoError(t, err)
		require.Len(t, view.Steps, len(next))
		for _, step := range view.Steps {
			require.False(t, step.OutputOmitted)
			require.Greater(t, len(step.Output), 60<<10)
		}
		omitted = omitted[len(next):]
	}
}

// A step has up to fifty reviewers: those of two thousand steps are as much as
// their outputs could be, and an answer has room for both together.
func TestGet_5_ReviewersCountAmongWhatAnAnswerHolds(t *testing.T) {
	t.Parallel()
	const many = 400
	b := newBench(t, 10)
	b.dispatch("people", "k")
	b.copies(1)
	b.stepsEach(many, "n", `{}`)
	b.exec(`INSERT INTO step_reviewers (workspace_id, execution_id, step_id, user_id, position, mandatory, step_created, open, step_ordinal)
		SELECT workspace_id, execution_id, step_id, concat(repeat('é', 300), n), n, true, step_created, true, step_ordinal
		FROM step_reviewers CROSS JOIN generate_series(1, 49) AS n WHERE user_id = 'busy'`)
	id := b.copy(1)
	whole := b.get(id)
	text, err := json.Marshal(whole)
	require.NoError(t, err)
	require.Less(t, len(text), 9<<20)
	require.Greater(t, len(text), 7<<20)
	require.Len(t, whole.Steps, many)
	first, last := whole.Steps[0], whole.Steps[many-1]
	assert.True(t, first.OutputOmitted)
	assert.Empty(t, first.Metadata.Reviewers)
	assert.False(t, last.OutputOmitted)
	assert.Len(t, last.Metadata.Reviewers, 50)
	part, err := b.Get(t.Context(), workspace, id, []string{first.StepID})
	require.NoError(t, err)
	assert.Len(t, part.Steps[0].Metadata.Reviewers, 50, "read by its id it is whole")
}

// A page of executions ends early when it becomes too large for one answer, and
// only then; the pages together have each once.
func TestList_APageEndsEarlyWhenItIsLarge(t *testing.T) {
	t.Parallel()
	const many, size = 60, 50
	b := newBench(t, 10)
	b.dispatch("people", "k")
	b.copies(many - 1)
	b.stepsEach(60, strings.Repeat("n", 5000), `{}`)
	ids, own := make([]string, many-1), make([]int64, many-1)
	for i := range ids {
		ids[i] = b.copy(i + 1)
	}
	sent := b.sent(models.LatestSteps, []any{workspace, ids, own, 50, 8 << 20})
	require.Less(t, sent, int64(8<<20/5000), "what does not fit is not even read")
	require.Greater(t, sent, int64(7<<20/6000))
	seen := map[string]bool{}
	var after *models.ExecutionPosition
	short := 0
	for {
		page, err := b.List(t.Context(), workspace, models.ExecutionFilter{}, after, size)
		require.NoError(t, err)
		text, err := json.Marshal(page.Items)
		require.NoError(t, err)
		require.LessOrEqual(t, len(text), 8<<20)
		for _, item := range page.Items {
			require.False(t, seen[item.ExecutionID])
			seen[item.ExecutionID] = true
			require.LessOrEqual(t, len(item.Steps), 50)
		}
		if after = page.Next; after == nil {
			break
		}
		if len(page.Items) < size {
			short++
		}
	}
	require.Len(t, seen, many)
	require.Positive(t, short)
}

// A page of steps ends early by the size of their outputs, and no more of them is
// read; the pages together have each once, also one that is larger than a page.
func TestSteps_APageEndsEarlyWhenItIsLarge(t *testing.T) {
	t.Parallel()
	const many, size = 300, 200
	b := newBench(t, 10)
	b.dispatch("people", "k")
	b.copies(1)
	b.stepsEach(many, "n", `{"text":"`+strings.Repeat("x", 64<<10-20)+`"}`)
	b.exec(`UPDATE steps SET output = json_build_object('text', repeat('x', 9 << 20)) WHERE id = 'step_150'`)
	seen := map[string]bool{}
	var lengths []int
	for _, filter := range []models.StepFilter{{ExecutionID: b.copy(1)}, {ExecutionID: b.copy(1), ReviewerID: "busy"}} {
		var after *models.StepPosition
		for more := true; more; more = after != nil {
			page, err := b.ListSteps(t.Context(), workspace, filter, after, size)
			require.NoError(t, err)
			require.Equal(t, int64(len(page.Items)), b.sent(models.InboxQuery(workspace, filter, after, size)))
			bytes := 0
			for _, item := range page.Items {
				seen[filter.ReviewerID+item.StepID] = true
				bytes += len(item.Output)
			}
			require.True(t, bytes <= 8<<20 || len(page.Items) == 1)
			lengths, after = append(lengths, len(page.Items)), page.Next
		}
	}
	require.Len(t, seen, 2*many)
	each := []int{126, 24, 1, 126, 23}
	require.Equal(t, append(each, each...), lengths, "8 MiB of some 65 KiB each")
}

// sent is how many rows a statement gives.
func (b *bench) sent(query string, args []any) int64 {
	b.t.Helper()
	tag, err := b.db.Pool.Exec(b.t.Context(), query, args...)
	require.NoError(b.t, err)
	return tag.RowsAffected()
}

// A person with a hundred thousand open steps: the last pages of the inbox read
// as little as the first one.
func TestInbox_4_APageCostsTheSameAnywhere(t *testing.T) {
	t.Parallel()
	const executions, each = 1000, 100
	b := newBench(t, 10)
	b.dispatch("people", "k")
	b.copies(executions)
	b.stepsEach(each, "n", `{}`)
	b.exec(`ANALYZE`)
	filter := models.StepFilter{ReviewerID: "busy", Status: "waiting"}
	first, err := b.ListSteps(t.Context(), workspace, filter, nil, 50)
	require.NoError(t, err)
	require.Len(t, first.Items, 50)
	var deep models.StepPosition
	require.NoError(t, b.db.Pool.QueryRow(t.Context(), `SELECT (extract(epoch FROM step_created) * 1000000)::bigint, execution_id, step_ordinal
		FROM step_reviewers WHERE user_id = 'busy' ORDER BY step_created, execution_id, step_ordinal LIMIT 1 OFFSET 1000`).Scan(&deep.At, &deep.ExecutionID, &deep.Ordinal))
	begin, end := b.blocks(models.InboxQuery(workspace, filter, nil, 50)), b.blocks(models.InboxQuery(workspace, filter, &deep, 50))
	assert.LessOrEqual(t, end, begin*3/2, "a page after 99,000 steps")
	assert.Less(t, begin, 1000, "of far more")
}

// A workspace with ten thousand executions: page 2,000 of every list reads as
// little as the first one.
func TestList_APageCostsTheSameAnywhere(t *testing.T) {
	t.Parallel()
	const many, size = 10_000, 5
	b := newBench(t, 10)
	b.dispatch("people", "k")
	b.copies(many)
	b.stepsEach(1, "n", `{}`)
	b.exec(`ANALYZE`)
	last := b.copy(1)
	var started time.Time
	require.NoError(t, b.db.Pool.QueryRow(t.Context(), `SELECT started_at FROM executions WHERE id = $1`, last).Scan(&started))
	deep := &models.ExecutionPosition{At: started.UnixMicro() + size*1000, ID: b.copy(size + 1)}
	after, before := started.UnixMilli()-1, started.UnixMilli()+many
	for name, filter := range map[string]models.ExecutionFilter{
		"all": {}, "of a time": {StartedAfter: &after, StartedBefore: &before}, "of a definition": {DefinitionID: "people"},
		"of a status": {Status: "pending"}, "of a status and a time": {Status: "pending", StartedAfter: &after, StartedBefore: &before},
	} {
		page, err := b.List(t.Context(), workspace, filter, deep, size)
		require.NoError(t, err)
		require.Len(t, page.Items, size, name)
		require.Equal(t, last, page.Items[size-1].ExecutionID, name)
		begin, end := b.blocks(models.ListQuery(workspace, filter, nil, size)), b.blocks(models.ListQuery(workspace, filter, deep, size))
		assert.LessOrEqual(t, end, begin*3/2, name)
		assert.Less(t, begin, 50, name)
	}
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

// Events and deliveries are read in pages that fit into one answer; the pages
// together have each once, also one that is larger than a page.
func TestGetEvents_APageEndsEarlyWhenItIsLarge(t *testing.T) {
	t.Parallel()
	b := newBench(t, 10)
	run := b.dispatch("people", "k")
	b.exec(`INSERT INTO events (workspace_id, execution_id, seq, id, type, internal, at, data)
		SELECT workspace_id, execution_id, 100 + n, 'evt_' || n, type, false, at, json_build_object('text', repeat('x', CASE n WHEN 3 THEN 9 ELSE 3 END << 20))
		FROM events CROSS JOIN generate_series(1, 6) AS n WHERE execution_id = $1 AND seq = 1`, run.ExecutionID)
	var sizes []int
	seen := map[int64]bool{}
	for since, more := int64(0), true; more; {
		page, err := b.Events(t.Context(), workspace, run.ExecutionID, since, 100, false)
		require.NoError(t, err)
		for _, e := range page.Events {
			require.False(t, seen[e.Seq])
			seen[e.Seq] = true
		}
		sizes = append(sizes, len(page.Events))
		since, more = page.Next, page.More
	}
	require.Equal(t, []int{3, 1, 2, 1}, sizes, "the dispatch and two; the largest; two; the last")
}

func TestDeliveries_APageEndsEarlyWhenItHasManyAttempts(t *testing.T) {
	t.Parallel()
	p := newPost(t)
	p.driven(5)
	p.exec(`INSERT INTO delivery_attempts (delivery_id, attempt, id, workspace_id, at, class)
		SELECT d.id, n, 'att_' || d.id || '_' || n, d.workspace_id, clock_timestamp(), 'ok' FROM deliveries d CROSS JOIN generate_series(1, 25000) AS n WHERE d.seq <> 5`)
	var pages [][]int64
	for before, more := int64(0), true; more; {
		page, err := p.Of(t.Context(), sender, "exec_1", models.DeliveryFilter{}, before, 500)
		require.NoError(t, err)
		var seqs []int64
		for _, d := range page.Items {
			seqs = append(seqs, d.Seq)
			if d.Seq != 5 {
				require.Len(t, d.Attempts, 25000)
			}
		}
		pages = append(pages, seqs)
		before, more = seqs[len(seqs)-1], page.More
	}
	require.Equal(t, [][]int64{{5, 4, 3}, {2, 1}}, pages)
}
