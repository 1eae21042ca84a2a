package definition

import (
	"cmp"
	"slices"

	"github.com/redline-svc/redline/internal/predicate"
)

// NodeType says who does the work of a node.
type NodeType string

// The node types of the definition language.
const (
	HumanNode        NodeType = "human"
	AgentNode        NodeType = "agent"
	WebhookNode      NodeType = "webhook"
	NotificationNode NodeType = "notification"
)

// MockAgent is the agent that completes at once with decision approve.
const MockAgent = "__mock__"

// Role says at which end of its source an edge fires.
type Role string

// The roles of an edge; Always is the default.
const (
	Always    Role = "always"
	Approve   Role = "approve"
	Reject    Role = "reject"
	Custom    Role = "custom"
	Exhausted Role = "exhausted"
)

// Policy says what a group does when its quorum is met.
type Policy string

// The policies of a group; WaitAll is the default.
const (
	WaitAll        Policy = "waitAll"
	CancelOnQuorum Policy = "cancelOnQuorum"
	JoinOnQuorum   Policy = "joinOnQuorum"
)

// Reviewer is one person of a human node.
type Reviewer struct {
	UserID    string `json:"userId"`
	Mandatory bool   `json:"mandatory"`
}

// Human is the work of a human node. Reviewers has 1 to 50 entries, at least
// one of them mandatory, whichever of the two notations the caller used.
type Human struct {
	Reviewers      []Reviewer
	ReviewerEmails []string
	CommentBody    string
}

// Webhook is the work of a webhook node, with every default filled in.
type Webhook struct {
	URL                 string
	Mode                string // sync, async
	Method              string // GET, POST
	BodyTemplate        string // envelope, pass-through, none
	AuthMode            string // hmac, token, none
	AuthTokenHeader     string // set when AuthMode is token
	TimeoutMs           int64
	ExpectedStatusCodes []int // empty: any 2xx
	RequestHeaders      map[string]string
}

// Agent is the work of an agent node, with every default filled in.
type Agent struct {
	AgentID            string
	URL                string
	URLPath            string
	UserContextMapping map[string]string
	InputMapping       map[string]string
	PromptOverride     string
	CrossPageExecute   *bool
	MaxURLsToProcess   int
	PollIntervalMs     int64
	MaxRuntimeMs       int64
	Blocking           bool
	ResolutionKind     string // allResolved, minResolved; empty when not blocking
	MinCount           int    // with minResolved
}

// Notification is the work of a notification node.
type Notification struct {
	Channel         string // email, slack
	BodyTemplate    string
	Recipients      []string
	SubjectTemplate string
	SlackTarget     string
	Format          string // text, html, slack-blocks
}

// Node is one node in executable form. Of the four work pointers exactly the
// one of its type is set.
type Node struct {
	ID, Name, Description string
	Type                  NodeType
	SLAMs                 int64 // milliseconds; zero: no deadline
	RequireNonEmptyOutput bool
	Human                 *Human
	Agent                 *Agent
	Webhook               *Webhook
	Notification          *Notification
	GroupID               string // empty outside groups
}

// Label is the name of the node, or its id where it has none.
func (n *Node) Label() string { return cmp.Or(n.Name, n.ID) }

// Edge is one forward edge between two nodes: groups at either end are expanded
// to their members. Loop edges are no forward edges; they are Loops.
type Edge struct {
	From, To           string
	FromGroup, ToGroup string // the group that this end stands for, else empty
	On                 Role
	When               *predicate.Expr // set if and only if On is Custom
	LoopID             string          // on exhausted edges: the sibling loop
	Index              int             // position of the edge in the definition
}

// Group is a set of nodes that are decided together.
type Group struct {
	ID            string
	MemberNodeIDs []string
	ExpectedSteps int
	Quorum        int
	OnQuorumMet   Policy
	RequiredIDs   []string
}

// Loop is one loop edge: a rejection by its source goes back to its entry.
type Loop struct {
	ID            string
	From          string // source node; empty when a group is the source
	FromGroup     string // source group; empty when a node is the source
	EntryNodeID   string
	BodyNodeIDs   []string // entry and source included, in definition order
	MaxIterations int      // how often it may go back
	Index         int      // position of the loop edge in the definition
}

// Graph is a version of a definition in the form that the interpreter runs. It never
// changes after it was built; many goroutines may read one Graph.
type Graph struct {
	Nodes  []Node   // in definition order
	Roots  []string // nodes without incoming forward edge, in definition order
	Edges  []Edge   // forward edges, in definition order
	Groups []Group
	Loops  []Loop
	// ContentType is custom.contentType where that is a text, else empty. It is
	// set in a graph of a stored snapshot only.
	ContentType string

	nodes      map[string]*Node
	groups     map[string]*Group
	from       map[string][]Edge
	fromGroup  map[string][]Edge
	nodeLoops  map[string]*Loop
	groupLoops map[string]*Loop
	around     map[string]*Loop
}

