package definition

import (
	"fmt"
	"maps"
	"strings"
)

// looped is a loop of two nodes.
var looped = []string{edge("a", "b", "always"), edge("b", "a", "reject", again)}

// lintCases are the findings by their codes.
var lintCases = joinedCases(shapeFindings, graphFindings, groupFindings, loopFindings, triggerFindings, warningFindings)

func joinedCases(tables ...map[string]lintCase) map[string]lintCase {
	all := map[string]lintCase{}
	for _, table := range tables {
		maps.Copy(all, table)
	}
	return all
}

var shapeFindings = map[string]lintCase{
	"type":        {sound: with(`,"tags":[]`), old: `"tags":[]`, new: `"tags":{}`},
	"required":    {sound: with(""), old: `"name":"n",`},
	"unknown-key": {sound: with(`,"tags":[]`), old: "tags", new: "tag"},
	"duplicate":   {sound: node("human", `{"reviewerIds":["u","v"]}`), old: `"v"`, new: `"u"`},
	"length":      {sound: with(""), old: `"n"`, new: `""`},
	"pattern":     {sound: with(""), old: "abc", new: "Abc"},
	"enum":        {sound: graph(ab, []string{edge("a", "b", "always")}, nil), old: "always", new: "maybe"},
	"range": {
		sound: graph([]string{`{"nodeId":"a","type":"agent","slaMs":1000,"config":{"agentId":"__mock__"}}`}, nil, nil), old: "1000", new: "999",
	},
	"count":           {sound: with(`,"tags":["first",` + times(19, `"t"`) + `]`), old: `"first"`, new: `"first","more"`},
	"conflict":        {sound: node("human", `{"reviewers":[{"userId":"u","mandatory":true}]}`), old: "true", new: "false"},
	"address-refused": {sound: hook(``), old: "https:", new: "http:"},
	"format":          {sound: graph([]string{mail("a")}, nil, nil), old: "a@b.c", new: "nobody"},
	"node-missing-config": {
		sound: graph(mocks("a"), nil, nil), old: `,"config":{"agentId":"__mock__"}`,
	},
	"webhook-method-body-mismatch": {sound: hook(`,"method":"GET","bodyTemplate":"none"`), old: `"none"`, new: `"envelope"`},
	"APPROVAL_NOTIFICATION_SLACK_BLOCKS_REQUIRES_SLACK": {
		sound: graph([]string{strings.Replace(mail("a"), `"x"`, `"x","format":"html"`, 1)}, nil, nil), old: `"html"`, new: `"slack-blocks"`,
	},
}

var graphFindings = map[string]lintCase{
	"duplicate-node-id": {sound: graph(ab, nil, nil), old: `"b"`, new: `"a"`},
	"dangling-edge":     {sound: graph(ab, []string{edge("a", "b", "always")}, nil), old: `"to":"b"`, new: `"to":"x"`},
	"cycle-detected": {
		sound: graph(mocks("a", "b", "c", "d"), []string{edge("a", "b", "always"), edge("b", "c", "always"), edge("c", "d", "always")}, nil),
		old:   `"to":"d"`, new: `"to":"b"`,
	},
	// Where no root leads to, there is a cycle.
	"unreachable-node": {
		sound: graph(ab, []string{edge("a", "b", "always")}, nil), old: `"from":"a"`, new: `"from":"b"`, also: []string{"cycle-detected"},
	},
	"missing-breach-edge": {
		sound: graph([]string{human("a", `"slaMs":1000`), mock("b")}, []string{edge("a", "b", "reject"), edge("a", "b", "always")}, nil),
		old:   "always", new: "approve",
	},
	"graph-too-large": {sound: wideGraph(), old: `"from":"a"`, new: `"from":{"kind":"group","groupId":"g"}`},
	"APPROVAL_EDGE_CUSTOM_REQUIRES_WHEN": {
		sound: graph(ab, []string{edge("a", "b", "custom", anyWhen)}, nil), old: "," + anyWhen,
	},
	"APPROVAL_EDGE_WHEN_ONLY_FOR_CUSTOM": {sound: graph(ab, []string{edge("a", "b", "custom", anyWhen)}, nil), old: "custom", new: "always"},
	"edge-when-invalid":                  {sound: graph(ab, []string{edge("a", "b", "custom", anyWhen)}, nil), old: "output.x", new: "input.x"},
	"APPROVAL_EDGE_REJECT_CYCLE_REQUIRES_LOOP": {
		sound: graph(ab, looped, nil), old: "," + again,
	},
	"APPROVAL_EDGE_EXHAUSTED_REQUIRES_LOOP_SIBLING": {
		sound: graph(abc, append(looped[:2:2], edge("b", "c", "exhausted")), nil), old: "," + looped[1],
	},
	"APPROVAL_HUMAN_NODE_REQUIRES_REJECT_PATH": {
		sound: graph([]string{human("a"), mock("b")}, []string{edge("a", "b", "reject")}, nil), old: "reject", new: "approve",
	},
}

