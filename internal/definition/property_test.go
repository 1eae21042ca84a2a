package definition

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/shape"
)

// drawnEdges draws up to twenty edges between six nodes.
func drawnEdges(t *rapid.T) [][2]int {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]int {
		return [2]int{rapid.IntRange(0, 5).Draw(t, "from"), rapid.IntRange(0, 5).Draw(t, "to")}
	}), 0, 20).Draw(t, "edges")
}

// sorted reports whether the nodes can be put into an order in which every edge
// leads forward: there is no cycle.
func sorted(edges [][2]int) bool {
	left := slices.Clone(edges)
	for range 6 {
		left = slices.DeleteFunc(left, func(e [2]int) bool {
			return !slices.ContainsFunc(left, func(other [2]int) bool { return other[1] == e[0] })
		})
	}
	return len(left) == 0
}

// TestCyclesAreFoundExactly compares the rules with taking away roots until
// none is left.
func TestCyclesAreFoundExactly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		drawn := drawnEdges(t)
		var edges []string
		for _, e := range drawn {
			edges = append(edges, edge(fmt.Sprint("n", e[0]), fmt.Sprint("n", e[1]), "always"))
		}
		_, issues := full(graph(mocks("n0", "n1", "n2", "n3", "n4", "n5"), edges, nil))
		if got := slices.Contains(codes(issues), "cycle-detected"); got == sorted(drawn) {
			t.Fatalf("%v: cycle found is %v", drawn, got)
		}
	})
}

// onPath returns the nodes on a path of distinct nodes from one to another.
func onPath(edges [][2]int, from, to int, walked []int, found map[int]bool) {
	walked = append(slices.Clone(walked), from)
	if from == to {
		for _, n := range walked {
			found[n] = true
		}
		return
	}
	for _, e := range edges {
		if e[0] == from && !slices.Contains(walked, e[1]) {
			onPath(edges, e[1], to, walked, found)
		}
	}
}

// TestBodiesAreAllPaths compares the body of a loop with all its paths, one by
// one. Edges lead to higher nodes, so the graph is sound without the loop.
func TestBodiesAreAllPaths(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var forward [][2]int
		var edges []string
		for _, e := range drawnEdges(t) {
			if e[0] < e[1] {
				forward = append(forward, e)
				edges = append(edges, edge(fmt.Sprint("n", e[0]), fmt.Sprint("n", e[1]), "always"))
			}
		}
		entry := rapid.IntRange(0, 4).Draw(t, "entry")
		source := rapid.IntRange(entry+1, 5).Draw(t, "source")
		edges = append(edges, edge(fmt.Sprint("n", source), fmt.Sprint("n", entry), "reject", again))
		want := map[int]bool{}
		onPath(forward, entry, source, nil, want)

		p := &parser{}
		d := p.draft(p.Open(shape.Part{Raw: []byte(graph(mocks("n0", "n1", "n2", "n3", "n4", "n5"), edges, nil))}))
		p.lint(d)
		if len(want) == 0 {
			if len(d.loops) != 0 {
				t.Fatal("a loop that does not go back")
			}
			return
		}
		for i := range 6 {
			if d.loops[0].body.has(i) != want[i] {
				t.Fatalf("body of %d to %d over %v: node %d", source, entry, forward, i)
			}
		}
	})
}
