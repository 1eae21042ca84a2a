package trial

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/pattern"
	"github.com/redline-svc/redline/tools/calibrate/labelled"
)

func TestPatternsByHand(t *testing.T) {
	caps, terms := &labelled.Practice{ID: "caps", Decision: "reject"}, &labelled.Practice{ID: "terms", Decision: "approve"}
	late := &labelled.Practice{ID: "late", Decision: "approve"}
	of := planted{"c1": caps, "c2": caps, "c3": caps, "c4": caps, "t1": terms, "t2": terms, "t3": terms, "l1": late, "l2": late, "l3": late}
	d := of.compare([]pattern.Pattern{
		{Members: []string{"c1", "c2", "n1"}},
		{Members: []string{"c3", "c4", "n2"}},
		{Members: []string{"t1", "t2", "t3"}},
		{Members: []string{"l1", "l2", "n3", "n4"}, Approve: true},
	})
	require.Equal(t, share{1, 3}, d.found, "caps, in two parts; terms with the other decision; half of the members are no more than half")
	require.Equal(t, share{2, 4}, d.false)
	require.InDeltaSlice(t, []float64{1.0 / 3, 1.0 / 2, 0}, d.figures(), 1e-12)
}

func TestPatternsAreTheSameWithMembersAndText(t *testing.T) {
	found := []pattern.Pattern{{Members: []string{"a", "b", "c"}, Description: "x"}, {Members: []string{"d", "e", "f"}, Approve: true}}
	require.True(t, same(found, []pattern.Pattern{found[1], found[0]}))
	require.True(t, same(nil, nil))
	require.False(t, same(found, found[:1]))
	require.False(t, same(found[:1], found))
	other := found[0]
	other.Description = "y"
	require.False(t, same(found, []pattern.Pattern{other, found[1]}))
}
