package judgment_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/pgtest"
)

// court is a store of judgments.
type court struct {
	*judgment.Judgments
	t  *testing.T
	db *pg.DB
}

func newCourt(t *testing.T) *court {
	t.Helper()
	db := pgtest.New(t)
	modelstest.AddWorkspace(t, db, modelstest.Workspace)
	return &court{judgment.New(db), t, db}
}

// add makes judgments of a user about a document of an organization.
func (c *court) add(name string, n int, organizationID, documentID, userID string) {
	c.t.Helper()
	_, err := c.db.Pool.Exec(c.t.Context(), `
INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence, judge_type,
       user_id, user_name, organization_key, document_key, created_at)
SELECT $1, $2 || n, 'step', $2 || n, 'approve', '', '', 'workflow', 0.75, 'human', $6, $6, o.organization_key, o.document_key, now()
FROM open_subjects($1, $4, nullif($5, '')) o, generate_series(1, $3::integer) n`, modelstest.Workspace, name, n, organizationID, documentID, userID)
	require.NoError(c.t, err)
}

// total is how many judgments a query finds; its page has as many of them.
func (c *court) total(f judgment.Filter) int {
	c.t.Helper()
	page, err := c.Query(c.t.Context(), modelstest.Workspace, f, nil, 100)
	require.NoError(c.t, err)
	require.Len(c.t, page.Items, min(int(page.Total), 100))
	return int(page.Total)
}

func (c *court) rows() (count int) {
	c.t.Helper()
	require.NoError(c.t, c.db.Pool.QueryRow(c.t.Context(), `SELECT count(*) FROM judgments`).Scan(&count))
	return count
}

// batches are what RemoveBatch gives until nothing is left.
func (c *court) batches() []int {
	c.t.Helper()
	var batches []int
	for {
		removed, err := c.RemoveBatch(c.t.Context(), modelstest.Workspace)
		require.NoError(c.t, err)
		if batches = append(batches, removed); removed == 0 {
			return batches
		}
	}
}

var ofSpring = judgment.Filter{OrganizationID: "acme", DocumentID: "spring"}

// Judgments of a document that is removed are hidden at once and removed in batches;
// the id used again has none of them.
func TestJudgmentsOfARemovedDocument(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.add("spring-", 2100, "acme", "spring", "ann")
	c.add("other-", 3, "acme", "other", "ann")
	c.add("acme-", 2, "acme", "", "bob")
	modelstest.Remove(t, c.db, modelstest.Workspace, "spring")
	require.Zero(t, c.total(ofSpring))
	require.Equal(t, 5, c.total(judgment.Filter{}))
	require.Equal(t, 5, c.total(judgment.Filter{OrganizationID: "acme"}))
	require.Equal(t, 3, c.total(judgment.Filter{ReviewerID: "ann"}))
	c.add("again-", 4, "acme", "spring", "ann")
	require.Equal(t, 4, c.total(ofSpring))
	require.Equal(t, 2109, c.rows())
	require.Equal(t, []int{1000, 1000, 100, 0}, c.batches())
	require.Equal(t, 9, c.rows())
	require.Equal(t, 9, c.total(judgment.Filter{}))
	require.Equal(t, []int{0}, c.batches())
}

func TestJudgmentsOfARemovedOrganization(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.add("spring-", 10, "acme", "spring", "ann")
	c.add("acme-", 10, "acme", "", "ann")
	c.add("apex-", 1, "apex", "spring", "ann")
	modelstest.RemoveOrganization(t, c.db, modelstest.Workspace, "acme")
	require.Zero(t, c.total(ofSpring))
	require.Zero(t, c.total(judgment.Filter{OrganizationID: "acme"}))
	require.Equal(t, 1, c.total(judgment.Filter{}))
	require.Equal(t, []int{20, 0}, c.batches())
	require.Equal(t, 1, c.rows())
}

