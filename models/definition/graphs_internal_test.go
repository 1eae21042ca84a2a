package definition

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/definition"
)

func TestGraphs_TogetherWeighNoMoreThanTheyMay(t *testing.T) {
	t.Parallel()
	c := newGraphCache()
	g := &definition.Graph{}
	const heavy, many = 8 << 20, 1000
	for n := range many {
		c.put(strconv.Itoa(n), g, heavy)
		c.put(strconv.Itoa(n), g, heavy) // who reads it at the same time
	}
	require.LessOrEqual(t, c.weigh, graphsWeigh)
	require.Equal(t, graphsWeigh/heavy, c.kept.Len())
	_, known := c.get(strconv.Itoa(many - 1))
	require.True(t, known)
	_, known = c.get("0")
	require.False(t, known)
	c.put("one that alone is too heavy", g, graphsWeigh+1)
	require.Zero(t, c.kept.Len())
	require.Zero(t, c.weigh)
}
