package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/console/graph"
)

// defined is what a picture needs of a definition.
type defined struct {
	Nodes  []definedNode  `json:"nodes"`
	Edges  []definedEdge  `json:"edges"`
	Groups []definedGroup `json:"groups"`
}

type definedNode struct {
	NodeID string        `json:"nodeId"`
	Type   string        `json:"type"`
	Name   string        `json:"name"`
	SLAMs  int64         `json:"slaMs"`
	Config definedConfig `json:"config"`
}

type definedConfig struct {
	Reviewers []struct {
		UserID string `json:"userId"`
	} `json:"reviewers"`
	ReviewerIDs []string `json:"reviewerIds"`
	AgentID     string   `json:"agentId"`
	URL         string   `json:"url"`
	Mode        string   `json:"mode"`
	Channel     string   `json:"channel"`
}

type definedEdge struct {
	From end             `json:"from"`
	To   end             `json:"to"`
	On   string          `json:"on"`
	When json.RawMessage `json:"when"`
	Loop *struct {
		MaxIterations int `json:"maxIterations"`
	} `json:"loop"`
}

type definedGroup struct {
	GroupID       string   `json:"groupId"`
	MemberNodeIDs []string `json:"memberNodeIds"`
	ExpectedSteps int      `json:"expectedSteps"`
	Quorum        int      `json:"quorum"`
}

// end is where an edge begins or ends: a node or a group.
type end struct {
	Kind    string `json:"kind"`
	NodeID  string `json:"nodeId"`
	GroupID string `json:"groupId"`
}

// UnmarshalJSON takes the id of a node alone, too.
func (e *end) UnmarshalJSON(text []byte) error {
	if bytes.HasPrefix(text, []byte(`"`)) {
		return json.Unmarshal(text, &e.NodeID)
	}
	type plain end
	return json.Unmarshal(text, (*plain)(e))
}

// drawing is a definition as a picture.
type drawing struct {
	Width, Height float64
	Nodes         []drawnNode
	Edges         []drawnEdge
}

// smallest is the scale at which a picture is still legible: one that does not fit then is scrolled.
const smallest = 0.7

// Least is the width that it is drawn with at least.
func (d drawing) Least() float64 { return smallest * d.Width }

// drawnNode is a box, with the tone of how its newest step stands, or "idle". State is how that is,
// in words, Who whom it waits for, Kind the picture of its type.
type drawnNode struct {
	X, Y, Width, Height           float64
	Title, State, Who, Kind, Tone string
	// Label is all of it in one line.
	Label string
	// Href is where its step is told of, empty where there is none.
	Href string
	Gate bool
}

// drawnEdge is a curve with its words.
type drawnEdge struct {
	Curve, Label string
	X, Y         float64
	Loop         bool
}

// Sizes of boxes: of a node, and of what counts the votes of a group.
var (
	nodeSize = graph.Size{Width: 164, Height: 86}
	gateSize = graph.Size{Width: 96, Height: 34}
)

// drawer makes a drawing: it knows the place of each node and group in the graph.
type drawer struct {
	from      defined
	steps     map[string]redline.Step
	nodes     map[string]int
	gates     map[string]int
	sizes     []graph.Size
	edges     []graph.Edge
	drawn     []drawnEdge
	textsOf   []drawnNode
	executing bool
}

// draw draws nodes, edges and groups as the interface returns them, and how the steps stand; steps
// is nil for a definition by itself. Error: it has another form.
func draw(nodes, edges, groups any, steps []redline.Step) (*drawing, error) {
	d := &drawer{steps: map[string]redline.Step{}, nodes: map[string]int{}, gates: map[string]int{}, executing: steps != nil}
	text, err := json.Marshal(map[string]any{"nodes": nodes, "edges": edges, "groups": groups})
	if err == nil {
		err = json.Unmarshal(text, &d.from)
	}
	if err != nil {
		return nil, err
	}
	for _, step := range steps {
		d.steps[step.NodeID] = step
	}
	d.addNodes()
	d.addGroups()
	d.addEdges()
	return d.finish(graph.New(d.sizes, d.edges)), nil
}

