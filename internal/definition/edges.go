package definition

import (
	"github.com/redline-svc/redline/internal/predicate"
	"github.com/redline-svc/redline/internal/shape"
)

// Limits of edges.
const (
	maxEdges      = 500
	maxIterations = 20
)

// end is one end of an edge as it was written.
type end struct {
	id      string
	isGroup bool
	where   shape.Part
	// read says that it could be read; what it names may still not exist.
	read bool
}

// word writes the end as loop ids hash it.
func (e end) word() string {
	if e.isGroup {
		return "group:" + e.id
	}
	return e.id
}

// draftEdge is an edge as far as it could be read.
type draftEdge struct {
	o        *shape.Fields // nil if it is none
	from, to end
	on       Role // empty if it could not be read
	when     *predicate.Expr
	// loop is where `loop` stands if the edge has one; then goBack is its
	// maxIterations, zero if that could not be read.
	loop   *shape.Part
	goBack int
	// sources and targets are the nodes at its ends once groups are expanded.
	// connected says that both ends are there and may be joined.
	sources, targets []int
	connected        bool
	// flagged says that a rule found fault with where the edge goes back to,
	// so the rules about cycles leave it alone.
	flagged bool
}

// forward reports whether the edge is part of the graph that runs forward: a loop
// edge is not, also one with a faulty loop.
func (e *draftEdge) forward() bool { return e.connected && e.loop == nil }

// edges reads the edges.
func (p *parser) edges(o *shape.Fields) []draftEdge {
	if _, there := o.Need("edges"); !there {
		return nil
	}
	var list []draftEdge
	type source struct {
		isGroup bool
		id      string
	}
	programs := map[source]int{} // instructions of what is evaluated together
	for _, v := range o.List("edges", 0, maxEdges) {
		e := p.edge(v)
		list = append(list, e)
		if e.when == nil {
			continue
		}
		from := source{e.from.isGroup, e.from.id}
		if programs[from] += e.when.Instructions(); programs[from] > predicate.MaxProgram {
			p.Report(e.o.Members["when"], "edge-when-invalid", "when: the patterns of all edges that leave one node or group repeat too much together")
		}
	}
	return list
}

func (p *parser) edge(v shape.Part) draftEdge {
	o := p.Object(v, "from", "to", "on", "when", "loop")
	if o == nil {
		return draftEdge{}
	}
	d := draftEdge{o: o}
	if from, there := o.Need("from"); there {
		d.from = p.end(from)
	}
	if to, there := o.Need("to"); there {
		d.to = p.end(to)
	}
	role, _ := o.Word("on", string(Always), string(Approve), string(Reject), string(Custom), string(Exhausted))
	d.on = Role(role)
	p.when(o, &d)
	p.loop(o, &d)
	return d
}

// end reads a nodeId, {kind: node, nodeId} or {kind: group, groupId}.
func (p *parser) end(v shape.Part) end {
	e := end{where: v}
	if v.Kind() == '"' {
		e.id, e.read = p.TextOf(v, shape.IDRule(maxID))
		return e
	}
	if v.Kind() != '{' {
		p.Report(v, "type", "must be a nodeId or an object with kind")
		return e
	}
	o := p.Object(v, "kind", "nodeId", "groupId")
	kind, ok := o.NeedWord("kind", "node", "group")
	if !ok {
		return e
	}
	own, other := kind+"Id", map[string]string{"node": "groupId", "group": "nodeId"}[kind]
	if v, there := o.Members[other]; there {
		p.Report(v, "conflict", "an end of kind "+kind+" has no "+other)
	}
	e.isGroup = kind == "group"
	e.id, e.read = o.NeedText(own, shape.IDRule(maxID))
	return e
}

// when reads the expression of a custom edge.
func (p *parser) when(o *shape.Fields, d *draftEdge) {
	v, there := o.Members["when"]
	switch {
	case d.on == "": // what the role wants is not known
		return
	case !there && d.on == Custom:
		o.Fault("when", "APPROVAL_EDGE_CUSTOM_REQUIRES_WHEN", "an edge on custom needs when")
		return
	case !there:
		return
	case d.on != Custom:
		p.Report(v, "APPROVAL_EDGE_WHEN_ONLY_FOR_CUSTOM", "only an edge on custom has when")
		return
	}
	text, ok := v.Text()
	if !ok {
		p.Report(v, "edge-when-invalid", "when must be a string that holds JSON")
		return
	}
	expr, err := predicate.Parse(text)
	if err != nil {
		p.Report(v, "edge-when-invalid", "when: "+err.Error())
		return
	}
	d.when = expr
}

// loop reads the loop of an edge that goes back.
func (p *parser) loop(o *shape.Fields, d *draftEdge) {
	v, there := o.Members["loop"]
	if !there {
		return
	}
	d.loop = &v
	if body := p.Object(v, "maxIterations"); body != nil {
		if _, there := body.Need("maxIterations"); there {
			n, _ := body.Integer("maxIterations", 1, maxIterations)
			d.goBack = int(n)
		}
	}
	if d.on != "" && d.on != Reject {
		p.Report(v, "APPROVAL_EDGE_LOOP_REQUIRES_REJECT", "only an edge on reject has a loop")
	}
}
