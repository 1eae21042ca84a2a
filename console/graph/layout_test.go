package graph_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/console/graph"
)

var box = graph.Size{Width: 160, Height: 50}

// boxes are n nodes of one size.
func boxes(n int) []graph.Size {
	nodes := make([]graph.Size, n)
	for i := range nodes {
		nodes[i] = box
	}
	return nodes
}

func TestEveryGraphHasAPlaceForEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "nodes")
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) graph.Edge {
			return graph.Edge{From: rapid.IntRange(0, n-1).Draw(t, "from"), To: rapid.IntRange(0, n-1).Draw(t, "to"), Back: rapid.Bool().Draw(t, "back")}
		}), 0, 80).Draw(t, "edges")
		l := graph.New(boxes(n), edges)
		require.Equal(t, l, graph.New(boxes(n), edges), "the same for the same")
		require.Len(t, l.Centers, n)
		require.Len(t, l.Curves, len(edges))
		for i, c := range l.Centers {
			require.GreaterOrEqual(t, c.X-box.Width/2, 0.0)
			require.LessOrEqual(t, c.X+box.Width/2, l.Width)
			require.GreaterOrEqual(t, c.Y-box.Height/2, 0.0)
			require.LessOrEqual(t, c.Y+box.Height/2, l.Height)
			for _, other := range l.Centers[:i] {
				apart := max(other.X-c.X, c.X-other.X) >= box.Width || max(other.Y-c.Y, c.Y-other.Y) >= box.Height
				require.True(t, apart, "%v lies on %v", c, other)
			}
		}
		for i, curve := range l.Curves {
			require.Equal(t, 1, len(curve)%3, "a point and three for each curve")
			require.InDelta(t, l.Centers[edges[i].From].X, curve[0].X, box.Width/2)
			require.InDelta(t, l.Centers[edges[i].To].X, curve[len(curve)-1].X, box.Width/2)
		}
	})
}

func TestWhatFollowsStandsBehind(t *testing.T) {
	l := graph.New(boxes(4), []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 0, To: 2}, {From: 2, To: 0, Back: true}, {From: 2, To: 3}})
	for i := range 3 {
		require.Less(t, l.Centers[i].X, l.Centers[i+1].X)
	}
}

// A circle without a word that it leads back is laid out all the same.
func TestCircle(t *testing.T) {
	l := graph.New(boxes(3), []graph.Edge{{From: 0, To: 1}, {From: 1, To: 2}, {From: 2, To: 0}})
	require.Less(t, l.Centers[0].X, l.Centers[1].X)
	require.Less(t, l.Centers[1].X, l.Centers[2].X)
	back := l.Curves[2]
	require.Greater(t, back[0].X, back[len(back)-1].X)
}

func TestNothing(t *testing.T) {
	require.Empty(t, graph.New(nil, nil).Centers)
}

// large is 200 nodes in a row with side ways and loops.
func large() ([]graph.Size, []graph.Edge) {
	var edges []graph.Edge
	for i := range 199 {
		edges = append(edges, graph.Edge{From: i, To: i + 1})
		if i%3 == 0 && i+5 < 200 {
			edges = append(edges, graph.Edge{From: i, To: i + 5})
		}
		if i%10 == 9 {
			edges = append(edges, graph.Edge{From: i, To: i - 6, Back: true})
		}
	}
	return boxes(200), edges
}

func BenchmarkLarge(b *testing.B) {
	nodes, edges := large()
	for b.Loop() {
		graph.New(nodes, edges)
	}
}
