package definition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
)

// issueAt is an issue as "code at a.b.c".
func issuesAt(text string) []string {
	_, issues := full(text)
	list := []string{}
	for _, i := range issues {
		list = append(list, i.Code+" at "+strings.Join(i.Path, "."))
	}
	return list
}

func TestRulesOfTheGraph(t *testing.T) {
	t.Parallel()
	ab, abc := mocks("a", "b"), mocks("a", "b", "c")
	for name, c := range map[string]struct {
		nodes, edges, groups []string
		want                 []string
	}{
		"duplicate-node-id": {mocks("a", "b", "a"), nil, nil, []string{"duplicate-node-id at nodes.2.nodeId"}},
		"dangling from and to": {ab, []string{edge("x", "b", "always"), edge("a", "y", "always")}, nil, []string{
			"dangling-edge at edges.0.from", "dangling-edge at edges.1.to",
		}},
		"dangling group": {ab, []string{edge("a", ":g", "always")}, nil, []string{"dangling-edge at edges.0.to"}},
		"a cycle": {abc, []string{edge("a", "b", "always"), edge("b", "c", "always"), edge("c", "b", "approve")}, nil, []string{
			"cycle-detected at edges.2",
		}},
		"a cycle without a root": {ab, []string{edge("a", "b", "always"), edge("b", "a", "custom", anyWhen)}, nil, []string{
			"unreachable-node at nodes.0", "unreachable-node at nodes.1", "cycle-detected at edges.1",
		}},
		"an edge to itself": {mocks("a"), []string{edge("a", "a", "reject")}, nil, []string{
			"unreachable-node at nodes.0", "cycle-detected at edges.0",
		}},
		"two knots": {mocks("r", "a", "b", "c", "d"), []string{
			edge("r", "a", "always"), edge("a", "b", "always"), edge("b", "a", "always"),
			edge("r", "c", "always"), edge("c", "d", "always"), edge("d", "c", "always"),
		}, nil, []string{"cycle-detected at edges.2", "cycle-detected at edges.5"}},
		"behind a knot nobody reaches": {mocks("r", "a", "b"), []string{edge("a", "a", "always"), edge("a", "b", "always")}, nil, []string{
			"unreachable-node at nodes.1", "unreachable-node at nodes.2", "cycle-detected at edges.0",
		}},
		"reject goes back": {ab, []string{edge("a", "b", "always"), edge("b", "a", "reject")}, nil, []string{
			"APPROVAL_EDGE_REJECT_CYCLE_REQUIRES_LOOP at edges.1",
		}},
		"no reject path": {[]string{human("a"), mock("b")}, []string{edge("a", "b", "always")}, nil, []string{
			"APPROVAL_HUMAN_NODE_REQUIRES_REJECT_PATH at nodes.0",
		}},
		"reject path of the group": {[]string{human("a"), mock("b")}, []string{edge(":g", "b", "reject")}, []string{group("g", "waitAll", 1, 1, "a")}, nil},
		"approval may end":         {[]string{human("a"), mock("b")}, []string{edge("a", "b", "reject")}, nil, nil},
		"missing-breach-edge": {[]string{human("a", `"slaMs":1000`), mock("b")}, []string{edge("a", "b", "reject"), edge("a", "b", "custom", anyWhen)}, nil, []string{
			"missing-breach-edge at nodes.0.slaMs",
		}},
		"breach by always": {[]string{human("a", `"slaMs":1000`), mock("b")}, []string{edge("a", "b", "reject"), edge("a", "b", "always")}, nil, nil},
		"breach by custom": {[]string{human("a", `"slaMs":1000`), mock("b")}, []string{edge("a", "b", "reject"), edge("a", "b", "custom", breached)}, nil, nil},
		"breach without edges": {
			[]string{`{"nodeId":"a","type":"agent","slaMs":1000,"config":{"agentId":"__mock__"}}`}, nil, nil, nil,
		},
		"joinOnQuorum members need no breach edge": {
			[]string{human("a", `"slaMs":1000`), human("b"), mock("c")},
			[]string{edge("a", "c", "reject"), edge("b", "c", "reject")},
			[]string{group("g", "joinOnQuorum", 2, 1, "a", "b")}, nil,
		},
		"group-duplicate-id": {abc, nil, []string{group("g", "waitAll", 1, 1, "a"), group("g", "waitAll", 1, 1, "b")}, []string{
			"group-duplicate-id at groups.1.groupId",
		}},
		"group-member-missing": {ab, nil, []string{group("g", "waitAll", 1, 1, "a", "x")}, []string{"group-member-missing at groups.0.memberNodeIds.1"}},
		"group-members-empty": {ab, nil, []string{`{"groupId":"g","memberNodeIds":[],"expectedSteps":1,"quorum":1,"onQuorumMet":"waitAll"}`}, []string{
			"group-members-empty at groups.0.memberNodeIds",
		}},
		"group-node-in-multiple-groups": {abc, nil, []string{group("g", "waitAll", 1, 1, "a", "b"), group("h", "waitAll", 1, 1, "b", "c")}, []string{
			"group-node-in-multiple-groups at groups.1.memberNodeIds.0",
		}},
		"group-expected-steps-invalid, above": {ab, nil, []string{group("g", "waitAll", 3, 1, "a", "b")}, []string{
			"group-expected-steps-invalid at groups.0.expectedSteps",
		}},
		"group-expected-steps-invalid, below": {ab, nil, []string{group("g", "waitAll", 0, 1, "a", "b")}, []string{
			"group-expected-steps-invalid at groups.0.expectedSteps",
		}},
		"group-quorum-invalid": {ab, nil, []string{group("g", "waitAll", 1, 2, "a", "b")}, []string{"group-quorum-invalid at groups.0.quorum"}},
		"group-quorum below 1": {ab, nil, []string{group("g", "waitAll", 1, 0, "a", "b")}, []string{"group-quorum-invalid at groups.0.quorum"}},
		"group-cancelonquorum-requires-quorum-lt-expected": {ab, nil, []string{group("g", "cancelOnQuorum", 2, 2, "a", "b")}, []string{
			"group-cancelonquorum-requires-quorum-lt-expected at groups.0.quorum",
		}},
		"group-joinonquorum-members-must-share-successors": {mocks("a", "b", "c", "d"), []string{edge("a", "c", "always"), edge("b", "d", "always")},
			[]string{group("g", "joinOnQuorum", 2, 2, "a", "b")}, []string{"group-joinonquorum-members-must-share-successors at groups.0.memberNodeIds"}},
		"group-required-not-in-members": {abc, nil, []string{strings.Replace(group("g", "waitAll", 2, 2, "a", "b"), `"quorum"`, `"requiredNodeIds":["c"],"quorum"`, 1)}, []string{
			"group-required-not-in-members at groups.0.requiredNodeIds.0",
		}},
		"group-required-exceeds-quorum": {abc, nil, []string{strings.Replace(group("g", "waitAll", 2, 1, "a", "b"), `"quorum"`, `"requiredNodeIds":["a","b"],"quorum"`, 1)}, []string{
			"group-required-exceeds-quorum at groups.0.requiredNodeIds",
		}},
		"APPROVAL_EDGE_GROUP_TO_GROUP_FORBIDDEN": {ab, []string{edge(":g", ":h", "always")}, []string{group("g", "waitAll", 1, 1, "a"), group("h", "waitAll", 1, 1, "b")}, []string{
			"APPROVAL_EDGE_GROUP_TO_GROUP_FORBIDDEN at edges.0",
		}},
		"APPROVAL_GROUP_FROM_REJECT_REQUIRES_LOOP": {abc, []string{edge(":g", "c", "reject")}, []string{group("g", "cancelOnQuorum", 2, 1, "a", "b")}, []string{
			"APPROVAL_GROUP_FROM_REJECT_REQUIRES_LOOP at edges.0",
		}},
		"APPROVAL_GROUP_FROM_LOOP_REQUIRES_JOINONQUORUM": {abc, []string{edge("c", ":g", "always"), edge(":g", "c", "reject", again)}, []string{group("g", "waitAll", 2, 2, "a", "b")}, []string{
			"APPROVAL_GROUP_FROM_LOOP_REQUIRES_JOINONQUORUM at edges.1.loop",
		}},
		"a group edge into its own member": {ab, []string{edge(":g", "a", "approve")}, []string{group("g", "waitAll", 1, 1, "a", "b")}, []string{
			"cycle-detected at edges.0",
		}},
		"a loop": {ab, []string{edge("a", "b", "always"), edge("b", "a", "reject", again)}, nil, nil},
		"APPROVAL_EDGE_LOOP_REQUIRES_REJECT": {ab, []string{edge("a", "b", "always"), edge("b", "a", "always", again)}, nil, []string{
			"APPROVAL_EDGE_LOOP_REQUIRES_REJECT at edges.1.loop",
		}},
		"a loop forward": {ab, []string{edge("a", "b", "always"), edge("a", "b", "reject", again)}, nil, []string{
			"APPROVAL_EDGE_LOOP_REQUIRES_BACK_EDGE at edges.1.to",
		}},
		"a loop to itself": {ab, []string{edge("a", "b", "always"), edge("b", "b", "reject", again)}, nil, []string{
			"APPROVAL_EDGE_LOOP_REQUIRES_BACK_EDGE at edges.1.to",
		}},
		"a loop to a group": {abc, []string{edge(":g", "c", "always"), edge("c", ":g", "reject", again)}, []string{group("g", "waitAll", 2, 2, "a", "b")}, []string{
			"APPROVAL_EDGE_LOOP_REQUIRES_BACK_EDGE at edges.1.to",
		}},
		"loop-node-in-multiple-loops": {abc, []string{
			edge("a", "b", "always"), edge("b", "c", "always"), edge("b", "a", "reject", again), edge("c", "b", "reject", again),
		}, nil, []string{"loop-node-in-multiple-loops at edges.3.loop"}},
		"loop-exhausted-target-in-body": {abc, []string{
			edge("a", "b", "always"), edge("b", "c", "always"), edge("c", "a", "reject", again), edge("c", "b", "exhausted"),
		}, nil, []string{"loop-exhausted-target-in-body at edges.3.to"}},
		"exhausted upstream of the body": {mocks("r", "a", "b"), []string{
			edge("r", "a", "always"), edge("a", "b", "always"), edge("b", "a", "reject", again), edge("b", "r", "exhausted"),
		}, nil, []string{
			"unreachable-node at nodes.0", "unreachable-node at nodes.1", "unreachable-node at nodes.2", "cycle-detected at edges.3",
		}},
		"loop-body-must-have-single-terminal": {mocks("a", "b", "c"), []string{
			edge("a", "b", "always"), edge("a", "c", "always"), edge("b", "a", "reject", again),
		}, nil, []string{"loop-body-must-have-single-terminal at edges.1"}},
		"only the source leaves the body": {mocks("a", "b", "c"), []string{
			edge("a", "b", "always"), edge("b", "c", "approve"), edge("b", "a", "reject", again), edge("b", "c", "exhausted"),
		}, nil, nil},
		"loop-group-bounded-quorum-must-equal-expected": {[]string{mock("c"), mock("a"), mock("b")}, []string{
			edge("c", ":g", "always"), edge(":g", "c", "reject", again),
		}, []string{group("g", "joinOnQuorum", 2, 1, "a", "b")}, []string{"loop-group-bounded-quorum-must-equal-expected at edges.1.loop"}},
		"APPROVAL_EDGE_EXHAUSTED_REQUIRES_LOOP_SIBLING": {ab, []string{edge("a", "b", "exhausted")}, nil, []string{
			"APPROVAL_EDGE_EXHAUSTED_REQUIRES_LOOP_SIBLING at edges.0",
		}},
		"APPROVAL_EDGE_CUSTOM_REQUIRES_WHEN": {ab, []string{edge("a", "b", "custom")}, nil, []string{"APPROVAL_EDGE_CUSTOM_REQUIRES_WHEN at edges.0.when"}},
		"APPROVAL_EDGE_WHEN_ONLY_FOR_CUSTOM": {ab, []string{edge("a", "b", "always", anyWhen)}, nil, []string{"APPROVAL_EDGE_WHEN_ONLY_FOR_CUSTOM at edges.0.when"}},
		"edge-when-invalid":                  {ab, []string{edge("a", "b", "custom", `"when":"{\"var\":\"input.x\"}"`)}, nil, []string{"edge-when-invalid at edges.0.when"}},
		"when is an object":                  {ab, []string{edge("a", "b", "custom", `"when":{"var":"output.x"}`)}, nil, []string{"edge-when-invalid at edges.0.when"}},
		"when 10,000 deep": {ab, []string{edge("a", "b", "custom", `"when":"`+strings.Repeat(`{\"op\":\"not\",\"args\":[`, 10_000)+`"`)}, nil, []string{
			"edge-when-invalid at edges.0.when",
		}},
		"a role that is none hides no cycle": {ab, []string{edge("a", "b", "maybe"), edge("b", "a", "always")}, nil, []string{
			"unreachable-node at nodes.0", "unreachable-node at nodes.1", "enum at edges.0.on", "cycle-detected at edges.1",
		}},
		"a faulty config hides no dangling edge": {[]string{mock("a"), `{"nodeId":"b","type":"human","config":{}}`}, []string{edge("b", "x", "reject")}, nil, []string{
			"required at nodes.1.config.reviewers", "dangling-edge at edges.0.to",
		}},
	} {
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
	d, issues := Parse([]byte(text), Options{everything: true, KnownAgent: func(string) bool { return false }})
	require.Empty(t, issues)
	require.Equal(t, []string{"agent-unknown", "loop-optional-rejector-unrouted", "edge-never-fires"}, codes(d.Warnings))
	require.Equal(t, []string{"edges", "4", "on"}, d.Warnings[2].Path)

	text = graph(nodes, append(edges, edge("h", "m", "reject")), nil)
	d, issues = Parse([]byte(text), Options{everything: true, KnownAgent: func(id string) bool { return id == "checker" }})
	require.Empty(t, issues)
	require.Equal(t, []string{"edge-never-fires"}, codes(d.Warnings))
}
