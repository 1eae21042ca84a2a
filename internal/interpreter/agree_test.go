package interpreter_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/redline-svc/redline/internal/definition"
	"github.com/redline-svc/redline/internal/interpreter"
)

// breached is a test that fires at a breach.
const breached = `{"op":"eq","args":[{"var":"step.status"},"breached"]}`

// soon is when the time of an agent is over.
const soon = `,"agentMaxRuntimeMs":150000`

// wholeFlow draws a definition with groups, loops and deadlines that the linter accepts,
// as the text that it is.
func wholeFlow(t *rapid.T) (text string, graph *definition.Graph) {
	d := &drawn{t: t, n: rapid.IntRange(3, 8).Draw(t, "nodes")}
	d.grouped = map[string]bool{}
	d.group()
	d.nodes()
	d.edgesForward()
	d.loop()
	groupEdges := d.groupEdges
	for _, e := range d.into {
		groupEdges = append(groupEdges, strings.Replace(d.text(e), fmt.Sprintf(`"to":%q`, d.name(e.to)), `"to":`+groupG, 1))
	}
	for _, parts := range [][2][]string{{d.loops, d.groups}, {nil, d.groups}, {d.loops, nil}, {nil, nil}} {
		var edges []string
		for _, e := range d.edges {
			edges = append(edges, d.text(e))
		}
		if parts[1] != nil {
			edges = append(edges, groupEdges...)
		}
		text = `{"definitionId":"flow","name":"Flow","nodes":[` + strings.Join(d.texts, ",") + `],"edges":[` +
			strings.Join(append(edges, parts[0]...), ",") + `],"groups":[` + strings.Join(parts[1], ",") + `]}`
		if parsed, issues := definition.Parse([]byte(text), definition.Options{}); len(issues) == 0 {
			return text, parsed.Graph
		}
	}
	t.Skip("the linter refuses this flow")
	return "", nil
}

// drawn is a flow under construction: nodes n0 to n(n-1), and `end`, which takes what
// nobody else takes. The edges into its group lead to the first member.
type drawn struct {
	t                                       *rapid.T
	n                                       int
	texts, loops, groups, groupEdges, inner []string
	edges, into                             []drawnEdge
	grouped                                 map[string]bool
	policy                                  string
	first, last                             int
}

// drawnEdge leads from one node to a later one; the last number is that of `end`. Beside
// the roles, on may be a breach.
type drawnEdge struct {
	from, to int
	on       string
}

func (d *drawn) name(node int) string {
	if node == d.n {
		return "end"
	}
	return fmt.Sprintf("n%d", node)
}

func (d *drawn) text(e drawnEdge) string {
	if e.on == "breach" {
		return custom(d.name(e.from), d.name(e.to), breached)
	}
	return edge(d.name(e.from), d.name(e.to), e.on)
}

func (d *drawn) group() {
	if rapid.IntRange(0, 2).Draw(d.t, "grouped") == 0 {
		return
	}
	d.first = rapid.IntRange(0, d.n-2).Draw(d.t, "first member")
	d.last = rapid.IntRange(d.first+1, min(d.n-1, d.first+3)).Draw(d.t, "last member")
	d.policy = rapid.SampledFrom([]string{"waitAll", "cancelOnQuorum", "joinOnQuorum"}).Draw(d.t, "policy")
	for i := d.first; i <= d.last; i++ {
		d.inner = append(d.inner, fmt.Sprintf("n%d", i))
		d.grouped[fmt.Sprintf("n%d", i)] = true
	}
	expected := rapid.IntRange(1, len(d.inner)).Draw(d.t, "expected")
	quorum := rapid.IntRange(1, expected).Draw(d.t, "quorum")
	switch {
	case d.policy == "cancelOnQuorum":
		expected, quorum = len(d.inner), min(quorum, len(d.inner)-1)
	case d.policy == "joinOnQuorum" && rapid.IntRange(0, 3).Draw(d.t, "may go back") > 0:
		quorum = expected
	}
	g := map[string]any{"groupId": "g", "memberNodeIds": d.inner, "expectedSteps": expected, "quorum": quorum, "onQuorumMet": d.policy}
	if rapid.Bool().Draw(d.t, "required") {
		g["requiredNodeIds"] = d.inner[:1]
	}
	text, _ := json.Marshal(g)
	d.groups = []string{string(text)}
	for _, on := range []string{"always", "approve", "reject"} {
		if rapid.IntRange(0, 1).Draw(d.t, "group edge "+on) == 0 || on == "reject" && d.policy != "waitAll" {
			continue
		}
		to := "end"
		if d.last+1 < d.n && rapid.Bool().Draw(d.t, "to a node") {
			to = fmt.Sprintf("n%d", rapid.IntRange(d.last+1, d.n-1).Draw(d.t, "target"))
		}
		d.groupEdges = append(d.groupEdges, fmt.Sprintf(`{"from":{"kind":"group","groupId":"g"},"to":%q,"on":%q}`, to, on))
	}
}