// wideGraph is a graph that has nearly as many edges as it may once its group of 98 is
// expanded.
func wideGraph() string {
	members := repeated(98, func(i int) string { return fmt.Sprintf("m%d", i) })
	edges := append(repeated(51, func(int) string { return edge(":g", "b", "custom", anyWhen) }), edge("a", "b", "always"))
	return graph(append(mocks(members...), mock("a"), mock("b")), edges, []string{group("g", "waitAll", 98, 98, members...)})
}

// demanding is a group of two that requires some members.
func demanding(quorum int, required string) string {
	return strings.Replace(group("g", "waitAll", 2, quorum, "a", "b"), `"quorum"`, `"requiredNodeIds":[`+required+`],"quorum"`, 1)
}

var groupFindings = map[string]lintCase{
	"group-duplicate-id": {
		sound: graph(ab, nil, []string{group("g", "waitAll", 1, 1, "a"), group("h", "waitAll", 1, 1, "b")}), old: `"h"`, new: `"g"`,
	},
	"group-member-missing": {sound: graph(ab, nil, []string{group("g", "waitAll", 1, 1, "a", "b")}), old: `["a","b"]`, new: `["a","x"]`},
	"group-members-empty":  {sound: graph(ab, nil, []string{group("g", "waitAll", 1, 1, "a")}), old: `["a"]`, new: `[]`},
	"group-node-in-multiple-groups": {
		sound: graph(mocks("a", "b", "c", "d"), nil, []string{group("g", "waitAll", 1, 1, "a", "b"), group("h", "waitAll", 1, 1, "c", "d")}),
		old:   `["c","d"]`, new: `["c","b"]`,
	},
	"group-expected-steps-invalid": {
		sound: graph(ab, nil, []string{group("g", "waitAll", 2, 1, "a", "b")}), old: `"expectedSteps":2`, new: `"expectedSteps":3`,
	},
	"group-quorum-invalid": {sound: graph(ab, nil, []string{group("g", "waitAll", 1, 1, "a", "b")}), old: `"quorum":1`, new: `"quorum":2`},
	"group-cancelonquorum-requires-quorum-lt-expected": {
		sound: graph(ab, nil, []string{group("g", "cancelOnQuorum", 2, 1, "a", "b")}), old: `"quorum":1`, new: `"quorum":2`,
	},
	"group-joinonquorum-members-must-share-successors": {
		sound: graph(mocks("a", "b", "c", "d"), []string{edge("a", "c", "always"), edge("b", "c", "always")}, []string{group("g", "joinOnQuorum", 2, 2, "a", "b")}),
		old:   `"from":"b","to":"c"`, new: `"from":"b","to":"d"`,
	},
	"group-required-not-in-members": {sound: graph(abc, nil, []string{demanding(2, `"b"`)}), old: `["b"]`, new: `["c"]`},
	"group-required-exceeds-quorum": {sound: graph(abc, nil, []string{demanding(1, `"b"`)}), old: `["b"]`, new: `["b","a"]`},
	"APPROVAL_EDGE_GROUP_TO_GROUP_FORBIDDEN": {
		sound: graph(ab, []string{edge(":g", "b", "always")}, []string{group("g", "waitAll", 1, 1, "a"), group("h", "waitAll", 1, 1, "b")}),
		old:   `"to":"b"`, new: `"to":{"kind":"group","groupId":"h"}`,
	},
	"APPROVAL_GROUP_FROM_REJECT_REQUIRES_LOOP": {
		sound: graph(abc, []string{edge(":g", "c", "approve")}, []string{group("g", "cancelOnQuorum", 2, 1, "a", "b")}), old: "approve", new: "reject",
	},
}

