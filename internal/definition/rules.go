package definition

import (
	"fmt"
	"slices"
)

// roles runs the rules about what must, or must not, leave a node.
func (p *parser) roles(d *draft) {
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.ID == "" || d.node[n.ID] != i {
			continue
		}
		own := d.own(n.ID)
		p.rejectPath(d, i, own)
		p.breachEdge(d, i, own)
	}
	for i := range d.edges {
		p.exhaustedSibling(d, &d.edges[i])
	}
}

// takesRejection: an edge whose role could not be read may be meant so.
func takesRejection(e *draftEdge) bool { return e.on == Reject || e.on == "" }

// rejectPath: a rejection by people must have somewhere to go.
func (p *parser) rejectPath(d *draft, i int, own []*draftEdge) {
	n := &d.nodes[i]
	if n.Type != HumanNode || slices.ContainsFunc(own, takesRejection) {
		return
	}
	if g := d.groupAt(i); g != nil && slices.ContainsFunc(d.ofGroup(g.ID), takesRejection) {
		return
	}
	p.Report(n.o.Part, "APPROVAL_HUMAN_NODE_REQUIRES_REJECT_PATH",
		fmt.Sprintf("a rejection by %q has nowhere to go: it needs an edge on reject, its own or its group's", n.ID))
}

// takesBreach: an edge that could not be read wholly may be meant so.
func takesBreach(e *draftEdge) bool {
	switch e.on {
	case Custom:
		return e.when == nil || e.when.Names("step.status", "breached")
	case Always, "":
		return true
	default:
		return false
	}
}

// breachEdge: an overrun deadline must not end in a failed execution because
// the edges look at decisions only.
func (p *parser) breachEdge(d *draft, i int, own []*draftEdge) {
	n := &d.nodes[i]
	if n.SLAMs == 0 || len(own) == 0 || slices.ContainsFunc(own, takesBreach) {
		return
	}
	if g := d.groupAt(i); g != nil && g.OnQuorumMet == JoinOnQuorum {
		return
	}
	n.o.Fault("slaMs", "missing-breach-edge",
		fmt.Sprintf("no edge takes an overrun of %q: it needs one on always, or a custom one that compares step.status with breached", n.ID))
}

// exhaustedSibling: only what goes back can be used up.
func (p *parser) exhaustedSibling(d *draft, e *draftEdge) {
	goesBack := func(sibling *draftEdge) bool { return sibling.loop != nil }
	if e.on != Exhausted || !e.from.read || slices.ContainsFunc(d.leaving(e.from.isGroup, e.from.id), goesBack) {
		return
	}
	p.Report(e.o.Part, "APPROVAL_EDGE_EXHAUSTED_REQUIRES_LOOP_SIBLING", "an edge on exhausted needs a loop edge of the same source")
}

// groupRules runs the rules about the edges of groups and of their members.
func (p *parser) groupRules(d *draft) {
	for i := range d.groups {
		g := &d.groups[i]
		if at, known := d.group[g.ID]; !known || at != i {
			continue
		}
		if g.OnQuorumMet == JoinOnQuorum && !d.sharesSuccessors(i) {
			g.o.Fault("memberNodeIds", "group-joinonquorum-members-must-share-successors", "with joinOnQuorum all members must lead to the same nodes")
		}
		for _, e := range d.ofGroup(g.ID) {
			p.groupEdge(g, e)
		}
	}
}

// sharesSuccessors reports whether the members' own edges lead to the same nodes.
func (d *draft) sharesSuccessors(group int) bool {
	members := d.membersOf(group)
	targets := make([]set, len(members))
	for k, i := range members {
		for _, e := range d.own(d.nodes[i].ID) {
			if e.connected {
				targets[k] = targets[k].or(setOf(e.targets))
			}
		}
	}
	return len(slices.Compact(targets)) <= 1
}

// groupEdge: a group that stops at its quorum decides rejections by going back
// or not at all, and only joinOnQuorum can go back.
func (p *parser) groupEdge(g *draftGroup, e *draftEdge) {
	switch {
	case e.loop != nil && g.OnQuorumMet != JoinOnQuorum && g.OnQuorumMet != "":
		p.Report(*e.loop, "APPROVAL_GROUP_FROM_LOOP_REQUIRES_JOINONQUORUM", "only a group with joinOnQuorum can go back")
	case e.loop == nil && e.on == Reject && (g.OnQuorumMet == CancelOnQuorum || g.OnQuorumMet == JoinOnQuorum):
		p.Report(e.o.Part, "APPROVAL_GROUP_FROM_REJECT_REQUIRES_LOOP", fmt.Sprintf("an edge on reject from a group with %s needs a loop", g.OnQuorumMet))
	}
}