func (d *drawn) nodes() {
	for i := range d.n {
		id := fmt.Sprintf("n%d", i)
		text := rapid.SampledFrom([]string{
			mock(id), human(id, "ann"), human(id, "ann", "bob", "opt?"), human(id, "ann", "opt?"), hook(id), hookLater(id), letter(id),
			agentNode(id, soon), agentNode(id, soon+allOf), agentNode(id, soon+twoOf),
		}).Draw(d.t, id)
		joined := d.grouped[id] && d.policy == "joinOnQuorum"
		if rapid.IntRange(0, 5).Draw(d.t, "deadline of "+id) == 0 {
			text = strings.TrimSuffix(text, "}") + `,"slaMs":100000}`
			if !joined && rapid.IntRange(0, 7).Draw(d.t, "breach edge") > 0 {
				d.edges = append(d.edges, drawnEdge{i, d.n, "breach"})
			}
		}
		if strings.Contains(text, "human") && !joined && (!d.grouped[id] || rapid.IntRange(0, 4).Draw(d.t, "rejection") > 0) {
			d.edges = append(d.edges, drawnEdge{i, d.n, "reject"})
		}
		d.texts = append(d.texts, text)
	}
	d.texts = append(d.texts, mock("end"))
}

func (d *drawn) edgesForward() {
	for from := range d.n {
		for to := from + 1; to < d.n; to++ {
			a, b := d.grouped[d.name(from)], d.grouped[d.name(to)]
			if a && d.policy == "joinOnQuorum" || rapid.IntRange(0, 2).Draw(d.t, "edge") != 0 {
				continue
			}
			on := rapid.SampledFrom([]string{"always", "approve", "reject"}).Draw(d.t, "role")
			if b && rapid.IntRange(0, 2).Draw(d.t, "to the group") > 0 && from < d.first {
				d.into = append(d.into, drawnEdge{from, d.first, on})
				continue
			}
			d.edges = append(d.edges, drawnEdge{from, to, on})
		}
	}
}

// loop draws an edge back, of the group where that may go back. Where it does not, the
// rejections of members that join lead to the end.
func (d *drawn) loop() {
	joins := d.policy == "joinOnQuorum"
	if joins && d.first > 0 && rapid.IntRange(0, 3).Draw(d.t, "the group goes back") > 0 {
		entry := rapid.IntRange(0, d.first-1).Draw(d.t, "entry of the group")
		d.into = append(d.into, drawnEdge{entry, d.first, "always"})
		d.keepIn(entry, d.first, d.last)
		d.back(groupG, entry)
		return
	}
	for i := d.first; joins && i <= d.last; i++ {
		d.edges = append(d.edges, drawnEdge{i, d.n, "reject"})
	}
	if rapid.IntRange(0, 2).Draw(d.t, "loops") == 0 {
		return
	}
	source := rapid.IntRange(1, d.n-1).Draw(d.t, "source")
	entry := rapid.IntRange(0, source-1).Draw(d.t, "entry")
	d.edges = append(d.edges, drawnEdge{entry, source, "always"})
	d.keepIn(entry, source, source)
	d.back(fmt.Sprintf("%q", d.name(source)), entry)
}

// back leads from a source back to an entry, and perhaps out of the loop.
func (d *drawn) back(from string, entry int) {
	d.loops = append(d.loops, fmt.Sprintf(`{"from":%s,"to":"n%d","on":"reject","loop":{"maxIterations":%d}}`, from, entry, rapid.IntRange(1, 2).Draw(d.t, "times")))
	if rapid.Bool().Draw(d.t, "way out") {
		d.loops = append(d.loops, fmt.Sprintf(`{"from":%s,"to":"end","on":"exhausted"}`, from))
	}
}

// keepIn leads the edges that leave the body of a loop to its first source instead: only
// sources may lead out of it.
func (d *drawn) keepIn(entry, first, last int) {
	body, back := map[int]bool{entry: true}, map[int]bool{}
	for i := first; i <= last; i++ {
		back[i] = true
	}
	all := slices.SortedFunc(slices.Values(slices.Concat(d.edges, d.into)), func(a, b drawnEdge) int { return a.from - b.from })
	for _, e := range all {
		body[e.to] = body[e.to] || body[e.from]
	}
	for _, e := range slices.Backward(all) {
		back[e.from] = back[e.from] || back[e.to]
	}
	for i, e := range d.edges {
		if e.from < first && body[e.from] && back[e.from] && (!body[e.to] || !back[e.to]) {
			d.edges[i].to = first
		}
	}
}

