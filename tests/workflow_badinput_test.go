package tests

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
	"github.com/redline-svc/redline/tests/receiver"
)

// branching is a definition of layers of two nodes, each leading to both of the next
// layer: 2^40 paths. The last layer is a group that decides together, and what it
// rejects goes back to the beginning.
func branching() client.Definition {
	const layers = 40
	d := client.Definition{DefinitionID: unique("definition"), Name: "Branching", Nodes: []client.Node{client.Mock("root")}}
	before := []string{"root"}
	for i := range layers {
		layer := []string{fmt.Sprint("left", i), fmt.Sprint("right", i)}
		if i == layers-1 {
			d.Nodes = append(d.Nodes, client.Human(layer[0], "ann"), client.Human(layer[1], "ann"))
		} else {
			d.Nodes = append(d.Nodes, client.Mock(layer[0]), client.Mock(layer[1]))
		}
		for _, from := range before {
			for _, to := range layer {
				d.Edges = append(d.Edges, client.Always(from, to))
			}
		}
		before = layer
	}
	d.Groups = []client.Group{{GroupID: "end", MemberNodeIDs: before, ExpectedSteps: 2, Quorum: 2, OnQuorumMet: "joinOnQuorum"}}
	d.Edges = append(d.Edges, client.Back(client.GroupEnd("end"), "root", 1))
	return d
}

func TestBadInput_AGraphWithExponentiallyManyPathsRunsEachNodeOnce(t *testing.T) {
	s := begin(t)
	definition := branching()
	s.create(definition)
	r := s.dispatch(definition.DefinitionID)
	r.waitsAt("left39")
	r.decide("left39", "ann", "reject")
	again := r.newest("left39")
	require.Equal(t, 2, again.Metadata.Iteration)
	for _, node := range []string{"left39", "right39"} {
		s.call(recordDecision, r.decision(r.newest(node).StepID, "ann", "approve"), nil)
	}
	view := r.ends("completed")
	require.Len(t, view.Steps, 2*len(definition.Nodes), "once in each iteration")
}

// refusedDefinition is a definition with one fault in an edge or a trigger: it is refused
// by create as by lint, and nothing of it is there.
func (s *scene) refusedDefinition(code string, more map[string]any) {
	s.t.Helper()
	data := simple(unique("definition"), more)
	failure := s.refusedAs("INVALID_ARGUMENT", createDefinition, data)
	if assert.NotEmpty(s.t, failure.Issues, "%v", failure) {
		assert.Equal(s.t, code, failure.Issues[0].Code)
	}
	var linted lintResult
	s.call(lintDefinition, data, &linted)
	assert.Equal(s.t, failure.Issues, linted.Issues)
	s.refusedAs("NOT_FOUND", getDefinition, map[string]any{"definitionId": data["definitionId"]})
}

// guarded is a definition with an edge that has this test.
func guarded(when string) map[string]any {
	return map[string]any{"nodes": []client.Node{client.Mock("a"), client.Mock("b")}, "edges": []client.Edge{client.When("a", "b", when)}}
}

// A pattern over which other engines would sit for years is only as slow as its text is
// long.
func TestBadInput_APatternThatBacktracksIsAnswered(t *testing.T) {
	s := begin(t)
	const pattern = `^(a+)+(a|aa)*$`
	definition := s.define([]client.Node{client.Mock("a"), client.Mock("b"), client.Mock("c")},
		client.When("a", "b", `{"op":"regex","args":[{"var":"execution.input.text"},"`+pattern+`"]}`),
		client.When("a", "c", `{"op":"not","args":[{"op":"regex","args":[{"var":"execution.input.text"},"`+pattern+`"]}]}`))
	r := s.dispatch(definition, input(map[string]any{"text": strings.Repeat("a", 60_000) + "!"}))
	r.ends("completed")
	require.Equal(t, "completed", r.step("c").Status)
	require.Len(t, r.view().Steps, 2, "b has none")
}

// cronFault is the code of a line: no text holds a NUL.
func cronFault(line string) string {
	if strings.Contains(line, "\x00") {
		return "pattern"
	}
	return "APPROVAL_SCHEDULE_CRON_INVALID"
}

// objectOf is a JSON object of that many bytes.
func objectOf(size int) map[string]any {
	return map[string]any{"text": strings.Repeat("x", size-len(`{"text":""}`))}
}

