package judgment_test

import (
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/modelstest"
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
			}.Queue(b)
		}
		return tx.SendBatch(c.t.Context(), b).Close()
	}))
}

func (c *court) claim(limit int) []judgment.Owed {
	c.t.Helper()
	owed, _, err := c.ClaimOwed(c.t.Context(), "m1", "", limit)
	require.NoError(c.t, err)
	return owed
}

// overdue makes everything that is owed due now.
func (c *court) overdue() {
	c.t.Helper()
	c.exec(`UPDATE judgment_index SET due = clock_timestamp() - interval '1 second' WHERE due IS NOT NULL`)
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
func withVectors(owed []judgment.Owed) []judgment.Owed {
	for i := range owed {
		owed[i].Vectors = &judgment.Vectors{Review: []float32{float32(i), 1}}
	}
	return owed
}

func reasons(owed []judgment.Owed) (list []string) {
	for _, o := range owed {
		list = append(list, o.Text.Reasoning)
	}
	slices.Sort(list)
	return list
}

func TestAJudgmentIsOwedUntilTheIndexHasIt(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	g := c.serving()
	c.decide(modelstest.Workspace, "one", "two")
	owed := c.claim(10)
	require.Equal(t, []string{"one", "two"}, reasons(owed))
	require.False(t, owed[0].Again)
	require.Equal(t, "flow", owed[0].Text.Content)
	require.Nil(t, owed[0].Vectors)
	require.Empty(t, c.claim(10), "somebody works on them")
	c.overdue()
	owed = c.claim(10)
	require.True(t, owed[0].Again, "whoever had them may have brought them in")
	require.NoError(t, c.StoreVectors(t.Context(), "m1", withVectors(owed)))
	c.overdue()
	owed = c.claim(10)
	require.NotNil(t, owed[0].Vectors, "they are not made twice")
	require.NoError(t, c.Leave(t.Context(), owed))
	require.Len(t, c.claim(10), 2, "it is tried at once")
	require.NoError(t, c.GiveBack(t.Context(), owed))
	require.Empty(t, c.claim(10), "it is tried again after a while")
	require.NoError(t, c.Indexed(t.Context(), "gen_other", owed))
	c.overdue()
	require.Len(t, c.claim(10), 2, "another generation serves")
	require.NoError(t, c.Indexed(t.Context(), g.ID, owed))
	c.overdue()
	require.Empty(t, c.claim(10))
}

func TestWhatWasLeftGoesBeforeWhatCameLater(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.serving()
	c.decide(modelstest.Workspace, "first")
	owed := c.claim(1)
	c.decide(modelstest.Workspace, "later")
	require.NoError(t, c.Leave(t.Context(), owed))
	require.Equal(t, []string{"first"}, reasons(c.claim(1)))
	require.Equal(t, []string{"later"}, reasons(c.claim(1)))
}

// What changes while somebody works on it stays owed, and its old vectors are not used. Nobody
// else takes it up before they have ended, since they would put what it said before in the
// place of what it says now.
func TestAJudgmentThatChangesMeanwhileStaysOwed(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	g := c.serving()
	r := judgment.Record{RecordID: "r", Decision: "approve", ContentType: "general", JudgeType: "human", UserID: "ann", Replace: true}
	for _, end := range []func(of []judgment.Owed) error{
		func(of []judgment.Owed) error { return c.Indexed(t.Context(), g.ID, of) },
		func(of []judgment.Owed) error { return c.GiveBack(t.Context(), of) },
		func(of []judgment.Owed) error { return c.Leave(t.Context(), of) },
	} {
		c.records(r)
		owed := withVectors(c.claim(1))
		c.records(r)
		require.Empty(t, c.claim(1), "somebody works on it")
		require.NoError(t, c.StoreVectors(t.Context(), "m1", owed))
		require.NoError(t, end(owed))
		owed = c.claim(1)
		require.Len(t, owed, 1, "it is due at once")
		require.True(t, owed[0].Again)
		require.Nil(t, owed[0].Vectors)
		require.NoError(t, c.Indexed(t.Context(), g.ID, owed))
	}
	c.records(r)
	owed := c.claim(1)
	_, err := c.Delete(t.Context(), modelstest.Workspace, []string{"r"})
	require.NoError(t, err)
	require.NoError(t, c.Indexed(t.Context(), g.ID, owed))
	require.Empty(t, c.claim(1), "a removal waits its time")
}

// A judgment that goes takes its vectors along and is owed to the index once more,
// when nobody can be working on it; then nothing is left.
func TestAJudgmentThatGoesIsOwedARemoval(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	g := c.serving()
	c.add("spring-", 1, "acme", "spring", "ann")
	c.decide(modelstest.Workspace, "kept")
	owed := withVectors(c.claim(10))
	require.NoError(t, c.StoreVectors(t.Context(), "m1", owed))
	require.NoError(t, c.Indexed(t.Context(), g.ID, owed))
	modelstest.RemoveOrganization(t, c.db, modelstest.Workspace, "acme")
	require.Equal(t, []int{1, 0}, c.batches())
	require.Empty(t, c.claim(10))
	c.overdue()
	gone := c.claim(10)
	require.Len(t, gone, 1)
	require.Nil(t, gone[0].Text)
	require.NoError(t, c.StoreVectors(t.Context(), "m1", withVectors(gone)), "whoever is late stores nothing")
	require.NoError(t, c.Forgotten(t.Context(), gone))
	c.overdue()
	require.Empty(t, c.claim(10))
	var rows, vectors int
	require.NoError(t, c.db.Pool.QueryRow(t.Context(), `SELECT (SELECT count(*) FROM judgment_index), (SELECT count(*) FROM judgment_vectors)`).Scan(&rows, &vectors))
	require.Equal(t, []int{1, 1}, []int{rows, vectors})
}

// A judgment that is stored when everything else about its document has been removed already
// goes when it would be brought into the index; others go on.
func TestAJudgmentThatComesLateIsNotBroughtIn(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	g := c.serving()
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
		late.Queue(made)
		require.NoError(t, tx.SendBatch(t.Context(), made).Close())
		modelstest.Remove(t, c.db, modelstest.Workspace, document)
		require.Equal(t, []int{1, 0}, c.batches(), "nobody else sees the late one yet")
		return nil
	}))
	require.Zero(t, c.total(judgment.Filter{}))
	require.Equal(t, 1, c.rows())

	c.decide(modelstest.Workspace, "kept")
	owed := c.claim(10)
	require.Len(t, owed, 2)
	require.Equal(t, 1, c.rows())
	late := owed[:1]
	require.Nil(t, late[0].Text)
	require.Equal(t, []string{"kept"}, reasons(owed[1:]))
	require.NoError(t, c.Forgotten(t.Context(), late))
	require.NoError(t, c.Indexed(t.Context(), g.ID, owed[1:]))
	require.Empty(t, c.claim(10), "who could have brought it in meanwhile has ended when it is removed from the index once more")
	c.overdue()
	gone := c.claim(10)
	require.Len(t, gone, 2, "that of before too")
	require.Equal(t, late[0].Key, gone[1].Key)
	require.NoError(t, c.Forgotten(t.Context(), gone))
	c.overdue()
	require.Empty(t, c.claim(10))
}

