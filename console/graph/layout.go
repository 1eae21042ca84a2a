package graph

// Distances between ranks and between the nodes of a rank, in pixels.
const (
	rankGap, nodeGap, bendGap = 60, 26, 14
	margin                    = 24
	// loopPort is how far below the middle of a node an edge begins or ends that leads back, in
	// parts of its height, so that it does not lie on those that lead on.
	loopPort = 0.3
)

// Size is how large a node is, in pixels.
type Size struct{ Width, Height float64 }

// Edge leads from one node to another, by their places in the list of nodes. Back means that it is
// meant to lead back, as a loop does.
type Edge struct {
	From, To int
	Back     bool
}

// Point is a place; Y grows downwards.
type Point struct{ X, Y float64 }

// Layout is where everything stands.
type Layout struct {
	Width, Height float64
	// Centers are the middles of the nodes.
	Centers []Point
	// Curves are a point and then three for every cubic Bézier curve, of each edge in its direction.
	Curves [][]Point
}

// New lays out the nodes and the edges between them.
func New(nodes []Size, edges []Edge) Layout {
	g := newGrid(nodes, edges)
	g.rank()
	g.bend()
	g.order()
	g.place()
	return g.draw(edges)
}

// grid is the graph on its way to a layout: cells are the nodes and, behind them, the bends.
type grid struct {
	cells []cell
	// ways are the edges in the direction of the ranks.
	ways []way
	// ranks are the cells of each rank from top to bottom.
	ranks [][]int
}

// cell is a node or the bend of an edge.
type cell struct {
	size      Size
	rank      int
	center    Point
	bend      bool
	in, out   []int
	weighedAt float64
}

// way is an edge in the direction of the ranks; over are all cells that it passes, both ends too.
type way struct {
	from, to int
	turned   bool
	over     []int
}

func newGrid(nodes []Size, edges []Edge) *grid {
	g := &grid{cells: make([]cell, len(nodes))}
	for i, size := range nodes {
		g.cells[i].size = size
	}
	g.ways = acyclic(len(nodes), edges)
	return g
}

// draw makes the picture: what is turned round is drawn in its own direction again.
func (g *grid) draw(edges []Edge) Layout {
	l := Layout{Centers: make([]Point, 0, len(g.cells)), Curves: make([][]Point, len(edges))}
	for _, c := range g.cells {
		l.Width = max(l.Width, c.center.X+c.size.Width/2+margin)
		l.Height = max(l.Height, c.center.Y+c.size.Height/2+margin)
		if !c.bend {
			l.Centers = append(l.Centers, c.center)
		}
	}
	for i, w := range g.ways {
		if w.from == w.to {
			l.Curves[i] = g.around(w.from)
			continue
		}
		points := g.points(w)
		if w.turned {
			reverse(points)
		}
		l.Curves[i] = points
	}
	return l
}

// points is the curve of a way: level where it leaves, at every bend and where it arrives.
func (g *grid) points(w way) []Point {
	at := func(i int, side float64) Point {
		c := g.cells[i]
		p := Point{c.center.X + side*c.size.Width/2, c.center.Y}
		if w.turned && !c.bend {
			p.Y += loopPort * c.size.Height
		}
		return p
	}
	points := []Point{at(w.over[0], 1)}
	for _, next := range w.over[1:] {
		last, to := points[len(points)-1], at(next, -1)
		half := (to.X - last.X) / 2
		points = append(points, Point{last.X + half, last.Y}, Point{to.X - half, to.Y}, to)
		if g.cells[next].bend {
			// A bend has a width, over which the curve is level.
			end := at(next, 1)
			points = append(points, to, end, end)
		}
	}
	return points
}

// around is the curve of an edge from a node to itself, over its top.
func (g *grid) around(i int) []Point {
	c := g.cells[i]
	top, reach := c.center.Y-c.size.Height/2, c.size.Width/5
	return []Point{{c.center.X + reach, top}, {c.center.X + reach, top - margin}, {c.center.X - reach, top - margin}, {c.center.X - reach, top}}
}

func reverse(points []Point) {
	for i, j := 0, len(points)-1; i < j; i, j = i+1, j-1 {
		points[i], points[j] = points[j], points[i]
	}
}
