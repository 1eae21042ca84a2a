package view_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/execution/view"
	"github.com/redline-svc/redline/models/modelstest"
)

// Two thousand steps of 64 KiB are 125 MiB: one answer has the newest ones, and
// the rest can be read by their ids.
func TestGet_5_AllStepsCanBeReadHoweverLarge(t *testing.T) {
	t.Parallel()
	const many, at = 2000, 100
	b := modelstest.NewBench(t, 10)
	b.Accept("people", "k")
	b.Copies(1)
	b.StepsEach(many, "n", `{"text":"`+strings.Repeat("x", 64<<10-20)+`"}`)
	id := b.Copy(1)
	whole := b.Read(id)
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
		view, err := b.Get(t.Context(), modelstest.Workspace, id, view.Wanted{StepIDs: next})
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
	b := modelstest.NewBench(t, 10)
	b.Accept("people", "k")
	b.Copies(1)
	b.StepsEach(many, "n", `{}`)
	b.Exec(`INSERT INTO step_reviewers (workspace_id, execution_id, step_id, user_id, position, mandatory, step_created, open, step_ordinal)
		SELECT workspace_id, execution_id, step_id, concat(repeat('é', 300), n), n, true, step_created, true, step_ordinal
		FROM step_reviewers CROSS JOIN generate_series(1, 49) AS n WHERE user_id = 'busy'`)
	id := b.Copy(1)
	whole := b.Read(id)
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
	part, err := b.Get(t.Context(), modelstest.Workspace, id, view.Wanted{StepIDs: []string{first.StepID}})
	require.NoError(t, err)
	assert.Len(t, part.Steps[0].Metadata.Reviewers, 50, "read by its id it is whole")
}

// What steps began with comes where it is asked for, as it is kept, and counts among what an answer
// holds.
func TestGet_InputsWhereTheyAreAsked(t *testing.T) {
	t.Parallel()
	const many = 200
	b := modelstest.NewBench(t, 10)
	b.Accept("people", "k")
	b.Copies(1)
	b.StepsEach(many, "n", `{}`)
	id := b.Copy(1)
	kept := `{"n":9007199254740993,"text":"` + strings.Repeat("x", 64<<10) + `"}`
	b.Exec(`UPDATE steps SET input = $2::json WHERE execution_id = $1`, id, kept)
	without := b.Read(id)
	require.Nil(t, without.Steps[many-1].Input)
	require.False(t, without.Steps[0].OutputOmitted)
	with, err := b.Get(t.Context(), modelstest.Workspace, id, view.Wanted{Input: true})
	require.NoError(t, err)
	require.Equal(t, kept, string(with.Steps[many-1].Input))
	require.True(t, with.Steps[0].OutputOmitted)
	require.Nil(t, with.Steps[0].Input)
	first, err := b.Get(t.Context(), modelstest.Workspace, id, view.Wanted{StepIDs: []string{with.Steps[0].StepID}, Input: true})
	require.NoError(t, err)
	require.Equal(t, kept, string(first.Steps[0].Input), "read by its id it is whole")
}

