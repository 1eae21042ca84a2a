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
		found, err := c.Nearest(t.Context(), modelstest.Workspace, &index, judgment.Near{Vector: []float32{1}, Model: "m1", Among: vector.Review, Limit: 1})
		require.Empty(t, index)
		if err != nil {
			return nil, err
		}
		return found.Hits, nil
	}
	none := func() ([]vector.JudgmentHit, error) { return nil, fault.Away(vector.ErrNoTenant) }
	c.decide(modelstest.Workspace, "one")
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
