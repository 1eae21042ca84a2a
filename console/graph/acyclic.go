package graph

// acyclic returns the edges as ways without a circle: those that are meant to lead back are turned
// round, and then whatever still closes a circle.
func acyclic(nodes int, edges []Edge) []way {
	ways := make([]way, len(edges))
	out := make([][]int, nodes)
	for i, e := range edges {
		ways[i] = way{from: e.From, to: e.To}
		if e.Back && e.From != e.To {
			ways[i] = way{from: e.To, to: e.From, turned: true}
		}
		if e.From != e.To {
			out[ways[i].from] = append(out[ways[i].from], i)
		}
	}
	search := search{ways: ways, out: out, state: make([]state, nodes)}
	for node := range nodes {
		search.from(node)
	}
	return ways
}

type state uint8

const (
	unseen state = iota
	open
	closed
)

// search goes through the graph depth first. The ways of a node that it is still in are open.
type search struct {
	ways  []way
	out   [][]int
	state []state
}

// visited is a node on the way down, and which of its ways is the next.
type visited struct{ node, next int }

func (s *search) from(start int) {
	if s.state[start] != unseen {
		return
	}
	s.state[start] = open
	path := []visited{{start, 0}}
	for len(path) > 0 {
		at := &path[len(path)-1]
		if at.next == len(s.out[at.node]) {
			s.state[at.node] = closed
			path = path[:len(path)-1]
			continue
		}
		w := &s.ways[s.out[at.node][at.next]]
		at.next++
		switch to := w.to; s.state[to] {
		case open:
			w.from, w.to, w.turned = w.to, w.from, !w.turned
		case unseen:
			s.state[to] = open
			path = append(path, visited{to, 0})
		case closed:
		}
	}
}
