package definition

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/predicate"
	"github.com/redline-svc/redline/internal/shape"
)

// ForwardEdge is an edge of the compiled view.
type ForwardEdge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Role Role   `json:"role"`
	// When is the test that the role stands for; null for always and exhausted.
	When        *predicate.Expr `json:"when"`
	FromGroupID string          `json:"fromGroupId,omitempty"`
	ToGroupID   string          `json:"toGroupId,omitempty"`
}

// OnExhausted says where a used up loop leads.
type OnExhausted struct {
	RouteToNodeIDs []string `json:"routeToNodeIds"`
}

// CompiledLoop is a loop of the compiled view.
type CompiledLoop struct {
	LoopID        string       `json:"loopId"`
	EntryNodeID   string       `json:"entryNodeId"`
	BodyNodeIDs   []string     `json:"bodyNodeIds"`
	MaxIterations int          `json:"maxIterations"`
	OnExhausted   *OnExhausted `json:"onExhausted"`
}

// Compiled is the view of a graph that callers see.
type Compiled struct {
	ForwardEdges []ForwardEdge  `json:"forwardEdges"`
	Loops        []CompiledLoop `json:"loops"`
}

// decisions are the tests that approve and reject stand for.
var decisions = map[Role]*predicate.Expr{
	Approve: decided(Approve),
	Reject:  decided(Reject),
}

func decided(word Role) *predicate.Expr {
	e, err := predicate.Parse(fmt.Sprintf(`{"op":"eq","args":[{"var":"output.decision"},%q]}`, word))
	if err != nil {
		panic(err) // a text of our own
	}
	return e
}

// Compile returns the compiled view of the graph.
func (g *Graph) Compile() *Compiled {
	c := &Compiled{ForwardEdges: []ForwardEdge{}, Loops: []CompiledLoop{}}
	for _, e := range g.Edges {
		when := e.When
		if when == nil {
			when = decisions[e.On]
		}
		c.ForwardEdges = append(c.ForwardEdges, ForwardEdge{e.From, e.To, e.On, when, e.FromGroup, e.ToGroup})
	}
	for i := range g.Loops {
		l := &g.Loops[i]
		c.Loops = append(c.Loops, CompiledLoop{l.ID, l.EntryNodeID, l.BodyNodeIDs, l.MaxIterations, g.onExhausted(l)})
	}
	return c
}

// onExhausted returns the targets of the loop's exhausted edges, each once.
func (g *Graph) onExhausted(l *Loop) *OnExhausted {
	routes := g.from[l.From]
	if l.FromGroup != "" {
		routes = g.fromGroup[l.FromGroup]
	}
	var out *OnExhausted
	seen := map[string]bool{}
	for _, e := range routes {
		if e.On != Exhausted || seen[e.To] {
			continue
		}
		if out == nil {
			out = &OnExhausted{}
		}
		seen[e.To] = true
		out.RouteToNodeIDs = append(out.RouteToNodeIDs, e.To)
	}
	return out
}

// compile makes the graph of a draft without faults.
func (d *draft) compile() *Graph {
	g := &Graph{}
	for i := range d.nodes {
		g.Nodes = append(g.Nodes, d.nodes[i].Node)
	}
	for i := range d.groups {
		g.Groups = append(g.Groups, d.groups[i].Group)
	}
	for _, l := range d.loops {
		g.Loops = append(g.Loops, d.compileLoop(l))
	}
	for i := range d.edges {
		if d.edges[i].forward() {
			g.Edges = append(g.Edges, d.expand(i)...)
		}
	}
	return g.index()
}

// expand writes an edge between nodes, one for each pair of members.
func (d *draft) expand(i int) []Edge {
	e := &d.edges[i]
	plain := Edge{On: e.on, When: e.when, Index: i}
	if e.from.isGroup {
		plain.FromGroup = e.from.id
	}
	if e.to.isGroup {
		plain.ToGroup = e.to.id
	}
	if e.on == Exhausted {
		for _, sibling := range d.leaving(e.from.isGroup, e.from.id) {
			if sibling.loop != nil {
				plain.LoopID = loopID(sibling)
			}
		}
	}
	var list []Edge
	for _, s := range e.sources {
		for _, t := range e.targets {
			pair := plain
			pair.From, pair.To = d.nodes[s].ID, d.nodes[t].ID
			list = append(list, pair)
		}
	}
	return list
}

func (d *draft) compileLoop(l draftLoop) Loop {
	e := &d.edges[l.edge]
	out := Loop{ID: loopID(e), EntryNodeID: d.nodes[l.entry].ID, MaxIterations: e.goBack, Index: l.edge}
	if e.from.isGroup {
		out.FromGroup = e.from.id
	} else {
		out.From = e.from.id
	}
	for i := range d.nodes {
		if l.body.has(i) {
			out.BodyNodeIDs = append(out.BodyNodeIDs, d.nodes[i].ID)
		}
	}
	return out
}

// GraphOf rebuilds the graph of a stored snapshot. An error means that the
// snapshot is damaged. Only the shape is checked again: rules of the graph that
// came later than the snapshot do not touch it.
func GraphOf(snapshot []byte) (*Graph, error) {
	if !json.Valid(snapshot) {
		return nil, errors.New("the snapshot is not JSON")
	}
	p := &parser{secrets: map[string]string{}}
	o := p.Open(shape.Part{Raw: snapshot})
	if o == nil {
		return nil, errors.New("the snapshot is no object")
	}
	d := p.draft(o)
	if p.Faults() > 0 {
		return nil, fmt.Errorf("the snapshot is damaged: %w", fault.InvalidArgument(p.Issues()...))
	}
	p.lint(d)
	g := d.compile()
	g.ContentType = contentType(o.Members["custom"])
	return g, nil
}

// contentType reads custom.contentType; custom is the caller's own, so anything
// may stand there.
func contentType(custom shape.Part) string {
	var members map[string]json.RawMessage
	var text string
	if json.Unmarshal(custom.Raw, &members) != nil || json.Unmarshal(members["contentType"], &text) != nil {
		return ""
	}
	return text
}
