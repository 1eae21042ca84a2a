package graph

import "slices"

// rounds is how often the ranks are ordered, forwards and backwards in turn. Beyond a dozen hardly
// any order gets better.
const rounds = 12

// order orders the cells of each rank so that few edges cross: each by the mean of its
// neighbours, in the rank before and then in the rank behind. The best of all orders stays.
func (g *grid) order() {
	position := make([]float64, len(g.cells))
	best, fewest := g.copyRanks(), g.crossings(position)
	for round := range rounds {
		for step := range g.ranks {
			rank := step
			neighbours := func(c *cell) []int { return c.in }
			if round%2 == 1 {
				rank = len(g.ranks) - 1 - step
				neighbours = func(c *cell) []int { return c.out }
			}
			g.sort(g.ranks[rank], position, neighbours)
		}
		if n := g.crossings(position); n < fewest {
			best, fewest = g.copyRanks(), n
		}
	}
	g.ranks = best
}

// sort orders one rank; who has no neighbour there keeps its place.
func (g *grid) sort(rank []int, position []float64, neighbours func(*cell) []int) {
	for place, i := range rank {
		g.cells[i].weighedAt = mean(neighbours(&g.cells[i]), position, float64(place))
	}
	slices.SortStableFunc(rank, func(a, b int) int {
		switch x, y := g.cells[a].weighedAt, g.cells[b].weighedAt; {
		case x < y:
			return -1
		case x > y:
			return 1
		default:
			return 0
		}
	})
	number(rank, position)
}

func number(rank []int, position []float64) {
	for place, i := range rank {
		position[i] = float64(place)
	}
}

func mean(of []int, position []float64, otherwise float64) float64 {
	if len(of) == 0 {
		return otherwise
	}
	sum := 0.0
	for _, i := range of {
		sum += position[i]
	}
	return sum / float64(len(of))
}

// crossings counts pairs of edges that cross, and numbers all cells.
func (g *grid) crossings(position []float64) (n int) {
	for _, rank := range g.ranks {
		number(rank, position)
	}
	for r := 1; r < len(g.ranks); r++ {
		// The places where the edges arrive, in the order in which they leave: two of them cross
		// where the later one arrives earlier. Those before are counted in a Fenwick tree.
		seen := make([]int, len(g.ranks[r])+1)
		total := 0
		for _, i := range g.ranks[r-1] {
			out := slices.SortedFunc(slices.Values(g.cells[i].out), func(a, b int) int { return int(position[a] - position[b]) })
			for _, to := range out {
				n += total - upTo(seen, int(position[to])+1)
				total++
				add(seen, int(position[to])+1)
			}
		}
	}
	return n
}

func add(tree []int, at int) {
	for ; at < len(tree); at += at & -at {
		tree[at]++
	}
}

func upTo(tree []int, at int) (n int) {
	for ; at > 0; at -= at & -at {
		n += tree[at]
	}
	return n
}

func (g *grid) copyRanks() [][]int {
	copied := make([][]int, len(g.ranks))
	for i, rank := range g.ranks {
		copied[i] = slices.Clone(rank)
	}
	return copied
}
