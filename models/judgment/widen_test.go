package judgment_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

// listening plays an index with these hits and keeps what it was asked.
type listening struct {
	hits  []vector.JudgmentHit
	asked []vector.JudgmentQuery
}

func (l *listening) NearestJudgments(_ context.Context, _ vector.Partition, q vector.JudgmentQuery) ([]vector.JudgmentHit, error) {
	l.asked = append(l.asked, q)
	return l.hits[:min(len(l.hits), q.Limit)], nil
}

// limits are for how many hits it was asked.
func (l *listening) limits() (all []int) {
	for _, q := range l.asked {
		all = append(all, q.Limit)
	}
	return all
}

// gone are hits whose rows are gone, so far away.
func gone(n int, distance float32) []vector.JudgmentHit {
	hits := make([]vector.JudgmentHit, n)
	for i := range hits {
		hits[i] = vector.JudgmentHit{Key: int64(-1 - i), Distance: distance}
	}
	return hits
}

// near asks an index for judgments.
func (c *court) near(index judgment.VectorIndex, q judgment.Near) []judgment.Hit {
	c.t.Helper()
	q.Vector, q.Model, q.Among = []float32{1}, "m1", []string{vector.Review}
	found, err := c.Nearest(c.t.Context(), modelstest.Workspace, index, q)
	require.NoError(c.t, err)
	return found.Hits
}

// at records judgments of these ids, made so many minutes ago, and gives their hits.
func (c *court) at(minutes int, distance float32, ids ...string) []vector.JudgmentHit {
	c.t.Helper()
	created := modelstest.ClockOf(c.t, c.db).Truncate(time.Minute).Add(-time.Duration(minutes) * time.Minute)
	hits := make([]vector.JudgmentHit, len(ids))
	for i, id := range ids {
		require.True(c.t, c.records(judgment.Record{
			RecordID: id, Decision: "approve", ContentType: "general", JudgeType: "human", UserID: "ann", CreatedAt: &created,
		}))
		hits[i] = vector.JudgmentHit{Key: c.key(id), Distance: distance}
	}
	return hits
}

func recordIDs(hits []judgment.Hit) []string {
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.RecordID
	}
	return ids
}

// The index is asked for more, four times as many each time, until the result is full or
// it has no more.
func TestMemorySearch_6_ASearchIsWidenedWhereRowsAreGone(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.serving()
	there := c.at(1, 0.5, "a", "b", "c")
	for _, q := range []struct {
		gone, limit int
		asked       []int
		found       []string
	}{
		{0, 2, []int{12}, []string{"a", "b"}},
		{10, 2, []int{12, 48}, []string{"a", "b"}},
		{11, 2, []int{12, 48}, []string{"a", "b"}},
		{47, 2, []int{12, 48, 192}, []string{"a", "b"}},
		{100, 3, []int{13, 52, 208}, []string{"a", "b", "c"}},
		{100, 5, []int{15, 60, 240}, []string{"a", "b", "c"}},
		{9_998, 2, []int{12, 48, 192, 768, 3072, 10_000}, []string{"a", "b"}},
		{9_999, 2, []int{12, 48, 192, 768, 3072, 10_000}, []string{"a"}},
	} {
		index := &listening{hits: append(gone(q.gone, 0.25), there...)}
		require.Equal(t, q.found, recordIDs(c.near(index, judgment.Near{Limit: q.limit})), "%+v", q)
		require.Equal(t, q.asked, index.limits(), "%+v", q)
	}
}

// What is as near as the last one may stand before it, so it is looked at as well.
func TestMemorySearch_EquallyNearOnesBeyondThoseAskedFor(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.serving()
	older := make([]string, 12)
	for i := range older {
		older[i] = fmt.Sprintf("older-%02d", i)
	}
	index := &listening{hits: append(c.at(2, 0.5, older...), c.at(1, 0.5, "newer")...)}
	require.Equal(t, []string{"newer", "older-00"}, recordIDs(c.near(index, judgment.Near{Limit: 2})))
	require.Equal(t, []int{12, 48}, index.limits())
}

