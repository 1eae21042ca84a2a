package graph

// rank puts every node behind all that lead to it.
func (g *grid) rank() {
	waiting := make([]int, len(g.cells))
	out := make([][]int, len(g.cells))
	for _, w := range g.ways {
		if w.from != w.to {
			waiting[w.to]++
			out[w.from] = append(out[w.from], w.to)
		}
	}
	var ready []int
	for i := range g.cells {
		if waiting[i] == 0 {
			ready = append(ready, i)
		}
	}
	for len(ready) > 0 {
		i := ready[0]
		ready = ready[1:]
		for _, to := range out[i] {
			g.cells[to].rank = max(g.cells[to].rank, g.cells[i].rank+1)
			if waiting[to]--; waiting[to] == 0 {
				ready = append(ready, to)
			}
		}
	}
}

// bend gives every way a cell in each rank that it crosses, and fills the ranks.
func (g *grid) bend() {
	for i := range g.ways {
		w := &g.ways[i]
		if w.from == w.to {
			continue
		}
		w.over = []int{w.from}
		for rank := g.cells[w.from].rank + 1; rank < g.cells[w.to].rank; rank++ {
			g.cells = append(g.cells, cell{rank: rank, bend: true})
			w.over = append(w.over, len(g.cells)-1)
		}
		w.over = append(w.over, w.to)
		for k := 1; k < len(w.over); k++ {
			from, to := w.over[k-1], w.over[k]
			g.cells[from].out = append(g.cells[from].out, to)
			g.cells[to].in = append(g.cells[to].in, from)
		}
	}
	for i, c := range g.cells {
		for len(g.ranks) <= c.rank {
			g.ranks = append(g.ranks, nil)
		}
		g.ranks[c.rank] = append(g.ranks[c.rank], i)
	}
}
