package definition

import "fmt"

// cycles runs the rules about edges that go back without a loop, and about
// nodes that nothing leads to.
func (p *parser) cycles(d *draft) {
	p.rejectCycles(d)
	adjacency := d.adjacency()
	p.cyclesOf(d, adjacency.closure())
	p.unreachable(d, adjacency)
}

// rejectCycles finds edges on reject that go back as a loop would.
func (p *parser) rejectCycles(d *draft) {
	reach := d.adjacency().closure()
	for i := range d.edges {
		e := &d.edges[i]
		if e.on != Reject || !e.forward() || !goesUpstream(e, reach) {
			continue
		}
		e.flagged = true
		p.Report(e.o.Part, "APPROVAL_EDGE_REJECT_CYCLE_REQUIRES_LOOP", "an edge on reject that goes back needs a loop")
	}
}

// goesUpstream: a node is not upstream of itself.
func goesUpstream(e *draftEdge, reach matrix) bool {
	for _, s := range e.sources {
		for _, t := range e.targets {
			if s != t && reach[t].has(s) {
				return true
			}
		}
	}
	return false
}

// cyclesOf reports each knot of cycles once, at the last of its edges, which is
// the one that closes it.
func (p *parser) cyclesOf(d *draft, reach matrix) {
	last := map[int]*draftEdge{} // by the first node of the knot
	var knots []int
	for i := range d.edges {
		e := &d.edges[i]
		if !e.forward() || e.flagged {
			continue
		}
		for _, s := range e.sources {
			for _, t := range e.targets {
				if s != t && !reach[t].has(s) {
					continue
				}
				k := knot(reach, s)
				if last[k] == nil {
					knots = append(knots, k)
				}
				last[k] = e
			}
		}
	}
	for _, k := range knots {
		p.Report(last[k].o.Part, "cycle-detected", fmt.Sprintf("the edges lead back to %q without a loop", d.nodes[k].ID))
	}
}

// knot names the nodes that lead to each other by the first of them.
func knot(reach matrix, of int) int {
	for i := range reach {
		if i == of || (reach[i].has(of) && reach[of].has(i)) {
			return i
		}
	}
	return of
}

// unreachable finds nodes that no root leads to. A root has no incoming edge
// other than loop edges.
func (p *parser) unreachable(d *draft, adjacency matrix) {
	var entered, roots set
	for _, targets := range adjacency {
		entered = entered.or(targets)
	}
	for i := range d.nodes {
		if !entered.has(i) {
			roots.add(i)
		}
	}
	reached := adjacency.from(roots, set{})
	for i := range d.nodes {
		if n := &d.nodes[i]; !reached.has(i) && n.ID != "" {
			p.Report(n.o.Part, "unreachable-node", fmt.Sprintf("no root leads to the node %q", n.ID))
		}
	}
}
