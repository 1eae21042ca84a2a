package judgment_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

// asked plays the index, one answer for each question.
type asked []func() ([]vector.JudgmentHit, error)

func (a *asked) NearestJudgments(context.Context, vector.Partition, vector.JudgmentQuery) ([]vector.JudgmentHit, error) {
	answer := (*a)[0]
	*a = (*a)[1:]
	return answer()
}

// A search that the index answers while the very first judgments are brought in asks again;
// where nothing was brought in, nothing is near, and where all is lost, the index is away.
func TestASearchBesideTheFirstJudgments(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	g := c.serving()
	near := func(answers ...func() ([]vector.JudgmentHit, error)) ([]judgment.Hit, error) {
		index := asked(answers)
		found, err := c.Nearest(t.Context(), modelstest.Workspace, &index, judgment.Near{Vector: []float32{1}, Model: "m1", Among: []string{vector.Review}, Limit: 1})
		require.Empty(t, index)
		if err != nil {
			return nil, err
		}
		return found.Hits, nil
	}
	none := func() ([]vector.JudgmentHit, error) { return nil, fault.Unavailable(vector.ErrNoTenant) }
	c.decide(modelstest.Workspace, "one")
	hits, err := near(none)
	require.NoError(t, err)
	require.Empty(t, hits)

	var pending []judgment.Pending
	meanwhile := func() ([]vector.JudgmentHit, error) {
		pending = withVectors(c.claim(1))
		require.NoError(t, c.StoreVectors(t.Context(), "m1", pending))
		require.NoError(t, c.Indexed(t.Context(), g.ID, pending))
		return none()
	}
	hits, err = near(meanwhile, func() ([]vector.JudgmentHit, error) { return []vector.JudgmentHit{{Key: pending[0].Key}}, nil })
	require.NoError(t, err)
	require.Len(t, hits, 1)

	_, err = near(none, none)
	require.True(t, fault.Is(err, fault.StatusUnavailable), err)
}

// library plays an index that has an answer for each kind of vector.
type library map[string][]vector.JudgmentHit

func (l library) NearestJudgments(_ context.Context, _ vector.Partition, q vector.JudgmentQuery) ([]vector.JudgmentHit, error) {
	hits := l[q.Among]
	return hits[:min(len(hits), q.Limit)], nil
}

// A judgment that both of its vectors find is given once, as near as the nearer one, and
// each kind of vector has its share of the answer.
func TestASearchByBothVectors(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.serving()
	c.decide(modelstest.Workspace, "one", "two", "three", "four")
	key := map[string]int64{}
	for _, o := range c.claim(4) {
		key[o.Text.Reasoning] = o.Key
	}
	hit := func(name string, distance float32) vector.JudgmentHit {
		return vector.JudgmentHit{Key: key[name], Distance: distance, Review: []float32{distance}}
	}
	index := library{
		vector.Review:  {hit("one", 0.125), hit("two", 0.5), hit("four", 0.625)},
		vector.Content: {hit("three", 0.25), {Key: -1, Distance: 0.25}, hit("one", 0.5), hit("four", 0.75)},
	}
	for _, among := range [][]string{{vector.Review, vector.Content}, {vector.Content, vector.Review}} {
		found, err := c.Nearest(t.Context(), modelstest.Workspace, index, judgment.Near{
			Vector: []float32{1}, Model: "m1", Among: among, Limit: 2, Roughly: true, Decisions: []string{"approve"},
		})
		require.NoError(t, err)
		var names []string
		byContent := map[string]float64{}
		for _, h := range found.Hits {
			names = append(names, h.Reasoning)
			require.InDelta(t, 1-h.Similarity, h.ReviewVector[0], 1e-9)
			require.True(t, h.Judged)
			if h.ContentSimilarity != nil {
				byContent[h.Reasoning] = *h.ContentSimilarity
			}
		}
		require.Equal(t, []string{"one", "three", "two"}, names)
		require.Equal(t, map[string]float64{"one": 0.5, "three": 0.75}, byContent)
		require.EqualValues(t, 4, found.Total)
	}
}

// Each kind of vector is asked for by its own name, what is found is in the order of its
// likeness, and a judgment without vectors counts, too.
func TestASearchIsInTheOrderOfLikeness(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	ask := func(index judgment.VectorIndex, among []string, limit int) *judgment.Nearby {
		found, err := c.Nearest(t.Context(), modelstest.Workspace, index, judgment.Near{Vector: []float32{1}, Model: "m1", Among: among, Limit: limit, Counted: true, Contents: true})
		require.NoError(t, err)
		return found
	}
	require.Empty(t, ask(nil, []string{vector.Review}, 3).Hits, "nothing was ever recorded")
	c.serving()
	c.decide(modelstest.Workspace, "far", "near", "nearer", "nearest", "unknown")
	hit := func(name string, distance float32) vector.JudgmentHit {
		var key int64
		require.NoError(t, c.db.Pool.QueryRow(t.Context(), `SELECT key FROM judgments WHERE reasoning = $1`, name).Scan(&key))
		return vector.JudgmentHit{Key: key, Distance: distance}
	}
	index := library{
		vector.Review:  {hit("nearest", 0.125), hit("nearer", 0.25), hit("near", 0.5), hit("far", 0.75)},
		vector.Content: {hit("far", 0.5)},
	}
	for _, q := range []struct {
		among []string
		limit int
		found map[string]float64
	}{
		{[]string{vector.Review}, 3, map[string]float64{"nearest": 0.875, "nearer": 0.75, "near": 0.5}},
		{[]string{vector.Content}, 3, map[string]float64{"far": 0.5}},
		{[]string{vector.Review, vector.Content}, 9, map[string]float64{"nearest": 0.875, "nearer": 0.75, "near": 0.5, "far": 0.5}},
	} {
		found := ask(index, q.among, q.limit)
		similar := map[string]float64{}
		for i, h := range found.Hits {
			similar[h.Reasoning] = h.Similarity
			require.Equal(t, "flow", h.Content)
			require.LessOrEqual(t, h.Similarity, found.Hits[max(0, i-1)].Similarity)
		}
		require.Equal(t, q.found, similar)
		require.EqualValues(t, 5, found.Total)
	}
}

// While a judgment that was edited waits for its new vectors it is found by the old ones,
// and nothing is found by those of another model.
func TestASearchByAnotherModelSaysSo(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.serving()
	c.decide(modelstest.Workspace, "first", "second")
	pending := withVectors(c.claim(2))
	index := library{vector.Review: {{Key: pending[0].Key, Distance: 0.5}, {Key: pending[1].Key, Distance: 0.5}}}
	all := judgment.Near{Vector: []float32{1}, Model: "m1", Among: []string{vector.Review}, Limit: 3}
	c.exec(`UPDATE judgment_index SET revision = revision + 1 WHERE key = (SELECT key FROM judgments WHERE reasoning = 'first')`)
	found, err := c.Nearest(t.Context(), modelstest.Workspace, index, all)
	require.NoError(t, err)
	require.Len(t, found.Hits, 2)
	require.False(t, found.Moved)
	c.exec(`UPDATE index_generations SET model = 'm0'`)
	found, err = c.Nearest(t.Context(), modelstest.Workspace, index, all)
	require.NoError(t, err)
	require.True(t, found.Moved)
	require.Empty(t, found.Hits)
}
