package judgment_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/judgment"
	"github.com/redline-svc/redline/models/modelstest"
	"github.com/redline-svc/redline/models/vector"
)

// crowd are reasons of so many judgments that a search asks the index.
var crowd = strings.Fields("a b c d e f g h i j k")

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
	none := func() ([]vector.JudgmentHit, error) { return nil, fault.Away(vector.ErrNoTenant) }
	c.decide(modelstest.Workspace, append([]string{"one"}, crowd...)...)
	hits, err := near(none)
	require.NoError(t, err)
	require.Empty(t, hits)

	var owed []judgment.Owed
	meanwhile := func() ([]vector.JudgmentHit, error) {
		owed = withVectors(c.claim(1))
		require.NoError(t, c.StoreVectors(t.Context(), "m1", owed))
		require.NoError(t, c.Indexed(t.Context(), g.ID, owed))
		return none()
	}
	hits, err = near(meanwhile, func() ([]vector.JudgmentHit, error) { return []vector.JudgmentHit{{Key: owed[0].Key}}, nil })
	require.NoError(t, err)
	require.Len(t, hits, 1)

	_, err = near(none, none)
	require.True(t, fault.Is(err, fault.Unavailable), err)
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
	c.decide(modelstest.Workspace, append([]string{"one", "two", "three", "four"}, crowd...)...)
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
		found, err := c.Nearest(t.Context(), modelstest.Workspace, index, judgment.Near{Vector: []float32{1}, Model: "m1", Among: among, Limit: 2})
		require.NoError(t, err)
		var names []string
		for _, h := range found.Hits {
			names = append(names, h.Reasoning)
			require.InDelta(t, 1-h.Similarity, h.Review[0], 1e-9)
		}
		require.Equal(t, []string{"one", "three", "two"}, names)
	}
}
