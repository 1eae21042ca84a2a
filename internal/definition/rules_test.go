package definition

import "strings"

var ab, abc = mocks("a", "b"), mocks("a", "b", "c")

// graphRules are graphs by what is wrong with them; nothing where want is nil.
var graphRules = map[string]struct {
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
		[]string{group("g", "joinOnQuorum", 2, 1, "a", "b")},
		nil,
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
	"group-joinonquorum-members-must-share-successors": {
		mocks("a", "b", "c", "d"),
		[]string{edge("a", "c", "always"), edge("b", "d", "always")},
		[]string{group("g", "joinOnQuorum", 2, 2, "a", "b")},
		[]string{"group-joinonquorum-members-must-share-successors at groups.0.memberNodeIds"},
	},
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
	"patterns repeat too much together":  {ab, []string{edge("a", "b", "custom", repeating), edge("a", "b", "custom", repeating), edge("a", "b", "custom", repeating)}, nil, []string{"edge-when-invalid at edges.2.when"}},
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
}
