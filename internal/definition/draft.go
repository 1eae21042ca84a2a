package definition

import (
	"fmt"

	"github.com/redline-svc/redline/internal/shape"
)

// draft is a definition's graph as far as it could be read. The rules work on
// it so that a fault in one part hides none in another.
type draft struct {
	nodes  []draftNode
	edges  []draftEdge
	groups []draftGroup
	loops  []draftLoop
	// cut says that there are more nodes than were looked at, so a name that
	// is not found may still exist.
	cut bool

	node    map[string]int // position of the first node with that id
	group   map[string]int
	groupOf map[int]int // position of a node's group
}

// draft reads nodes, edges and groups.
func (p *parser) draft(o *shape.Fields) *draft {
	d := &draft{node: map[string]int{}, group: map[string]int{}, groupOf: map[int]int{}}
	d.nodes, d.cut = p.nodes(o)
	d.edges = p.edges(o)
	d.groups = p.groups(o)
	return d
}

// lint runs the rules of the graph. Later rules need what earlier ones found:
// names, then ends, then loops, then cycles.
func (p *parser) lint(d *draft) {
	if len(d.nodes) == 0 {
		return
	}
	p.names(d)
	p.membership(d)
	p.ends(d)
	p.size(d)
	p.roles(d)
	p.groupRules(d)
	p.loops(d)
	p.cycles(d)
}

// names finds ids used twice; the first of two counts.
func (p *parser) names(d *draft) {
	for i := range d.nodes {
		n := &d.nodes[i]
		if _, twice := d.node[n.ID]; twice && n.ID != "" {
			n.o.Fault("nodeId", "duplicate-node-id", fmt.Sprintf("the nodeId %q is used twice", n.ID))
			continue
		}
		d.node[n.ID] = i
	}
	delete(d.node, "")
	for i := range d.groups {
		g := &d.groups[i]
		if _, twice := d.group[g.ID]; twice && g.ID != "" {
			g.o.Fault("groupId", "group-duplicate-id", fmt.Sprintf("the groupId %q is used twice", g.ID))
			continue
		}
		d.group[g.ID] = i
	}
	delete(d.group, "")
}

// membership puts nodes into their groups.
func (p *parser) membership(d *draft) {
	for i := range d.groups {
		for _, v := range d.groups[i].members {
			id, _ := v.Text()
			node, there := d.node[id]
			if !there {
				if !d.cut {
					p.Report(v, "group-member-missing", fmt.Sprintf("there is no node %q", id))
				}
				continue
			}
			if _, twice := d.groupOf[node]; twice {
				p.Report(v, "group-node-in-multiple-groups", fmt.Sprintf("the node %q is in another group already", id))
				continue
			}
			d.groupOf[node] = i
			d.nodes[node].GroupID = d.groups[i].ID
		}
	}
}

// ends finds what the edges join.
func (p *parser) ends(d *draft) {
	for i := range d.edges {
		e := &d.edges[i]
		var from, to bool
		e.sources, from = p.positions(d, e.from)
		e.targets, to = p.positions(d, e.to)
		e.connected = from && to
		if e.from.read && e.to.read && e.from.isGroup && e.to.isGroup {
			p.Report(e.o.Part, "APPROVAL_EDGE_GROUP_TO_GROUP_FORBIDDEN", "an edge cannot lead from a group to a group")
			e.connected = false
		}
	}
}

// positions returns the nodes that an end stands for.
func (p *parser) positions(d *draft, e end) ([]int, bool) {
	if !e.read {
		return nil, false
	}
	if !e.isGroup {
		i, there := d.node[e.id]
		if !there && !d.cut {
			p.Report(e.where, "dangling-edge", fmt.Sprintf("there is no node %q", e.id))
		}
		return []int{i}, there
	}
	g, there := d.group[e.id]
	if !there {
		p.Report(e.where, "dangling-edge", fmt.Sprintf("there is no group %q", e.id))
		return nil, false
	}
	return d.membersOf(g), true
}

// membersOf returns the positions of the group's members that exist.
func (d *draft) membersOf(group int) []int {
	var list []int
	for _, id := range d.groups[group].MemberNodeIDs {
		if i, there := d.node[id]; there {
			list = append(list, i)
		}
	}
	return list
}

// maxExpandedEdges is how many edges there may be between nodes once the groups
// at their ends are expanded.
const maxExpandedEdges = 5000

func (p *parser) size(d *draft) {
	total := 0
	for i := range d.edges {
		total += len(d.edges[i].sources) * len(d.edges[i].targets)
		if total > maxExpandedEdges {
			p.Report(d.edges[i].o.Part, "graph-too-large", fmt.Sprintf("more than %d edges once groups are expanded", maxExpandedEdges))
			return
		}
	}
}

// own returns the edges whose source is that node itself, those that lead nowhere
// too.
func (d *draft) own(id string) []*draftEdge { return d.leaving(false, id) }

// ofGroup returns the edges whose source is that group.
func (d *draft) ofGroup(id string) []*draftEdge { return d.leaving(true, id) }

func (d *draft) leaving(group bool, id string) []*draftEdge {
	var list []*draftEdge
	for i := range d.edges {
		if e := &d.edges[i]; e.from.read && e.from.isGroup == group && e.from.id == id {
			list = append(list, e)
		}
	}
	return list
}

// groupAt returns the group of the node at that position, or nil.
func (d *draft) groupAt(node int) *draftGroup {
	if g, there := d.groupOf[node]; there {
		return &d.groups[g]
	}
	return nil
}