// What parts of a graph take in memory at most, in bytes: each byte of the text that it is read
// from, where that is a list of one number behind the other; each edge, with its copies; each
// instruction of a pattern.
const textWeighs, edgeWeighs, instructionWeighs = 64, 512, 128

// Weight is about how many bytes a graph takes in memory at most that was read from a text of so
// many.
func (g *Graph) Weight(text int) int {
	weight := textWeighs*text + edgeWeighs*len(g.Edges)
	seen := map[*predicate.Expr]bool{}
	for _, e := range g.Edges {
		if e.When != nil && !seen[e.When] {
			seen[e.When] = true
			weight += instructionWeighs * e.When.Instructions()
		}
	}
	return weight
}

// Node returns the node of that id, or nil.
func (g *Graph) Node(id string) *Node { return g.nodes[id] }

// Group returns the group of that id, or nil.
func (g *Graph) Group(id string) *Group { return g.groups[id] }

// From returns the node's own forward edges (not those of its group), in
// definition order.
func (g *Graph) From(id string) []Edge { return g.from[id] }

// FromGroup returns the group's own forward edges, one for each target, in
// definition order. Their From is empty: the group is the source.
func (g *Graph) FromGroup(id string) []Edge { return g.fromGroup[id] }

// Shared returns the own edges of a group's members, which a group that joins fires as its
// own: those on rejection, or all others. The members share their targets.
func (g *Graph) Shared(group *Group, rejected bool) []Edge {
	var out []Edge
	for _, id := range group.MemberNodeIDs {
		for _, e := range g.from[id] {
			if e.On != Exhausted && (e.On == Reject) == rejected {
				out = append(out, e)
			}
		}
	}
	return out
}

// LeadingOn returns all edges that a group may fire when it is decided: a group that joins
// fires those of its members too. The list may be appended to.
func (g *Graph) LeadingOn(group *Group) []Edge {
	edges := slices.Clip(g.fromGroup[group.ID])
	if group.OnQuorumMet == JoinOnQuorum {
		edges = append(append(g.Shared(group, false), g.Shared(group, true)...), edges...)
	}
	return edges
}

// Exits are those of the edges that a used up loop takes.
func Exits(edges []Edge) []Edge {
	var out []Edge
	for _, e := range edges {
		if e.On == Exhausted {
			out = append(out, e)
		}
	}
	return out
}

// LoopFrom returns the loop whose source is that node, or nil.
func (g *Graph) LoopFrom(nodeID string) *Loop { return g.nodeLoops[nodeID] }

// LoopFromGroup returns the loop whose source is that group, or nil.
func (g *Graph) LoopFromGroup(groupID string) *Loop { return g.groupLoops[groupID] }

// LoopAround returns the loop whose body the node is in, or nil; bodies do not overlap.
func (g *Graph) LoopAround(nodeID string) *Loop { return g.around[nodeID] }

// LoopIDAround returns the id of that loop, empty for none.
func (g *Graph) LoopIDAround(nodeID string) string {
	if l := g.around[nodeID]; l != nil {
		return l.ID
	}
	return ""
}

// index builds the look-up maps and the roots once the lists are complete.
func (g *Graph) index() *Graph {
	g.nodes = make(map[string]*Node, len(g.Nodes))
	g.groups = make(map[string]*Group, len(g.Groups))
	g.nodeLoops, g.groupLoops, g.around = map[string]*Loop{}, map[string]*Loop{}, map[string]*Loop{}
	for i := range g.Nodes {
		g.nodes[g.Nodes[i].ID] = &g.Nodes[i]
	}
	for i := range g.Groups {
		g.groups[g.Groups[i].ID] = &g.Groups[i]
	}
	for i := range g.Loops {
		if l := &g.Loops[i]; l.FromGroup != "" {
			g.groupLoops[l.FromGroup] = l
		} else {
			g.nodeLoops[l.From] = l
		}
		for _, id := range g.Loops[i].BodyNodeIDs {
			g.around[id] = &g.Loops[i]
		}
	}
	g.indexEdges()
	return g
}

// indexEdges sorts the forward edges by source and finds the roots.
func (g *Graph) indexEdges() {
	type target struct {
		index int
		to    string
	}
	g.from, g.fromGroup = map[string][]Edge{}, map[string][]Edge{}
	entered, seen := map[string]bool{}, map[target]bool{}
	for _, e := range g.Edges {
		entered[e.To] = true
		if e.FromGroup == "" {
			g.from[e.From] = append(g.from[e.From], e)
			continue
		}
		if t := (target{e.Index, e.To}); !seen[t] {
			seen[t] = true
			e.From = ""
			g.fromGroup[e.FromGroup] = append(g.fromGroup[e.FromGroup], e)
		}
	}
	g.Roots = nil
	for i := range g.Nodes {
		if !entered[g.Nodes[i].ID] {
			g.Roots = append(g.Roots, g.Nodes[i].ID)
		}
	}
}
