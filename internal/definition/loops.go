package definition

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// draftLoop is a loop edge whose position in the graph is right.
type draftLoop struct {
	edge    int
	entry   int
	sources set // the source node, or the members of the source group
	body    set // all nodes on a path from the entry to a source, both included
}

// loopIDDigits is how much of the hash a loop's id shows.
const loopIDDigits = 12

// loopID names a loop by the two ends of its edge, so it is the same in every
// version that keeps the edge.
func loopID(e *draftEdge) string {
	sum := sha256.Sum256([]byte(e.from.word() + "\n" + e.to.word()))
	return "loop_" + hex.EncodeToString(sum[:])[:loopIDDigits]
}

// loops finds the loops and runs the rules about them.
func (p *parser) loops(d *draft) {
	adjacency := d.adjacency()
	reach := adjacency.closure()
	for i := range d.edges {
		e := &d.edges[i]
		if e.loop == nil || !e.connected || (e.on != Reject && e.on != "") {
			continue
		}
		if l, ok := p.goingBack(e, i, adjacency, reach); ok {
			d.loops = append(d.loops, l)
		}
	}
	var taken set
	for _, l := range d.loops {
		e := &d.edges[l.edge]
		if shared := taken.and(l.body); !shared.empty() {
			p.Report(*e.loop, "loop-node-in-multiple-loops", fmt.Sprintf("the node %q is in the body of another loop", d.nodes[shared.first()].ID))
		}
		taken = taken.or(l.body)
		p.body(d, l)
	}
}

// goingBack checks that the edge leads to one node upstream of its source and
// finds the body.
func (p *parser) goingBack(e *draftEdge, i int, adjacency, reach matrix) (draftLoop, bool) {
	if e.to.isGroup {
		p.Report(e.to.where, "APPROVAL_EDGE_LOOP_REQUIRES_BACK_EDGE", "a loop goes back to one node")
		return draftLoop{}, false
	}
	l := draftLoop{edge: i, entry: e.targets[0], sources: setOf(e.sources)}
	if l.sources.has(l.entry) || reach[l.entry].and(l.sources).empty() {
		p.Report(e.to.where, "APPROVAL_EDGE_LOOP_REQUIRES_BACK_EDGE", fmt.Sprintf("%q is not upstream of the source", e.to.id))
		return l, false
	}
	reached := adjacency.from(setOf([]int{l.entry}), l.sources)
	for i := range reach {
		if reached.has(i) && (l.sources.has(i) || !reach[i].and(l.sources).empty()) {
			l.body.add(i)
		}
	}
	return l, true
}

// body runs the rules about what is in the body of a loop and what leaves it. A source
// that the entry does not lead to would keep what it said in the iteration before: its
// group could not be met any more.
func (p *parser) body(d *draft, l draftLoop) {
	back := &d.edges[l.edge]
	if outside := l.sources.less(l.body); !outside.empty() {
		p.Report(back.to.where, "APPROVAL_EDGE_LOOP_REQUIRES_BACK_EDGE",
			fmt.Sprintf("%q is not upstream of %q, a member of the source", back.to.id, d.nodes[outside.first()].ID))
	}
	if back.from.isGroup {
		g := &d.groups[d.group[back.from.id]]
		if g.Quorum > 0 && g.ExpectedSteps > 0 && g.Quorum != g.ExpectedSteps {
			p.Report(*back.loop, "loop-group-bounded-quorum-must-equal-expected", "the source group of a loop needs quorum equal to expectedSteps")
		}
	}
	for i := range d.edges {
		e := &d.edges[i]
		if !e.forward() {
			continue
		}
		if sameEnd(e.from, back.from) {
			if e.on == Exhausted && !setOf(e.targets).and(l.body).empty() {
				e.flagged = true
				p.Report(e.to.where, "loop-exhausted-target-in-body", "an edge on exhausted must not lead back into the body of its loop")
			}
			continue
		}
		inside := setOf(e.sources).and(l.body).less(l.sources)
		if !inside.empty() && !setOf(e.targets).less(l.body).empty() {
			p.Report(e.o.Part, "loop-body-must-have-single-terminal",
				fmt.Sprintf("%q is in the body of a loop, which only its source may leave", d.nodes[inside.first()].ID))
		}
	}
}

func sameEnd(a, b end) bool { return a.isGroup == b.isGroup && a.id == b.id }