// backFromGroup is a group that goes back when it is missed.
var backFromGroup = graph(abc, []string{edge("c", ":g", "always"), edge(":g", "c", "reject", again)}, []string{group("g", "joinOnQuorum", 2, 2, "a", "b")})

var loopFindings = map[string]lintCase{
	"loop-node-in-multiple-loops": {
		sound: graph(mocks("a", "b", "c", "d"), append(looped[:2:2], edge("b", "c", "always"), edge("c", "d", "always"), edge("d", "c", "reject", again)), nil),
		old:   `"from":"d","to":"c"`, new: `"from":"d","to":"b"`,
	},
	"loop-exhausted-target-in-body": {
		sound: graph(mocks("a", "b", "c", "d"), []string{
			edge("a", "b", "always"), edge("b", "c", "always"), edge("c", "a", "reject", again), edge("c", "d", "exhausted"),
		}, nil),
		old: `"to":"d"`, new: `"to":"b"`,
	},
	"loop-body-must-have-single-terminal": {
		sound: graph(abc, append(looped[:2:2], edge("b", "c", "approve")), nil), old: `"from":"b","to":"c"`, new: `"from":"a","to":"c"`,
	},
	"loop-group-bounded-quorum-must-equal-expected":  {sound: backFromGroup, old: `"quorum":2`, new: `"quorum":1`},
	"APPROVAL_GROUP_FROM_LOOP_REQUIRES_JOINONQUORUM": {sound: backFromGroup, old: "joinOnQuorum", new: "waitAll"},
	"APPROVAL_EDGE_LOOP_REQUIRES_REJECT":             {sound: graph(ab, looped, nil), old: "reject", new: "approve"},
	"APPROVAL_EDGE_LOOP_REQUIRES_BACK_EDGE": {
		sound: graph(ab, looped, nil), old: `"from":"b","to":"a"`, new: `"from":"a","to":"b"`,
	},
}

const everyMinute = `"schedule":{"cron":"* * * * *","timezone":"UTC","enabled":true}`

var triggerFindings = map[string]lintCase{
	"trigger-duplicate-id":               {sound: with(`,"triggers":[{"triggerId":"t"},{"triggerId":"u"}]`), old: `"u"`, new: `"t"`},
	"APPROVAL_SCHEDULE_CRON_INVALID":     {sound: cron("0 0 31 2 *"), old: "0 0 31", new: "0 0 32"},
	"APPROVAL_SCHEDULE_TIMEZONE_INVALID": {sound: cron("0 0 1 1 *"), old: "Europe/Berlin", new: "Europe/Bonn"},
	"APPROVAL_APP_TRIGGER_EXCLUSIVE": {
		sound: trigger("," + everyMinute), old: everyMinute, new: everyMinute + `,"inboundWebhook":{"authMode":"hmac","secret":"0123456789abcdef"}`,
	},
	"app-trigger-not-supported": {sound: trigger(`,"eventName":"e"`), old: `,"eventName":"e"`, new: `,"eventName":"e","appTrigger":{}`},
}

var warningFindings = map[string]lintCase{
	"agent-unknown":    {sound: graph([]string{strings.Replace(mock("a"), MockAgent, "checker", 1)}, nil, nil), old: "checker", new: "stranger"},
	"edge-never-fires": {sound: graph([]string{mail("a"), mock("b")}, []string{edge("a", "b", "always")}, nil), old: "always", new: "approve"},
	"loop-optional-rejector-unrouted": {
		sound: graph([]string{
			mock("a"), strings.Replace(human("b"), `"reviewerIds":["u"]`, `"reviewers":[{"userId":"u","mandatory":true},{"userId":"v","mandatory":true}]`, 1),
		}, looped, nil),
		old: `{"userId":"v","mandatory":true}`, new: `{"userId":"v","mandatory":false}`,
	},
}