func (d *drawer) addNodes() {
	for _, node := range d.from.Nodes {
		d.nodes[node.NodeID] = len(d.sizes)
		d.sizes = append(d.sizes, nodeSize)
		d.textsOf = append(d.textsOf, d.describe(node))
	}
}

// describe is a box's texts: what the node is, or how its newest step stands.
func (d *drawer) describe(node definedNode) drawnNode {
	box := drawnNode{Title: cmp.Or(node.Name, node.NodeID), Kind: node.Type, State: node.needs(), Who: node.who(), Tone: "idle"}
	if step, begun := d.steps[node.NodeID]; begun {
		box.State, box.Tone, box.Href = stands(step), tone(step.Status), "#step-"+step.StepID
		box.Who = cmp.Or(whoIn(step), box.Who)
	}
	box.Label = box.Title + ": " + strings.Join([]string{box.State, box.Who}, ", ")
	return box
}

// century is the longest time in milliseconds that is told, whatever somebody types.
const century = 100 * 365 * 24 * 60 * 60 * 1000

// needs is what a node is, and the time that it has.
func (n definedNode) needs() string {
	word := cmp.Or(map[string]string{"human": "people", "agent": "an agent", "webhook": "a call", "notification": "a message"}[n.Type], n.Type)
	if n.SLAMs > 0 {
		word += " · within " + roughly(time.Duration(min(n.SLAMs, century))*time.Millisecond)
	}
	return word
}

// stands is how a step stands, in which pass, and when it is due.
func stands(step redline.Step) string {
	said := []string{string(step.Status)}
	if step.Metadata.Iteration > 1 {
		said = append(said, fmt.Sprintf("pass %d", step.Metadata.Iteration))
	}
	if step.Metadata.Attempt > 1 {
		said = append(said, fmt.Sprintf("attempt %d", step.Metadata.Attempt))
	}
	if step.DueAt != nil && step.CompletedAt == nil {
		said = append(said, "due "+until(time.UnixMilli(*step.DueAt)))
	}
	return strings.Join(said, " · ")
}

// whoIn is whom a step waits for or, once it has ended, who decided what.
func whoIn(step redline.Step) string {
	if step.CompletedAt == nil {
		return reviewers(step)
	}
	var said []string
	for _, response := range responsesOf(step.Output) {
		said = append(said, response.ReviewerID+" "+cmp.Or(map[string]string{"approve": "approved", "reject": "rejected"}[response.Decision], response.Decision))
	}
	return strings.Join(said, ", ")
}

// who is what a node waits for: people, an agent, an address.
func (n definedNode) who() string {
	people := n.Config.ReviewerIDs
	for _, reviewer := range n.Config.Reviewers {
		people = append(people, reviewer.UserID)
	}
	if address, err := url.Parse(n.Config.URL); err == nil && address.Host != "" {
		return address.Host
	}
	return cmp.Or(strings.Join(people, ", "), n.Config.AgentID, n.Config.Channel, n.Type)
}

// reviewers are the people that a step waits for.
func reviewers(step redline.Step) string {
	var people []string
	for _, reviewer := range step.Metadata.Reviewers {
		people = append(people, reviewer.UserID)
	}
	return strings.Join(people, ", ")
}

// until is how long it is to an instant, roughly.
func until(at time.Time) string {
	left := time.Until(at)
	if left < 0 {
		return "over"
	}
	return "in " + roughly(left)
}

// roughly is a time in the largest unit that says enough, rounded up.
func roughly(span time.Duration) string {
	const day = 24 * time.Hour
	in := func(unit time.Duration) int { return int((span + unit - 1) / unit) }
	switch {
	case span < time.Hour:
		return fmt.Sprintf("%d min", in(time.Minute))
	case span <= 2*day:
		return fmt.Sprintf("%d h", in(time.Hour))
	default:
		return fmt.Sprintf("%d days", in(day))
	}
}