func TestBadInput_OutputsOf64KiBAndOneMore(t *testing.T) {
	s := begin(t)
	s.receiver().Answer("/agent", receiver.JSON(`{}`))
	s.anAgentAt("/agent")
	r := s.dispatch(s.define([]client.Node{client.Agent("check", "checker"), client.Human("review", "ann"), client.Mock("end")}, client.Reject("review", "end")))
	r.waitsAt("check")
	r.waitsAt("review")
	large := map[string]any{"output": objectOf(64<<10 + 1)}
	s.refusedAs("INVALID_ARGUMENT", recordResolution, r.resolves("check", "r1", "resolved", large))
	forced := r.by("review", large)
	forced["action"] = "force-complete"
	s.refusedAs("INVALID_ARGUMENT", resolveStep, forced)
	require.Equal(t, "waiting", r.step("check").Status)
	require.Equal(t, "waiting", r.step("review").Status)

	whole := map[string]any{"output": objectOf(64 << 10)}
	require.True(t, s.resolve(r.resolves("check", "r1", "resolved", whole)).Recorded)
	maps.Copy(forced, whole)
	s.call(resolveStep, forced, nil)
	r.ends("completed")
	for _, node := range []string{"check", "review"} {
		output := r.step(node).Output
		require.Contains(t, string(output), whole["output"].(map[string]any)["text"], "kept whole")
		require.LessOrEqual(t, len(output), 64<<10+1<<10, "and what the service adds")
	}
}

// longIDs are ids that nothing has: 200 emoji, a NUL, what looks like SQL or a path.
var longIDs = []string{strings.Repeat("😀", 200), "a\x00b", "'; drop table steps; --", "../../../etc/passwd", "\u202e\ufeff"}

func TestBadInput_IDsThatNothingHas(t *testing.T) {
	s := begin(t)
	r := s.dispatch(s.signOff(), s.withReceiver("/events"))
	step := r.waitsAt("review")
	for _, odd := range longIDs {
		for _, each := range []struct {
			operation string
			data      map[string]any
		}{
			{"workflow/executions/get", map[string]any{"executionId": odd}},
			{"workflow/executions/cancel", map[string]any{"executionId": odd}},
			{"workflow/executions/getEvents", map[string]any{"executionId": odd}},
			{"workflow/executions/getDeliveries", map[string]any{"executionId": odd}},
			{"workflow/executions/redeliver", map[string]any{"executionId": odd}},
			{"workflow/executions/redeliver", map[string]any{"executionId": r.id, "eventIds": []string{odd}}},
			{retryExecution, map[string]any{"executionId": odd}},
			{pauseExecution, map[string]any{"executionId": odd}},
			{resumeExecution, map[string]any{"executionId": odd}},
			{recordDecision, map[string]any{"executionId": r.id, "stepId": odd, "reviewerId": "ann", "decision": "approve"}},
			{recordResolution, map[string]any{"executionId": r.id, "stepId": odd, "responseId": odd, "resolution": "resolved"}},
			{cancelStep, map[string]any{"executionId": r.id, "stepId": odd, "actorId": "op"}},
			{resolveStep, map[string]any{"executionId": r.id, "stepId": odd, "action": "force-fail", "actorId": odd}},
			{reassignStep, map[string]any{"executionId": odd, "stepId": step.StepID, "fromReviewerId": "ann", "toReviewerId": odd, "actorId": "op"}},
			{getDefinition, map[string]any{"definitionId": odd}},
			{deleteDefinition, map[string]any{"definitionId": odd}},
			{getVersion, map[string]any{"definitionId": odd, "version": 1}},
			{getAgent, map[string]any{"agentId": odd}},
			{deleteAgent, map[string]any{"agentId": odd}},
		} {
			failure := s.refused(each.operation, each.data)
			assert.Contains(t, []string{"NOT_FOUND", "INVALID_ARGUMENT"}, failure.Status, "%s %q: %v", each.operation, odd, failure)
			if odd == longIDs[0] {
				assert.Equal(t, "NOT_FOUND", failure.Status, "%s: %v", each.operation, failure)
			}
		}
	}
	require.Empty(t, everyPage[client.Execution](s, "workflow/executions/list", map[string]any{"definitionId": longIDs[0]}))
	require.Empty(t, everyPage[client.Step](s, "workflow/steps/list", map[string]any{"reviewerId": longIDs[0]}))
	require.Equal(t, "waiting", r.step("review").Status)
	require.Equal(t, "unknown-responder", r.decide("review", longIDs[0], "approve").AggregatorStatus)
}

// A node may be named by 64 emoji, which its steps' ids cannot hold.
func TestBadInput_NodesNamedByEmoji(t *testing.T) {
	s := begin(t)
	name := strings.Repeat("😀", 64)
	s.refusedDefinition("length", map[string]any{"nodes": []client.Node{client.Mock(name + "😀")}})
	r := s.dispatch(s.define([]client.Node{client.Human(name, longIDs[0]), client.Mock("end")}, client.Both(name, "end")...))
	step := r.waitsAt(name)
	require.Regexp(t, `^step_-{64}_i1_a1_[0-9a-f]{12}$`, step.StepID)
	require.Len(t, everyPage[client.Step](s, "workflow/steps/list", map[string]any{"reviewerId": longIDs[0]}), 1)
	r.decide(name, longIDs[0], "approve")
	r.ends("completed")
}