// A workspace with much that is owed leaves a share of each claim to the others.
func TestClaimsOfJudgmentsTakeWorkspacesInTurn(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	modelstest.AddWorkspace(t, c.db, "ws_other")
	for i := range 20 {
		c.decide(modelstest.Workspace, strconv.Itoa(i))
	}
	c.decide("ws_other", "the only one")
	owed := c.claim(4)
	require.Contains(t, reasons(owed), "the only one")
	require.Len(t, owed, 3)
	var mu sync.Mutex
	taken := map[int64]int{}
	for _, err := range modelstest.AtOnce(8, func(int) error {
		found, _, err := c.ClaimOwed(t.Context(), "m1", "", 5)
		mu.Lock()
		defer mu.Unlock()
		for _, o := range found {
			taken[o.Key]++
		}
		return err
	}) {
		require.NoError(t, err)
	}
	require.NotEmpty(t, taken)
	for _, o := range owed {
		require.Zero(t, taken[o.Key])
	}
	for key, times := range taken {
		require.Equal(t, 1, times, key)
	}
}

// Vectors by a model that no generation has any more go with the last one.
func TestVectorsGoWithTheLastGenerationOfTheirModel(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	g := c.serving()
	c.decide(modelstest.Workspace, "one", "two")
	owed := withVectors(c.claim(10))
	vectors := func() (models []string) {
		rows, err := c.db.Pool.Query(t.Context(), `SELECT DISTINCT model FROM judgment_vectors ORDER BY model`)
		require.NoError(t, err)
		models, err = pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		return models
	}
	for _, model := range []string{"m1", "m2"} {
		require.NoError(t, c.StoreVectors(t.Context(), model, owed))
	}
	require.NoError(t, c.ForgetVectors(t.Context(), "gen_gone", "m1"))
	require.Equal(t, []string{"m1", "m2"}, vectors(), "a generation needs them")
	require.NoError(t, c.ForgetVectors(t.Context(), "gen_gone", "m2"))
	require.Equal(t, []string{"m1"}, vectors())
	require.NoError(t, c.ForgetVectors(t.Context(), g.ID, "m1"))
	require.Empty(t, vectors())
}