// What somebody wrote about a subject while it was removed is hidden, and removed by
// the next batch; when nobody can be writing about it, nobody looks any more.
func TestJudgmentsThatComeLate(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.add("spring-", 1, "acme", "spring", "ann")
	modelstest.Remove(t, c.db, modelstest.Workspace, "spring")
	_, err := c.db.Pool.Exec(t.Context(), `CREATE TABLE late AS SELECT * FROM judgments`)
	require.NoError(t, err)
	require.Equal(t, []int{1, 0}, c.batches())
	_, err = c.db.Pool.Exec(t.Context(), `INSERT INTO judgments OVERRIDING SYSTEM VALUE SELECT * FROM late`)
	require.NoError(t, err)
	require.Zero(t, c.total(judgment.Filter{}))
	require.Equal(t, []int{1, 0}, c.batches())
	_, err = c.db.Pool.Exec(t.Context(), `UPDATE subjects SET removed_at = removed_at - interval '11 minutes' WHERE removed_at IS NOT NULL`)
	require.NoError(t, err)
	require.Equal(t, []int{0}, c.batches())
	var left int
	require.NoError(t, c.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM subjects WHERE removed_at IS NOT NULL AND NOT judgments_gone`).Scan(&left))
	require.Zero(t, left)
}

// A document that gets another id takes its judgments along. In a loop over both ids,
// whichever comes first, no reader misses one.
func TestJudgmentsGoAlongWithTheirDocument(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	const count = 50
	c.add("spring-", count, "acme", "spring", "ann")
	ids := []string{"spring", "summer"}
	stop, done := make(chan struct{}), make(chan error, 1)
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			for _, id := range ids {
				page, err := c.Query(t.Context(), modelstest.Workspace, judgment.Filter{OrganizationID: "acme", DocumentID: id}, nil, 100)
				if err != nil {
					done <- err
					return
				}
				if n := len(page.Items); n != 0 && n != count || n != int(page.Total) || n > 0 && *page.Items[0].DocumentID != id {
					t.Errorf("%d of %d under %s", n, page.Total, id)
				}
			}
		}
	}()
	for round := range 30 {
		modelstest.Rename(t, c.db, modelstest.Workspace, ids[round%2], ids[(round+1)%2])
	}
	close(stop)
	require.NoError(t, <-done)
	require.Equal(t, count, c.total(ofSpring))
}

// Users who leave an organization take their judgments in it along, those of the
// documents that came to it by another id too.
func TestForgetUsersOfAnOrganization(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.add("spring-", 2, "acme", "spring", "ann")
	c.add("apex-", 1, "apex", "spring", "ann")
	c.add("bob-", 1, "acme", "spring", "bob")
	modelstest.Rename(t, c.db, modelstest.Workspace, "spring", "summer")
	c.forget("ann", "eve")
	require.Equal(t, 1, c.total(judgment.Filter{ReviewerID: "ann"}))
	require.Equal(t, 1, c.total(judgment.Filter{OrganizationID: "acme", DocumentID: "summer"}))
	require.Equal(t, []int{2, 0}, c.batches())
	require.Equal(t, 2, c.rows())
}

// forget has users leave acme.
func (c *court) forget(userIDs ...string) {
	c.t.Helper()
	b := &pgx.Batch{}
	judgment.ForgetUsers(b, modelstest.Workspace, "acme", userIDs)
	require.NoError(c.t, c.db.Pool.SendBatch(c.t.Context(), b).Close())
}

// However many judgments somebody who leaves has, no read gives one of them from then on,
// and they are removed in batches; what they judge when they are back stays.
func TestJudgmentsOfWhoLeftAreHiddenAtOnceAndRemovedInBatches(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.add("former-", 2100, "acme", "spring", "ann")
	c.add("whole-", 3, "acme", "", "ann")
	c.add("bob-", 2, "acme", "spring", "bob")
	c.add("apex-", 1, "apex", "", "ann")
	c.forget("ann")
	require.Equal(t, 2106, c.rows(), "the call removes none of them itself")
	c.add("back-", 4, "acme", "spring", "ann")
	for want, filter := range map[int]judgment.Filter{
		7: {}, 6: {OrganizationID: "acme"}, 5: {ReviewerID: "ann"}, 4: {OrganizationID: "acme", DocumentID: "spring", ReviewerID: "ann"},
	} {
		require.Equal(t, want, c.total(filter))
	}
	stats, err := c.Stats(t.Context(), modelstest.Workspace)
	require.NoError(t, err)
	require.Equal(t, judgment.Stats{Judgments: 7, Reviewers: 2}, stats)
	profile, err := c.Profile(t.Context(), modelstest.Workspace, "ann")
	require.NoError(t, err)
	require.EqualValues(t, 5, profile.Judgments)
	gone, err := c.Delete(t.Context(), modelstest.Workspace, []string{"former-1", "back-1"})
	require.NoError(t, err)
	require.Equal(t, []string{"back-1"}, gone)
	recorded, err := c.Record(t.Context(), modelstest.Workspace, []judgment.Record{{
		RecordID: "former-2", Decision: "approve", JudgeType: "human", UserID: "ann", OrganizationID: "acme",
	}})
	require.NoError(t, err)
	require.True(t, recorded[0].Created, "its id is free")

	require.Equal(t, []int{1000, 1000, 102, 0}, c.batches())
	require.Equal(t, 7, c.rows())
	require.Equal(t, 7, c.total(judgment.Filter{}))
	count := func() (n int) {
		require.NoError(t, c.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM former_members`).Scan(&n))
		return n
	}
	require.Equal(t, 1, count(), "somebody may still be writing")
	_, err = c.db.Pool.Exec(t.Context(), `UPDATE former_members SET since = since - interval '11 minutes'`)
	require.NoError(t, err)
	require.Equal(t, []int{0}, c.batches())
	require.Zero(t, count())
}

