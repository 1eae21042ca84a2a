package definition

import "math/bits"

// set is a set of nodes by their positions; a definition has at most 100.
type set [2]uint64

const wordBits = 64

func (s *set) add(i int)     { s[i/wordBits] |= 1 << (i % wordBits) }
func (s set) has(i int) bool { return s[i/wordBits]&(1<<(i%wordBits)) != 0 }
func (s set) empty() bool    { return s == set{} }

func (s set) and(t set) set { return set{s[0] & t[0], s[1] & t[1]} }
func (s set) or(t set) set  { return set{s[0] | t[0], s[1] | t[1]} }
func (s set) less(t set) set {
	return set{s[0] &^ t[0], s[1] &^ t[1]}
}

// first is the lowest position in the set, which must not be empty.
func (s set) first() int {
	if s[0] != 0 {
		return bits.TrailingZeros64(s[0])
	}
	return wordBits + bits.TrailingZeros64(s[1])
}

func setOf(positions []int) set {
	var s set
	for _, i := range positions {
		s.add(i)
	}
	return s
}

// matrix returns for each node the nodes that it leads to.
type matrix []set

// closure returns for each node all nodes that one or more steps lead to. The
// cost is the square of the nodes, however many paths there are.
func (m matrix) closure() matrix {
	c := append(matrix{}, m...)
	for via := range c {
		for from := range c {
			if c[from].has(via) {
				c[from] = c[from].or(c[via])
			}
		}
	}
	return c
}

// from returns the start and all nodes that lead on from it, not going beyond the
// nodes of stop.
func (m matrix) from(start, stop set) set {
	reached, open := start, start
	for !open.empty() {
		i := open.first()
		open = open.less(setOf([]int{i}))
		if stop.has(i) {
			continue
		}
		fresh := m[i].less(reached)
		reached, open = reached.or(fresh), open.or(fresh)
	}
	return reached
}

// adjacency returns the edges that run forward, apart from those that a rule
// found fault with.
func (d *draft) adjacency() matrix {
	m := make(matrix, len(d.nodes))
	for i := range d.edges {
		e := &d.edges[i]
		if !e.forward() || e.flagged {
			continue
		}
		for _, s := range e.sources {
			m[s] = m[s].or(setOf(e.targets))
		}
	}
	return m
}
