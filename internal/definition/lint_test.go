package definition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/fault"
)

// graph writes a definition with these nodes, edges and groups.
func graph(nodes, edges, groups []string) string {
	return fmt.Sprintf(`{"definitionId":"abc","name":"n","nodes":[%s],"edges":[%s],"groups":[%s]}`,
		strings.Join(nodes, ","), strings.Join(edges, ","), strings.Join(groups, ","))
}

// mock, human and mail write nodes; more are keys of the node.
func mock(id string) string {
	return fmt.Sprintf(`{"nodeId":%q,"type":"agent","config":{"agentId":"__mock__"}}`, id)
}

func human(id string, more ...string) string {
	return fmt.Sprintf(`{"nodeId":%q,"type":"human","config":{"reviewerIds":["u"]}%s}`, id, strings.Join(append([]string{""}, more...), ","))
}

func mail(id string) string {
	return fmt.Sprintf(`{"nodeId":%q,"type":"notification","config":{"channel":"email","recipients":["a@b.c"],"bodyTemplate":"x"}}`, id)
}

func mocks(ids ...string) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i] = mock(id)
	}
	return list
}

// edge writes "a>b on more": ends with a colon before them are groups.
func edge(from, to, on string, more ...string) string {
	end := func(name string) string {
		if group, is := strings.CutPrefix(name, ":"); is {
			return fmt.Sprintf(`{"kind":"group","groupId":%q}`, group)
		}
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf(`{"from":%s,"to":%s,"on":%q%s}`, end(from), end(to), on, strings.Join(append([]string{""}, more...), ","))
}

func group(id, policy string, expected, quorum int, members ...string) string {
	return fmt.Sprintf(`{"groupId":%q,"memberNodeIds":["%s"],"expectedSteps":%d,"quorum":%d,"onQuorumMet":%q}`,
		id, strings.Join(members, `","`), expected, quorum, policy)
}

const (
	again    = `"loop":{"maxIterations":2}`
	breached = `"when":"{\"op\":\"eq\",\"args\":[{\"var\":\"step.status\"},\"breached\"]}"`
	anyWhen  = `"when":"{\"var\":\"output.x\"}"`
	// repeating has a third of the instructions that patterns may have together, and more.
	repeating = `"when":"{\"op\":\"regex\",\"args\":[{\"var\":\"output.x\"},\"a{900}\"]}"`
)

// issuesAt returns the issues of a definition as "code at a.b.c".
func issuesAt(text string) []string {
	_, issues := full(text)
	return issueLines(issues)
}

// issueLines returns issues as "code at a.b.c".
func issueLines(issues []fault.Issue) []string {
	list := []string{}
	for _, i := range issues {
		list = append(list, i.Code+" at "+strings.Join(i.Path, "."))
	}
	return list
}

func TestRulesOfTheGraph(t *testing.T) {
	t.Parallel()
	for name, c := range graphRules {
		assert.ElementsMatch(t, c.want, issuesAt(graph(c.nodes, c.edges, c.groups)), name)
	}
}

func TestGraphTooLarge(t *testing.T) {
	t.Parallel()
	members, edges := []string{}, []string{}
	for i := range 98 {
		members = append(members, fmt.Sprintf("m%d", i))
	}
	nodes := append(mocks(members...), mock("a"), mock("b"))
	for range 52 {
		edges = append(edges, edge(":g", "b", "custom", anyWhen))
	}
	g := []string{group("g", "waitAll", 98, 98, members...)}
	require.Equal(t, []string{"graph-too-large at edges.51"}, issuesAt(graph(nodes, edges, g)))
	require.Empty(t, issuesAt(graph(nodes, edges[:51], g)))
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	nodes := []string{
		mock("start"), strings.Replace(mock("a"), MockAgent, "checker", 1), mail("m"), mock("z"),
		`{"nodeId":"h","type":"human","config":{"reviewers":[{"userId":"u","mandatory":true},{"userId":"v","mandatory":false}]}}`,
	}
	edges := []string{
		edge("start", "a", "always"), edge("a", "h", "always"), edge("h", "start", "reject", again), edge("h", "m", "approve"), edge("m", "z", "approve"),
	}
	text := graph(nodes, edges, nil)
	d, issues := Parse([]byte(text), Options{KnownAgent: func(string) bool { return false }})
	require.Empty(t, issues)
	require.Equal(t, []string{"agent-unknown", "loop-optional-rejector-unrouted", "edge-never-fires"}, codes(d.Warnings))
	require.Equal(t, []string{"edges", "4", "on"}, d.Warnings[2].Path)

	text = graph(nodes, append(edges, edge("h", "m", "reject")), nil)
	d, issues = Parse([]byte(text), Options{KnownAgent: func(id string) bool { return id == "checker" }})
	require.Empty(t, issues)
	require.Equal(t, []string{"edge-never-fires"}, codes(d.Warnings))
}

// A group that goes back has no forward edge on reject of its own: those of its members,
// which share their targets, take what does not go back.
func TestARejectionThatMembersTakeIsNoWarning(t *testing.T) {
	t.Parallel()
	optional := strings.Replace(human("m1"), `"reviewerIds":["u"]`, `"reviewers":[{"userId":"u","mandatory":true},{"userId":"v","mandatory":false}]`, 1)
	members := []string{group("g", "joinOnQuorum", 2, 2, "m1", "m2")}
	edges := []string{edge("a", ":g", "always"), edge(":g", "a", "reject", again)}
	nodes := []string{mock("a"), optional, human("m2")}
	require.Equal(t, []string{"loop-optional-rejector-unrouted"}, raised(graph(nodes, edges, members)))
	require.Empty(t, raised(graph(append(nodes, mock("no")), append(edges, edge("m1", "no", "reject"), edge("m2", "no", "reject")), members)))
}

// A member that the entry does not lead to is in no iteration but the first: what it said
// there would count in all of them. A snapshot from before this rule keeps its loop.
func TestALoopsEntryLeadsToEveryMemberOfItsGroup(t *testing.T) {
	t.Parallel()
	members := []string{group("g", "joinOnQuorum", 2, 2, "m1", "m2")}
	nodes := []string{mock("a"), mock("x"), human("m1"), human("m2")}
	back := edge(":g", "a", "reject", again)
	toBoth := graph(nodes, []string{edge("a", "m1", "always"), edge("a", "x", "always"), edge("x", "m2", "always"), back}, members)
	besides := graph(nodes, []string{edge("a", "m1", "always"), edge("x", "m2", "always"), back}, members)
	root := graph([]string{mock("a"), human("m1"), human("m2")}, []string{edge("a", "m1", "always"), edge("a", "m1", "approve"), back}, members)
	require.Empty(t, issuesAt(toBoth))
	for _, faulty := range []string{besides, root} {
		require.Equal(t, []string{"APPROVAL_EDGE_LOOP_REQUIRES_BACK_EDGE at edges.2.to"}, issuesAt(faulty))
	}
	stored, err := GraphOf([]byte(besides))
	require.NoError(t, err)
	require.Equal(t, []string{"a", "m1"}, stored.LoopFromGroup("g").BodyNodeIDs)
}
