package judgment_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

// within is a search for the judgments that a filter leaves, which the index is not asked
// for: there is none.
func (c *court) within(q judgment.Near) *judgment.Nearby {
	c.t.Helper()
	q.Vector, q.Model, q.Counted = []float32{1, 0}, "m1", true
	q.Shaped = func(v []float32) []float32 { return v }
	found, err := c.Nearest(c.t.Context(), modelstest.Workspace, nil, q)
	require.NoError(c.t, err)
	return found
}

// known gives judgments their vectors: the reviews say how near each is, and the first has
// content.
func (c *court) known(near ...float32) {
	c.t.Helper()
	owed := c.claim(len(near))
	for i := range owed {
		owed[i].Vectors = &judgment.Vectors{Review: []float32{near[i], 0}}
	}
	owed[0].Vectors.Content = []float32{0.5, 0}
	require.NoError(c.t, c.StoreVectors(c.t.Context(), "m1", owed))
}

func TestFewAreComparedWithoutTheIndex(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	require.Empty(t, c.within(judgment.Near{Among: []string{vector.Review}, Limit: 3}).Hits, "nothing was ever recorded")
	c.serving()
	c.decide(modelstest.Workspace, "far", "near", "nearer", "nearest")
	c.known(0.25, 0.5, 0.75, 0.875)
	c.decide(modelstest.Workspace, "unknown")
	for _, q := range []struct {
		among []string
		limit int
		found map[string]float64
	}{
		{[]string{vector.Review}, 3, map[string]float64{"nearest": 0.875, "nearer": 0.75, "near": 0.5}},
		{[]string{vector.Content}, 3, map[string]float64{"far": 0.5}},
		{[]string{vector.Review, vector.Content}, 9, map[string]float64{"nearest": 0.875, "nearer": 0.75, "near": 0.5, "far": 0.5}},
	} {
		found := c.within(judgment.Near{Among: q.among, Limit: q.limit})
		similar := map[string]float64{}
		for i, h := range found.Hits {
			similar[h.Reasoning] = h.Similarity
			require.Equal(t, slices.Contains(q.among, vector.Review), h.Review != nil)
			require.LessOrEqual(t, h.Similarity, found.Hits[max(0, i-1)].Similarity)
		}
		require.Equal(t, q.found, similar)
		require.EqualValues(t, 5, found.Total, "the one whose vector is not known counts, too")
	}
}

// What the index has is compared here: an edited judgment by its old vectors until the new
// ones are there, and none by those of another model.
func TestFewHaveVectorsOfTheModel(t *testing.T) {
	t.Parallel()
	c := newCourt(t)
	c.serving()
	c.decide(modelstest.Workspace, "first", "second")
	c.known(0.5, 0.5)
	all := judgment.Near{Among: []string{vector.Review}, Limit: 3, Contents: true}
	found := c.within(all).Hits
	require.Len(t, found, 2)
	require.Equal(t, "flow", found[0].Content)
	c.exec(`UPDATE judgment_index SET revision = revision + 1 WHERE key = (SELECT key FROM judgments WHERE reasoning = 'first')`)
	require.Len(t, c.within(all).Hits, 2)
	c.exec(`UPDATE judgment_vectors SET model = 'm0'`)
	require.Empty(t, c.within(all).Hits)
	c.exec(`UPDATE index_generations SET model = 'm0'`)
	require.True(t, c.within(all).Moved)
}
