package judgment_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

// state is the revision of a judgment, and whether the index has it.
type state struct {
	Revision int
	Indexed  bool
}

func (c *court) state(key int64) (s state) {
	c.t.Helper()
	require.NoError(c.t, c.db.Pool.QueryRow(c.t.Context(),
		`SELECT revision, indexed FROM judgment_index WHERE key = $1`, key).Scan(&s.Revision, &s.Indexed))
	return s
}

// queued is what is to be done with the index, by kinds, and the ids or keys of judgments.
func (c *court) queued() []string {
	c.t.Helper()
	rows, err := c.db.Pool.Query(c.t.Context(), `SELECT kind || ' ' || split_part(key, '/', -1) FROM work WHERE kind LIKE '%judgment' ORDER BY kind, key`)
	require.NoError(c.t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(c.t, err)
	return found
}

func (c *court) key(recordID string) (key int64) {
	c.t.Helper()
	require.NoError(c.t, c.db.Pool.QueryRow(c.t.Context(), `SELECT key FROM judgments WHERE record_id = $1`, recordID).Scan(&key))
	return key
}

// records stores one judgment and says whether it was new.
func (c *court) records(r judgment.Record) bool {
	c.t.Helper()
	done, err := c.Record(c.t.Context(), modelstest.Workspace, []judgment.Record{r})
	require.NoError(c.t, err)
	return done[0].Created
}

// What is recorded is to be brought in, what is known is not brought in again unless it is
// replaced, and a removal is due once all work on it has ended.
func TestEachRecordIsQueuedForTheIndex(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	r := judgment.Record{RecordID: "r", Decision: "approve", ContentType: "general", JudgeType: "human", UserID: "ann", OrganizationID: "acme", DocumentID: "spring"}
	require.True(t, c.records(r))
	key := c.key("r")
	require.Equal(t, state{1, false}, c.state(key))
	require.Equal(t, []string{"judgment r"}, c.queued())
	_, err := c.db.Pool.Exec(t.Context(), `WITH done AS (DELETE FROM work) UPDATE judgment_index SET indexed = true`)
	require.NoError(t, err)
	_, err = c.db.Pool.Exec(t.Context(), `INSERT INTO judgment_vectors (key, model, workspace_id, revision, review) VALUES ($1, 'm', $2, 1, '')`, key, modelstest.Workspace)
	require.NoError(t, err)

	require.False(t, c.records(r))
	require.Equal(t, state{1, true}, c.state(key))
	require.Empty(t, c.queued())
	r.Replace, r.Decision = true, "reject"
	require.False(t, c.records(r))
	require.Equal(t, state{2, false}, c.state(key))
	require.Equal(t, []string{"judgment r"}, c.queued())
	require.Equal(t, key, c.key("r"), "it keeps its place in the index")
	require.Equal(t, 1, c.total(judgment.Filter{Decision: "reject", OrganizationID: "acme", DocumentID: "spring"}))

	gone, err := c.Delete(t.Context(), modelstest.Workspace, []string{"r", "unknown"})
	require.NoError(t, err)
	require.Equal(t, []string{"r"}, gone)
	require.Equal(t, state{3, false}, c.state(key))
	require.Contains(t, c.queued(), fmt.Sprint("removed-judgment ", key))
	var vectors int
	require.NoError(t, c.db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM judgment_vectors`).Scan(&vectors))
	require.Zero(t, vectors)
	require.True(t, c.records(r))
	require.NotEqual(t, key, c.key("r"), "the index has it as another one")
}

// The id of a judgment that is hidden with its document is free before it is removed.
func TestARecordTakesTheIDOfAHiddenOne(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	r := judgment.Record{RecordID: "r", Decision: "approve", ContentType: "general", JudgeType: "human", UserID: "ann", OrganizationID: "acme", DocumentID: "spring"}
	require.True(t, c.records(r))
	key := c.key("r")
	modelstest.Remove(t, c.db, modelstest.Workspace, "spring")
	gone, err := c.Delete(t.Context(), modelstest.Workspace, []string{"r"})
	require.NoError(t, err)
	require.Empty(t, gone)
	require.True(t, c.records(r))
	require.Equal(t, state{2, false}, c.state(key))
	require.Equal(t, []string{"judgment r", fmt.Sprint("removed-judgment ", key)}, c.queued())
	require.Equal(t, 1, c.total(ofSpring))
}

// Above 100,000 judgments the figures of a workspace may be 30 s old, below they are exact.
func TestLong_FiguresOfALargeWorkspaceAreRemembered(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	figures := func() judgment.Stats {
		stats, err := c.Stats(t.Context(), modelstest.Workspace)
		require.NoError(t, err)
		return stats
	}
	c.add("few-", 3, "acme", "spring", "ann")
	require.Equal(t, judgment.Stats{Judgments: 3, Reviewers: 1}, figures())
	c.add("bob-", 1, "acme", "spring", "bob")
	require.Equal(t, judgment.Stats{Judgments: 4, Reviewers: 2}, figures())
	c.add("many-", 100_000, "acme", "spring", "ann")
	require.Equal(t, judgment.Stats{Judgments: 100_004, Reviewers: 2}, figures())
	c.add("eve-", 1, "acme", "spring", "eve")
	require.Equal(t, judgment.Stats{Judgments: 100_004, Reviewers: 2}, figures())
	other, err := c.Stats(t.Context(), "ws_other")
	require.NoError(t, err)
	require.Zero(t, other)
}

// A total is counted again up to 100,000, for a list and for a search; a larger one is
// remembered by the filter that it was counted for.
func TestLong_TotalsOfALargeWorkspaceAreRemembered(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	both := func(f judgment.Filter) [2]int64 {
		page, err := c.Query(t.Context(), modelstest.Workspace, f, nil, 1)
		require.NoError(t, err)
		found, err := c.Nearest(t.Context(), modelstest.Workspace, nil, judgment.Near{Filter: f, Among: []string{vector.Review}, Limit: 1, Counted: true})
		require.NoError(t, err)
		return [2]int64{page.Total, found.Total}
	}
	all, workflow := judgment.Filter{}, judgment.Filter{ContentType: "workflow"}
	c.add("many-", 100_000, "acme", "spring", "ann")
	require.Equal(t, [2]int64{100_000, 100_000}, both(all))
	c.add("bob-", 1, "acme", "spring", "bob")
	require.Equal(t, [2]int64{100_001, 100_001}, both(all), "it was not remembered")
	c.add("eve-", 1, "acme", "spring", "eve")
	require.Equal(t, [2]int64{100_001, 100_001}, both(all))
	require.Equal(t, [2]int64{100_002, 100_002}, both(workflow), "of another filter")
	require.Equal(t, [2]int64{1, 1}, both(judgment.Filter{ReviewerID: "eve"}))
	c.add("eve-again-", 1, "acme", "spring", "eve")
	require.Equal(t, [2]int64{2, 2}, both(judgment.Filter{ReviewerID: "eve"}))
	again, err := judgment.New(c.db).Query(t.Context(), modelstest.Workspace, all, nil, 1)
	require.NoError(t, err)
	require.EqualValues(t, 100_003, again.Total, "where nothing is remembered")
}

// Recent days have one end in the past and one now; a range has both its ends.
func TestJudgmentsOfATime(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	now := modelstest.ClockOf(t, c.db).Truncate(time.Millisecond)
	for name, at := range map[string]time.Time{"near": now.Add(-23 * time.Hour), "far": now.Add(-25 * time.Hour), "ahead": now.Add(4 * time.Minute)} {
		require.True(t, c.records(judgment.Record{
			RecordID: name, Decision: "approve", ContentType: "general", JudgeType: "human", UserID: "ann", CreatedAt: &at,
		}))
	}
	near, far := now.Add(-23*time.Hour), now.Add(-25*time.Hour)
	require.Equal(t, 1, c.total(judgment.Filter{RecentDays: 1}))
	require.Equal(t, 2, c.total(judgment.Filter{RecentDays: 2}))
	require.Equal(t, 2, c.total(judgment.Filter{From: &near}))
	require.Equal(t, 2, c.total(judgment.Filter{From: &far, Until: &near}))
	require.Equal(t, 1, c.total(judgment.Filter{Until: &far}))
}
