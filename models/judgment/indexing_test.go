package judgment_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/queue"
)

// decide makes judgments of steps, as the transaction of a decision does.
func (c *court) decide(workspaceID string, reasons ...string) {
	c.t.Helper()
	require.NoError(c.t, c.db.InTx(c.t.Context(), func(tx *pg.Tx) error {
		b := &pgx.Batch{}
		for _, reason := range reasons {
			judgment.Step{
				WorkspaceID: workspaceID, ExecutionID: "exe", StepID: reason, ReviewerID: "ann", Word: "approve", Reason: reason,
				DefinitionName: "flow", DecidedAt: time.Now(),
			}.Queue(tx, b)
		}
		return tx.SendBatch(c.t.Context(), b).Close()
	}))
}

// claim claims what is to be brought in and reads it, in the order of the keys.
func (c *court) claim(limit int) []judgment.Pending {
	c.t.Helper()
	pending, err := c.ReadPending(c.t.Context(), "m1", c.take(queue.Judgments, limit))
	require.NoError(c.t, err)
	return slices.SortedFunc(maps.Values(pending), func(a, b judgment.Pending) int { return cmp.Compare(a.Key, b.Key) })
}

// take claims rows of a kind.
func (c *court) take(kind queue.Kind, limit int) []queue.Claimed {
	c.t.Helper()
	batch, err := queue.New(c.db).Claim(c.t.Context(), kind, "", limit)
	require.NoError(c.t, err)
	return batch.Rows
}

// passTime lets all locks and pauses pass.
func (c *court) passTime() {
	c.t.Helper()
	c.exec(`UPDATE work SET locked_until = '-infinity', run_at = least(run_at, clock_timestamp())`)
}

func (c *court) exec(statement string) {
	c.t.Helper()
	_, err := c.db.Pool.Exec(c.t.Context(), statement)
	require.NoError(c.t, err)
}

func (c *court) serving() *knowledge.Generation {
	c.t.Helper()
	g, err := knowledge.New(c.db).FirstGeneration(c.t.Context(), "m1", []float32{1})
	require.NoError(c.t, err)
	return g
}

// withVectors gives each a vector of its own.
func withVectors(of []judgment.Pending) []judgment.Pending {
	for i := range of {
		of[i].Vectors = &judgment.Vectors{Review: []float32{float32(i), 1}}
	}
	return of
}

func reasons(of []judgment.Pending) (list []string) {
	for _, p := range of {
		list = append(list, p.Text.Reasoning)
	}
	slices.Sort(list)
	return list
}

func TestAJudgmentIsQueuedUntilTheIndexHasIt(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	g := c.serving()
	c.decide(modelstest.Workspace, "one", "two")
	pending := c.claim(10)
	require.Equal(t, []string{"one", "two"}, reasons(pending))
	require.Equal(t, "flow", pending[0].Text.Content)
	require.Nil(t, pending[0].Vectors)
	require.Empty(t, c.claim(10), "somebody works on them")
	require.NoError(t, c.StoreVectors(t.Context(), "m1", withVectors(pending)))
	c.passTime()
	pending = c.claim(10)
	require.NotNil(t, pending[0].Vectors, "they are not made twice")
	require.Error(t, c.Indexed(t.Context(), "gen_other", pending), "another generation serves")
	c.passTime()
	require.Len(t, c.claim(10), 2)
	require.NoError(t, c.Indexed(t.Context(), g.ID, pending))
	c.passTime()
	require.Empty(t, c.claim(10), "whoever brought them in may have died before the queue knows")
}

// What changes while somebody works on it is brought in again, without its old vectors.
func TestAJudgmentThatChangesMeanwhileIsBroughtInAgain(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	g := c.serving()
	r := judgment.Record{RecordID: "r", Decision: "approve", ContentType: "general", JudgeType: "human", UserID: "ann", Replace: true}
	c.records(r)
	claimed := c.take(queue.Judgments, 1)
	before, err := c.ReadPending(t.Context(), "m1", claimed)
	require.NoError(t, err)
	r.Decision = "reject"
	c.records(r)
	require.Empty(t, c.claim(1), "somebody works on it")
	old := withVectors([]judgment.Pending{before[0]})
	require.NoError(t, c.StoreVectors(t.Context(), "m1", old))
	require.NoError(t, c.Indexed(t.Context(), g.ID, old))
	require.NoError(t, queue.New(c.db).Done(t.Context(), queue.Judgments, claimed...))
	c.passTime()
	pending := c.claim(1)
	require.Len(t, pending, 1)
	require.Equal(t, "reject", pending[0].Text.Decision)
	require.Equal(t, 2, pending[0].Revision)
	require.Nil(t, pending[0].Vectors)
	require.NoError(t, c.Indexed(t.Context(), g.ID, pending))
	_, err = c.Delete(t.Context(), modelstest.Workspace, []string{"r"})
	require.NoError(t, err)
	require.Empty(t, c.take(queue.RemovedJudgments, 1), "a removal waits its time")
	c.passTime()
	require.Empty(t, c.claim(1))
}