// compared are the events that both interpreters write.
var compared = []string{
	"step.awaiting-approval", "step.completed", "step.skipped", "step.failed", "step.breached", "step.cancelled", "group.quorum-met",
	"loop.iteration-started", "loop.exhausted", "execution.completed", "execution.failed", "execution.cancelled", "execution.paused", "execution.resumed",
	"execution.retried",
}

// summary writes of an execution what the second interpreter writes of itself.
func (s *env) summary() string {
	states, names := map[string]string{}, map[string]string{}
	for _, step := range s.state.Steps {
		at := fmt.Sprintf("%s %d %d", step.NodeID, step.Iteration, step.Attempt)
		names[step.ID] = at
		states[at] = string(step.Status) + " " + step.Decision
	}
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(states)) {
		lines = append(lines, key+": "+states[key])
	}
	for _, e := range s.events {
		var data struct {
			GroupID                          string
			Iteration, Total, CompletedTotal int
		}
		_ = json.Unmarshal(e.Data, &data)
		switch {
		case !slices.Contains(compared, e.Type):
		case e.StepID != "":
			lines = append(lines, e.Type+" "+names[e.StepID])
		case data.GroupID != "":
			lines = append(lines, fmt.Sprintf("%s %s %d of %d", e.Type, data.GroupID, data.Total, data.CompletedTotal))
		case data.Iteration != 0:
			lines = append(lines, fmt.Sprintf("%s %d", e.Type, data.Iteration))
		default:
			lines = append(lines, e.Type)
		}
	}
	return string(s.state.Status) + " " + s.state.FailureCode + "\n" + strings.Join(lines, "\n")
}

// usualChecks is how many random flows the library would run by itself.
const usualChecks = "100"

// Whatever answers come, in whatever order, and whatever operators do, both interpreters
// of the rules take the same course. Every execution ends once everybody has answered, and
// the same answers once more give the same events.
func TestASecondInterpreterAgrees(t *testing.T) { agrees(t, "2500") }

func TestLong_ASecondInterpreterAgrees(t *testing.T) { agrees(t, "10000") }

// agrees has both interpreters run so many random flows, unless the command line says another
// number than usualChecks.
func agrees(t *testing.T, flows string) {
	t.Helper()
	if checks := flag.Lookup("rapid.checks").Value; checks.String() == usualChecks {
		require.NoError(t, checks.Set(flows))
		defer func() { require.NoError(t, checks.Set(usualChecks)) }()
	}
	seen := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		text, graph := wholeFlow(t)
		s := dispatched(t, graph)
		p := &pair{t: t, env: s, other: newNaive(text, start), words: []string{"approve", "approve", "reject"}}
		if rapid.Bool().Draw(t, "refusing") {
			p.words = []string{"reject", "reject", "approve"}
		}
		if rapid.Bool().Draw(t, "operated") {
			p.acts = 16
		}
		p.pass(0)
		p.agree(text)
		for n := 0; p.goesOn(); n++ {
			if n > 1_000 {
				t.Fatalf("the execution does not end: %s", text)
			}
			p.pass(rapid.SampledFrom([]int64{1_000, 1_000, 30_000, 100_000}).Draw(t, "pass"))
			p.move(n)
			p.agree(text)
			sound(t, s)
		}
		p.again()
		s.report(seen)
	})
	for what, least := range leastSeen {
		few := seen["flows"] < 1_000 // asked for on the command line, and too few to say anything
		require.True(t, few || seen[what]*1_000 > least*seen["flows"], "too few flows %s: %v", what, seen)
	}
}

// leastSeen is of how many flows among a thousand what is counted must be true, so that
// the two do not agree on the simple ones alone: half to a quarter of what is usual.
var leastSeen = map[string]int{
	"with a group": 300, "with a loop": 250, "with both": 100, "whose group goes back": 50,
	"that met their quorum": 60, "that missed it": 100, "that went back": 25, "that used their loop up": 5,
}

// report counts what stands in the definition and in the course of an execution.
func (s *env) report(seen map[string]int) {
	group, loop := len(s.graph.Groups) > 0, len(s.graph.Loops) > 0
	log := s.eventLog()
	for what, is := range map[string]bool{
		"flows": true, "with a group": group, "with a loop": loop, "with both": group && loop,
		"whose group goes back":   slices.ContainsFunc(s.graph.Loops, func(l definition.Loop) bool { return l.FromGroup != "" }),
		"that met their quorum":   strings.Contains(log, "group.quorum-met"),
		"that missed it":          slices.ContainsFunc(s.state.Groups, func(g *interpreter.GroupState) bool { return g.Missed }),
		"that went back":          strings.Contains(log, "loop.iteration-started"),
		"that used their loop up": strings.Contains(log, "loop.exhausted"),
	} {
		if is {
			seen[what]++
		}
	}
}
