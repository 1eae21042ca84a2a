package graph

// passes is how often cells are moved towards their neighbours, forwards and backwards in turn.
const passes = 16

// place gives every cell its center.
func (g *grid) place() {
	x := float64(margin)
	for _, rank := range g.ranks {
		width := 0.0
		for _, i := range rank {
			width = max(width, g.cells[i].size.Width)
		}
		y := float64(margin)
		for k, i := range rank {
			c := &g.cells[i]
			if k > 0 {
				y += g.distance(rank[k-1], i)
			}
			if c.bend {
				c.size.Width = width
			}
			c.center = Point{x + width/2, y}
		}
		x += width + rankGap
	}
	for pass := range passes {
		for step := range g.ranks {
			rank := g.ranks[step]
			if pass%2 == 1 {
				rank = g.ranks[len(g.ranks)-1-step]
			}
			g.settle(rank)
		}
	}
	g.shift()
}

// distance is how far apart two cells that follow one another in a rank are at least.
func (g *grid) distance(above, below int) float64 {
	a, b := g.cells[above], g.cells[below]
	gap := float64(nodeGap)
	if a.bend && b.bend {
		gap = bendGap
	}
	return a.size.Height/2 + gap + b.size.Height/2
}

// block are cells of a rank that stand as close as they may; at is where its first one stands.
type block struct {
	first, cells int
	sum          float64
}

func (b block) at() float64 { return b.sum / float64(b.cells) }

// settle moves the cells of a rank to where the sum of the squares of their distances from the
// mean of their neighbours is least, in their order and not too close: an isotonic regression,
// by pooling those that would be in each other's way (Barlow and others, 1972).
func (g *grid) settle(rank []int) {
	offsets := make([]float64, len(rank))
	var blocks []block
	for k, i := range rank {
		if k > 0 {
			offsets[k] = offsets[k-1] + g.distance(rank[k-1], i)
		}
		blocks = append(blocks, block{k, 1, g.wanted(i) - offsets[k]})
		for n := len(blocks); n > 1 && blocks[n-2].at() > blocks[n-1].at(); n = len(blocks) {
			blocks[n-2].sum += blocks[n-1].sum
			blocks[n-2].cells += blocks[n-1].cells
			blocks = blocks[:n-1]
		}
	}
	for _, b := range blocks {
		for k := b.first; k < b.first+b.cells; k++ {
			g.cells[rank[k]].center.Y = b.at() + offsets[k]
		}
	}
}

// wanted is the mean height of the neighbours of a cell on both sides.
func (g *grid) wanted(i int) float64 {
	c := g.cells[i]
	sum := 0.0
	for _, k := range c.in {
		sum += g.cells[k].center.Y
	}
	for _, k := range c.out {
		sum += g.cells[k].center.Y
	}
	if n := len(c.in) + len(c.out); n > 0 {
		return sum / float64(n)
	}
	return c.center.Y
}

// shift moves everything down so that the highest cell stands at the margin.
func (g *grid) shift() {
	if len(g.cells) == 0 {
		return
	}
	top := g.cells[0].center.Y - g.cells[0].size.Height/2
	for _, c := range g.cells {
		top = min(top, c.center.Y-c.size.Height/2)
	}
	for i := range g.cells {
		g.cells[i].center.Y += margin - top
	}
}