// addGroups adds what counts the votes of each group, behind its members.
func (d *drawer) addGroups() {
	for _, group := range d.from.Groups {
		gate := len(d.sizes)
		d.gates[group.GroupID] = gate
		d.sizes = append(d.sizes, gateSize)
		need := cmp.Or(group.Quorum, group.ExpectedSteps, len(group.MemberNodeIDs))
		d.textsOf = append(d.textsOf, drawnNode{
			Title: fmt.Sprintf("%d of %d", need, len(group.MemberNodeIDs)), State: short(14, group.GroupID), Tone: "idle", Gate: true,
			Label: fmt.Sprintf("group %s: %d of %d", group.GroupID, need, len(group.MemberNodeIDs)),
		})
		for _, member := range group.MemberNodeIDs {
			if node, known := d.nodes[member]; known {
				d.connect(node, gate, drawnEdge{})
			}
		}
	}
}

func (d *drawer) addEdges() {
	for _, edge := range d.from.Edges {
		words := drawnEdge{Label: edge.label(), Loop: edge.Loop != nil}
		for _, from := range d.out(edge.From) {
			for _, to := range d.in(edge.To) {
				d.connect(from, to, words)
				words.Label = "" // said once of an edge to a group
			}
		}
	}
}

// label is when an edge is followed.
func (e definedEdge) label() string {
	label := e.On
	switch {
	case e.Loop != nil:
		label = fmt.Sprintf("%s, %d×", cmp.Or(e.On, "always"), e.Loop.MaxIterations)
	case e.On == "custom":
		label = "if"
		for _, word := range []string{"breached", "completed", "failed"} {
			if bytes.Contains(e.When, []byte(word)) {
				label = word
			}
		}
	case e.On == "always":
		label = ""
	}
	return label
}

// out is where an edge leaves: a node, or what counts a group's votes.
func (d *drawer) out(e end) []int {
	if e.GroupID != "" {
		return placeOf(d.gates, e.GroupID)
	}
	return placeOf(d.nodes, e.NodeID)
}

// in is where an edge arrives: a node, or the members of a group.
func (d *drawer) in(e end) []int {
	if e.GroupID == "" {
		return placeOf(d.nodes, e.NodeID)
	}
	var members []int
	for _, group := range d.from.Groups {
		if group.GroupID == e.GroupID {
			for _, member := range group.MemberNodeIDs {
				members = append(members, placeOf(d.nodes, member)...)
			}
		}
	}
	return members
}

// placeOf is the place of what has that id; none where nothing has, as in a definition that is being typed.
func placeOf(places map[string]int, id string) []int {
	if place, known := places[id]; known {
		return []int{place}
	}
	return nil
}

func (d *drawer) connect(from, to int, words drawnEdge) {
	d.edges = append(d.edges, graph.Edge{From: from, To: to, Back: words.Loop})
	d.drawn = append(d.drawn, words)
}

// finish gives boxes and curves their places.
func (d *drawer) finish(l graph.Layout) *drawing {
	for i, size := range d.sizes {
		box := &d.textsOf[i]
		box.Width, box.Height = size.Width, size.Height
		box.X, box.Y = l.Centers[i].X-size.Width/2, l.Centers[i].Y-size.Height/2
	}
	for i, curve := range l.Curves {
		d.drawn[i].Curve = curveOf(curve)
		middle := curve[len(curve)/6*3]
		if len(curve) == 4 {
			middle = graph.Point{X: (curve[0].X + curve[3].X) / 2, Y: (curve[0].Y + curve[3].Y) / 2}
		}
		d.drawn[i].X, d.drawn[i].Y = middle.X, middle.Y-4
	}
	return &drawing{Width: l.Width, Height: l.Height, Nodes: d.textsOf, Edges: d.drawn}
}

// curveOf writes a curve in the language of SVG.
func curveOf(curve []graph.Point) string {
	var text strings.Builder
	for i, p := range curve {
		switch {
		case i == 0:
			text.WriteString("M")
		case i%3 == 1:
			text.WriteString("C")
		default:
			text.WriteString(" ")
		}
		fmt.Fprintf(&text, "%.1f %.1f", p.X, p.Y)
	}
	return text.String()
}