// Thousands may be as near as the last one, as what is said again and again is: then it does not matter which of them comes first.
func TestASearchLooksAtSoManyEquallyNearOnes(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.serving()
	index := &listening{hits: append(c.at(1, 0.5, "a", "b"), gone(9_000, 0.5)...)}
	require.Equal(t, []string{"a", "b"}, recordIDs(c.near(index, judgment.Near{Limit: 2})))
	require.Equal(t, []int{12, 48, 192, 768, 3072}, index.limits())
}

// The nearest come first, then the newest, then by the record id; what points away is not
// near at all.
func TestMemorySearch_TheOrderOfWhatIsFound(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.serving()
	index := &listening{}
	for _, some := range [][]vector.JudgmentHit{
		c.at(3, 1.75, "away-old"), c.at(1, 1.25, "away-new"), c.at(2, 1, "across"), c.at(5, 0.5, "d", "b"), c.at(4, 0.5, "c"), c.at(5, 0.5, "a"), c.at(9, 0, "same"),
	} {
		index.hits = append(index.hits, some...)
	}
	found := c.near(index, judgment.Near{Limit: 9})
	require.Equal(t, []string{"same", "c", "a", "b", "d", "away-new", "across", "away-old"}, recordIDs(found))
	for i, similarity := range []float64{1, 0.5, 0.5, 0.5, 0.5, 0, 0, 0} {
		require.InDelta(t, similarity, found[i].Similarity, 0, found[i].RecordID)
	}
}

// Scope and filters are asked of the index, not applied to what it gave.
func TestMemorySearch_1_TheFilterIsInTheQuestionToTheIndex(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.serving()
	c.add("spring-", 2, "acme", "spring", "ann")
	c.add("summer-", 1, "acme", "summer", "bob")
	key := func(column, recordID string) (key int64) {
		require.NoError(t, c.db.Pool.QueryRow(t.Context(), `SELECT `+column+` FROM judgments WHERE record_id = $1`, recordID).Scan(&key))
		return key
	}
	acme, spring, summer := key("organization_key", "spring-1"), key("document_key", "spring-1"), key("document_key", "summer-1")
	from, until := time.UnixMilli(1_000), modelstest.ClockOf(t, c.db).Truncate(time.Millisecond).Add(time.Hour)
	filter := judgment.Filter{
		OrganizationID: "acme", Decision: "approve", JudgeType: "human", ContentType: "workflow", ReviewerID: "ann",
		From: &from, Until: &until, WithoutDocuments: []string{"summer"},
	}
	index := &listening{}
	require.Empty(t, c.near(index, judgment.Near{Filter: filter, Limit: 5}))
	require.Equal(t, []vector.JudgmentQuery{{
		Vector: []float32{1}, Among: vector.Review, Limit: 15, Organizations: []int64{acme}, Decisions: []string{"approve"}, JudgeType: "human",
		ContentType: "workflow", Reviewer: "ann", From: new(int64(1_000)), To: new(until.UnixMilli()), ExcludeOrganizations: []int64{}, ExcludeDocuments: []int64{summer},
	}}, index.asked)
	index = &listening{}
	require.Empty(t, c.near(index, judgment.Near{Filter: ofSpring, Decisions: []string{"approve", "reject"}, Limit: 5}))
	require.Equal(t, []int64{spring}, index.asked[0].Documents)
	require.Equal(t, []string{"approve", "reject"}, index.asked[0].Decisions)
}

// Each organization may have documents of the same id: the index is asked to leave out some of them, and the others are left out when
// they are found.
func TestMemorySearch_OfManyDocumentsThatItIsNotAboutTheIndexLeavesOutSome(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.serving()
	_, err := c.db.Pool.Exec(t.Context(), `SELECT open_subjects($1, 'o' || n, 'summer') FROM generate_series(1, 150) n`, modelstest.Workspace)
	require.NoError(t, err)
	c.add("summer-", 1, "o150", "summer", "ann")
	c.add("spring-", 1, "o150", "spring", "ann")
	index := &listening{hits: []vector.JudgmentHit{{Key: c.key("summer-1"), Distance: 0.5}, {Key: c.key("spring-1"), Distance: 0.5}}}
	found := c.near(index, judgment.Near{Filter: judgment.Filter{WithoutDocuments: []string{"summer"}}, Limit: 5})
	require.Equal(t, []string{"spring-1"}, recordIDs(found))
	require.Len(t, index.asked[0].ExcludeDocuments, 100)
}