// Whoever takes judgments away has the patterns looked for that rested on them, whether
// the index answers or not; whoever takes nothing away does not.
func TestPatternsDoNotWaitForTheIndex(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.add("spring-", 1, "acme", "spring", "ann")
	c.add("bob-", 1, "acme", "", "bob")
	c.add("cid-", 1, "acme", "", "cid")
	c.add("late-", 1, "acme", "late", "ann")
	due := func() (due bool) {
		require.NoError(t, c.db.Pool.QueryRow(t.Context(), `
WITH noted AS (DELETE FROM work WHERE kind = 'pattern' RETURNING run_at)
SELECT EXISTS (SELECT FROM noted WHERE run_at <= clock_timestamp() + interval '1 minute')`).Scan(&due))
		return due
	}
	forget := func(userID string, removed ...int) {
		c.forget(userID)
		require.Equal(t, removed, c.batches())
	}
	record := func(recordID string) {
		_, err := c.Record(t.Context(), modelstest.Workspace, []judgment.Record{{RecordID: recordID, Decision: "approve", JudgeType: "human", UserID: "ann"}})
		require.NoError(t, err)
	}
	remove := func(ids ...string) {
		gone, err := c.Delete(t.Context(), modelstest.Workspace, ids)
		require.NoError(t, err)
		require.Len(t, gone, len(ids))
	}
	forget("eve", 0)
	remove()
	record("new")
	require.False(t, due())
	forget("bob", 1, 0)
	require.True(t, due())
	remove("cid-1", "new")
	require.True(t, due())
	modelstest.Remove(t, c.db, modelstest.Workspace, "spring")
	require.Equal(t, []int{1, 0}, c.batches())
	require.True(t, due())
	modelstest.Remove(t, c.db, modelstest.Workspace, "late")
	record("late-1")
	require.True(t, due(), "it stood in the way")
}

// Whoever removes judgments, replaces some or brings some in takes rows of each other; none
// waits for another in a circle.
func TestRemovalsBesideOtherWork(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	g := c.serving()
	for round := range 15 {
		var ids []string
		for i := range 6 {
			name := fmt.Sprint("r", round, "-", i, "-")
			c.add(name, 1, "acme", fmt.Sprint("d", i%3), fmt.Sprint("user-", i))
			ids = append(ids, name+"1")
		}
		c.exec(`INSERT INTO judgment_index (key, workspace_id) SELECT key, workspace_id FROM judgments ON CONFLICT DO NOTHING`)
		c.exec(`INSERT INTO work (kind, key, workspace_id, group_key, run_at, ready)
			SELECT 'judgment', workspace_id || '/' || record_id, workspace_id AS workspace, workspace_id, now(), true FROM judgments ON CONFLICT DO NOTHING`)
		c.passTime()
		pending := c.claim(100)
		require.NotEmpty(t, pending)
		modelstest.Remove(t, c.db, modelstest.Workspace, "d2")
		work := []func() error{
			func() error { return c.Indexed(t.Context(), g.ID, pending) },
			func() error { return c.Forget(t.Context(), []judgment.Ref{pending[0].Ref}) },
			func() error { return c.StoreVectors(t.Context(), "m1", withVectors(slices.Clone(pending))) },
			func() error { _, err := c.Delete(t.Context(), modelstest.Workspace, ids[3:]); return err },
			func() error { _, err := c.RemoveBatch(t.Context(), modelstest.Workspace); return err },
			func() error {
				b := &pgx.Batch{}
				judgment.ForgetUsers(b, modelstest.Workspace, "acme", []string{"user-0", "user-3"})
				return c.db.InTx(t.Context(), func(tx *pg.Tx) error { return tx.SendBatch(t.Context(), b).Close() })
			},
			func() error {
				var records []judgment.Record
				for _, id := range ids[1:5] {
					records = append(records, judgment.Record{RecordID: id, Decision: "approve", JudgeType: "human", UserID: "ann", Replace: true})
				}
				_, err := c.Record(t.Context(), modelstest.Workspace, records)
				return err
			},
		}
		for i, err := range modelstest.AtOnce(len(work), func(i int) error { return work[i]() }) {
			require.NoError(t, err, "work %d", i)
		}
	}
}
