package suggest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/suggest"
)

// pointing gives both vectors of a judgment, content and review.
func pointing(content, review []float32) func(*suggest.Candidate) {
	return func(c *suggest.Candidate) { c.Content, c.Review = content, review }
}

// Ten unrelated judgments point one way. What points there too is as like them as they are like
// one another, and stays as near as it is. What points elsewhere has a cosine less by 1, of which
// ten judgments are believed half.
func TestWhatIsLikeEverythingIsLessNear(t *testing.T) {
	usual, own := []float32{1, 0}, []float32{0, 1}
	unrelated := votes(10, "u", true, likeness(0.10), pointing(usual, usual))
	advice := func(near ...suggest.Candidate) suggest.Result { return suggest.Decide(join(unrelated, near), at()) }
	like := votes(2, "a", true, likeness(0.31), pointing(usual, usual))
	require.InDelta(t, 0.31-0.30, advice(like...).Margin, 1e-6, "no nearer to the others than they are to one another")
	apart := votes(2, "a", true, likeness(0.31), pointing(own, own))
	require.InDelta(t, 0.31+0.5-0.30, advice(apart...).Margin, 1e-6)
	half := votes(2, "a", true, likeness(0.31), pointing(usual, own))
	require.InDelta(t, 0.31+0.5/4-0.30, advice(half...).Margin, 1e-6, "a review is a fourth")
}

// One more that is near changes how near no other is, so that it pushes none out.
func TestOnlyWhatIsUnrelatedIsUsual(t *testing.T) {
	vector := []float32{1, 0}
	few := join(votes(2, "a", true, likeness(0.31), pointing(vector, vector)), votes(3, "u", true, likeness(0.10), pointing([]float32{0, 1}, vector)))
	margin := suggest.Decide(few, at()).Margin
	more := join(few, votes(3, "b", true, likeness(0.31), pointing(vector, vector)))
	require.InDelta(t, margin, suggest.Decide(more, at()).Margin, 1e-9)
	require.Equal(t, 5, suggest.Decide(more, at()).Primary.BasedOn)
}

// Where content is not known, likeness stays as it is, and it makes nothing usual.
func TestWithoutContentNothingIsUsual(t *testing.T) {
	vector := []float32{1, 0}
	bare := join(votes(2, "a", true, likeness(0.31), pointing(nil, vector)), votes(3, "u", true, likeness(0.10), pointing(nil, vector)))
	require.InDelta(t, 0.01, suggest.Decide(bare, at()).Margin, 1e-9)
	beside := join(bare, votes(3, "v", true, likeness(0.10), pointing(vector, vector)))
	require.InDelta(t, 0.01, suggest.Decide(beside, at()).Margin, 1e-9)
}
