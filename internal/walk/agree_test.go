package walk_test

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
	for _, parts := range [][2][]string{{d.loops, d.groups}, {nil, d.groups}, {d.loops, nil}, {nil, nil}} {
		edges := d.edges
		if parts[1] != nil {
			edges = append(slices.Clone(edges), d.groupEdges...)
		}
		text = `{"definitionId":"flow","name":"Flow","nodes":[` + strings.Join(d.texts, ",") + `],"edges":[` +
			strings.Join(append(slices.Clone(edges), parts[0]...), ",") + `],"groups":[` + strings.Join(parts[1], ",") + `]}`
		if parsed, issues := definition.Parse([]byte(text), definition.Options{}); len(issues) == 0 {
			return text, parsed.Graph
		}
	}
	t.Skip("the linter refuses this flow")
	return "", nil
}

// drawn is a flow under construction: nodes n0 to n(n-1), and `end`, which takes what
// nobody else takes.
type drawn struct {
	t                                              *rapid.T
	n                                              int
	texts, edges, loops, groups, groupEdges, inner []string
	grouped                                        map[string]bool
	policy                                         string
	first, last                                    int
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
			if !joined && rapid.Bool().Draw(d.t, "breach edge") {
				d.edges = append(d.edges, custom(id, "end", breached))
			}
		}
		if strings.Contains(text, "human") && rapid.IntRange(0, 4).Draw(d.t, "rejection") > 0 {
			d.edges = append(d.edges, edge(id, "end", "reject"))
		}
		d.texts = append(d.texts, text)
	}
	d.texts = append(d.texts, mock("end"))
}

func (d *drawn) edgesForward() {
	for from := range d.n {
		for to := from + 1; to < d.n; to++ {
			a, b := fmt.Sprintf("n%d", from), fmt.Sprintf("n%d", to)
			if d.grouped[a] && d.policy == "joinOnQuorum" || rapid.IntRange(0, 2).Draw(d.t, "edge") != 0 {
				continue
			}
			on := rapid.SampledFrom([]string{"always", "approve", "reject"}).Draw(d.t, "role")
			if d.grouped[b] && rapid.IntRange(0, 2).Draw(d.t, "to the group") > 0 && from < d.first {
				d.groupEdges = append(d.groupEdges, fmt.Sprintf(`{"from":%q,"to":{"kind":"group","groupId":"g"},"on":%q}`, a, on))
				continue
			}
			d.edges = append(d.edges, edge(a, b, on))
		}
	}
}

// loop draws an edge back and a way out of it.
func (d *drawn) loop() {
	if d.n < 3 || rapid.IntRange(0, 2).Draw(d.t, "loops") == 0 {
		return
	}
	source := rapid.IntRange(1, d.n-1).Draw(d.t, "source")
	entry := rapid.IntRange(0, source-1).Draw(d.t, "entry")
	from := fmt.Sprintf("%q", fmt.Sprintf("n%d", source))
	if d.policy == "joinOnQuorum" && d.first > 0 && rapid.IntRange(0, 3).Draw(d.t, "the group goes back") > 0 {
		from, entry = `{"kind":"group","groupId":"g"}`, rapid.IntRange(0, d.first-1).Draw(d.t, "entry of the group")
	}
	d.loops = append(d.loops, fmt.Sprintf(`{"from":%s,"to":"n%d","on":"reject","loop":{"maxIterations":%d}}`, from, entry, rapid.IntRange(1, 2).Draw(d.t, "times")))
	if rapid.Bool().Draw(d.t, "way out") {
		d.loops = append(d.loops, fmt.Sprintf(`{"from":%s,"to":"end","on":"exhausted"}`, from))
	}
}

// compared are the events that both interpreters write.
var compared = []string{
	"step.awaiting-approval", "step.completed", "step.skipped", "step.failed", "step.breached", "step.cancelled", "group.quorum-met",
	"loop.iteration-started", "loop.exhausted", "execution.completed", "execution.failed", "execution.cancelled", "execution.paused", "execution.resumed",
	"execution.retried",
}

// summary writes of a story what the second interpreter writes of itself.
func (s *story) summary() string {
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

// agreeing is how many random flows both interpreters run, unless the command line says
// another number than what the library would run.
const agreeing, usualChecks = "10000", "100"

// Whatever answers come, in whatever order, and whatever operators do, both interpreters
// of the rules take the same course. Every execution ends once everybody has answered, and
// the same answers once more give the same events.
func TestASecondInterpreterAgrees(t *testing.T) {
	if checks := flag.Lookup("rapid.checks").Value; checks.String() == usualChecks {
		require.NoError(t, checks.Set(agreeing))
		defer func() { require.NoError(t, checks.Set(usualChecks)) }()
	}
	rapid.Check(t, func(t *rapid.T) {
		text, graph := wholeFlow(t)
		s := dispatched(t, graph)
		p := &pair{t: t, story: s, other: newNaive(text, start), words: []string{"approve", "approve", "reject"}}
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
	})
}