// A judgment that goes takes its vectors along and is removed from the index
// when nobody can be bringing it in; then nothing is left.
func TestAJudgmentThatGoesIsRemovedFromTheIndex(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	g := c.serving()
	c.decide(modelstest.Workspace, "kept", "gone")
	pending := withVectors(c.claim(10))
	require.NoError(t, c.StoreVectors(t.Context(), "m1", pending))
	require.NoError(t, c.Indexed(t.Context(), g.ID, pending))
	_, err := c.Delete(t.Context(), modelstest.Workspace, []string{pending[1].RecordID})
	require.NoError(t, err)
	require.Equal(t, state{2, false}, c.state(pending[1].Key))
	require.Empty(t, c.take(queue.RemovedJudgments, 10))
	c.exec(`UPDATE work SET run_at = clock_timestamp() WHERE kind = 'removed-judgment'`)
	gone := judgment.Gone(c.take(queue.RemovedJudgments, 10))
	require.Equal(t, []judgment.Ref{{WorkspaceID: modelstest.Workspace, Key: pending[1].Key}}, gone)
	require.NoError(t, c.StoreVectors(t.Context(), "m1", pending), "whoever is late stores nothing of it")
	require.NoError(t, c.Forget(t.Context(), gone))
	var rows, vectors int
	require.NoError(t, c.db.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM judgment_index), (SELECT count(*) FROM judgment_vectors)`).Scan(&rows, &vectors))
	require.Equal(t, []int{1, 1}, []int{rows, vectors})
}

// A judgment that is stored when everything else about its document has been removed already
// goes when it would be brought into the index; others go on.
func TestAJudgmentThatComesLateIsNotBroughtIn(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.serving()
	c.add("spring-", 1, "acme", "spring", "ann")
	organization, document := "acme", "spring"
	require.NoError(t, c.db.InTx(t.Context(), func(tx *pg.Tx) error {
		late := judgment.Step{
			WorkspaceID: modelstest.Workspace, ExecutionID: "exe", StepID: "late", ReviewerID: "ann", Word: "approve", Reason: "late",
			OrganizationID: &organization, DocumentID: &document, DecidedAt: time.Now(),
		}
		keys, made := &pgx.Batch{}, &pgx.Batch{}
		late.Subjects.Queue(keys, modelstest.Workspace, organization, document)
		require.NoError(t, tx.SendBatch(t.Context(), keys).Close())
		late.Queue(tx, made)
		require.NoError(t, tx.SendBatch(t.Context(), made).Close())
		modelstest.Remove(t, c.db, modelstest.Workspace, document)
		require.Equal(t, []int{1, 0}, c.batches(), "nobody else sees the late one yet")
		return nil
	}))
	require.Zero(t, c.total(judgment.Filter{}))
	require.Equal(t, 1, c.rows())

	c.decide(modelstest.Workspace, "kept")
	require.Equal(t, []string{"kept"}, reasons(c.claim(10)))
	require.Equal(t, 1, c.rows())
	c.exec(`UPDATE work SET run_at = clock_timestamp() WHERE kind = 'removed-judgment'`)
	require.Len(t, c.take(queue.RemovedJudgments, 10), 2, "whoever could have brought it in meanwhile has ended by then")
}

// Vectors by a model that no generation has any more go with the last one.
func TestVectorsGoWithTheLastGenerationOfTheirModel(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	g := c.serving()
	c.decide(modelstest.Workspace, "one", "two")
	pending := withVectors(c.claim(10))
	vectors := func() (models []string) {
		rows, err := c.db.Pool.Query(t.Context(), `SELECT DISTINCT model FROM judgment_vectors ORDER BY model`)
		require.NoError(t, err)
		models, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return models
	}
	for _, model := range []string{"m1", "m2"} {
		require.NoError(t, c.StoreVectors(t.Context(), model, pending))
	}
	require.NoError(t, c.ForgetVectors(t.Context(), "gen_gone", "m1"))
	require.Equal(t, []string{"m1", "m2"}, vectors(), "a generation needs them")
	require.NoError(t, c.ForgetVectors(t.Context(), "gen_gone", "m2"))
	require.Equal(t, []string{"m1"}, vectors())
	require.NoError(t, c.ForgetVectors(t.Context(), g.ID, "m1"))
	require.Empty(t, vectors())
}