// A page of executions ends early when it becomes too large for one answer, and
// only then; the pages together have each once.
func TestList_APageEndsEarlyWhenItIsLarge(t *testing.T) {
	t.Parallel()
	const many, size = 60, 50
	b := modelstest.NewBench(t, 10)
	b.Accept("people", "k")
	b.Copies(many - 1)
	b.StepsEach(60, strings.Repeat("n", 5000), `{}`)
	ids, own := make([]string, many-1), make([]int64, many-1)
	for i := range ids {
		ids[i] = b.Copy(i + 1)
	}
	sent := b.Sent(view.LatestSteps, []any{modelstest.Workspace, ids, own, make([]int, len(ids)), 50, 8 << 20})
	require.Less(t, sent, int64(8<<20/5000), "what does not fit is not even read")
	require.Greater(t, sent, int64(7<<20/6000))
	seen := map[string]bool{}
	var after *view.Position
	short := 0
	for {
		page, err := b.List(t.Context(), modelstest.Workspace, view.Filter{}, after, size)
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
	b := modelstest.NewBench(t, 10)
	b.Accept("people", "k")
	b.Copies(1)
	b.StepsEach(many, "n", `{"text":"`+strings.Repeat("x", 64<<10-20)+`"}`)
	b.Exec(`UPDATE steps SET output = json_build_object('text', repeat('x', 9 << 20)) WHERE id = 'step_150'`)
	seen := map[string]bool{}
	var lengths []int
	for _, filter := range []view.StepFilter{{ExecutionID: b.Copy(1)}, {ExecutionID: b.Copy(1), ReviewerID: "busy"}} {
		var after *view.StepPosition
		for more := true; more; more = after != nil {
			page, err := b.ListSteps(t.Context(), modelstest.Workspace, filter, after, size)
			require.NoError(t, err)
			require.Equal(t, int64(len(page.Items)), b.Sent(view.InboxQuery(modelstest.Workspace, filter, after, size)))
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

// A person with a hundred thousand open steps: the last pages of the inbox read
// as little as the first one.
func TestInbox_4_APageCostsTheSameAnywhere(t *testing.T) {
	t.Parallel()
	const executions, each = 1000, 100
	b := modelstest.NewBench(t, 10)
	b.Accept("people", "k")
	b.Copies(executions)
	b.StepsEach(each, "n", `{}`)
	b.Exec(`ANALYZE`)
	filter := view.StepFilter{ReviewerID: "busy", Status: "waiting"}
	first, err := b.ListSteps(t.Context(), modelstest.Workspace, filter, nil, 50)
	require.NoError(t, err)
	require.Len(t, first.Items, 50)
	var deep view.StepPosition
	require.NoError(t, b.DB.Pool.QueryRow(t.Context(), `SELECT (extract(epoch FROM step_created) * 1000000)::bigint, execution_id, step_ordinal
		FROM step_reviewers WHERE user_id = 'busy' ORDER BY step_created, execution_id, step_ordinal LIMIT 1 OFFSET 1000`).Scan(&deep.At, &deep.ExecutionID, &deep.Ordinal))
	begin, end := b.Blocks(view.InboxQuery(modelstest.Workspace, filter, nil, 50)), b.Blocks(view.InboxQuery(modelstest.Workspace, filter, &deep, 50))
	assert.LessOrEqual(t, end, begin*3/2, "a page after 99,000 steps")
	assert.Less(t, begin, 1000, "of far more")
}

// A workspace with ten thousand executions: page 2,000 of every list reads as
// little as the first one.
func TestList_APageCostsTheSameAnywhere(t *testing.T) {
	t.Parallel()
	const many, size = 10_000, 5
	b := modelstest.NewBench(t, 10)
	b.Accept("people", "k")
	b.Copies(many)
	b.StepsEach(1, "n", `{}`)
	b.Exec(`ANALYZE`)
	last := b.Copy(1)
	var started time.Time
	require.NoError(t, b.DB.Pool.QueryRow(t.Context(), `SELECT started_at FROM executions WHERE id = $1`, last).Scan(&started))
	deep := &view.Position{At: started.UnixMicro() + size*1000, ID: b.Copy(size + 1)}
	after, before := started.UnixMilli()-1, started.UnixMilli()+many
	for name, filter := range map[string]view.Filter{
		"all": {}, "of a time": {StartedAfter: &after, StartedBefore: &before}, "of a definition": {DefinitionID: "people"},
		"of a status": {Status: "pending"}, "of a status and a time": {Status: "pending", StartedAfter: &after, StartedBefore: &before},
	} {
		page, err := b.List(t.Context(), modelstest.Workspace, filter, deep, size)
		require.NoError(t, err)
		require.Len(t, page.Items, size, name)
		require.Equal(t, last, page.Items[size-1].ExecutionID, name)
		begin, end := b.Blocks(view.ListQuery(modelstest.Workspace, filter, nil, size)), b.Blocks(view.ListQuery(modelstest.Workspace, filter, deep, size))
		assert.LessOrEqual(t, end, begin*3/2, name)
		assert.Less(t, begin, 50, name)
	}
}

// Events and deliveries are read in pages that fit into one answer; the pages
// together have each once, also one that is larger than a page.
func TestGetEvents_APageEndsEarlyWhenItIsLarge(t *testing.T) {
	t.Parallel()
	b := modelstest.NewBench(t, 10)
	run := b.Accept("people", "k")
	b.Exec(`INSERT INTO events (workspace_id, execution_id, seq, id, type, internal, at, data)
		SELECT workspace_id, execution_id, 100 + n, 'evt_' || n, type, false, at, json_build_object('text', repeat('x', CASE n WHEN 3 THEN 9 ELSE 3 END << 20))
		FROM events CROSS JOIN generate_series(1, 6) AS n WHERE execution_id = $1 AND seq = 1`, run.ExecutionID)
	var sizes []int
	seen := map[int64]bool{}
	for since, more := int64(0), true; more; {
		page, err := b.Events(t.Context(), modelstest.Workspace, run.ExecutionID, since, 100, false)
		require.NoError(t, err)
		for _, e := range page.Items {
			require.False(t, seen[e.Seq])
			seen[e.Seq] = true
		}
		sizes = append(sizes, len(page.Items))
		if more = page.Next != nil; more {
			since = *page.Next
		}
	}
	require.Equal(t, []int{3, 1, 2, 1}, sizes, "the dispatch and two; the largest; two; the last")
}
