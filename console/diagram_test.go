package console

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
)

// A graph of 200 steps is 40 stages of five, each of which may send back to the first.
func BenchmarkDrawOf200Steps(b *testing.B) {
	const stages, wide = 40, 5
	var nodes, edges []any
	var steps []redline.Step
	name := func(stage, i int) string { return fmt.Sprintf("n%d-%d", stage, i) }
	for stage := range stages {
		for i := range wide {
			nodes = append(nodes, map[string]any{"nodeId": name(stage, i), "type": "human"})
			steps = append(steps, redline.Step{NodeID: name(stage, i), StepID: name(stage, i), Status: redline.StepStatusCompleted})
			if stage+1 < stages {
				edges = append(edges, map[string]any{"from": name(stage, i), "to": name(stage+1, i)}, map[string]any{"from": name(stage, i), "to": name(stage+1, (i+1)%wide)})
			}
		}
		if stage > 0 {
			edges = append(edges, map[string]any{"from": name(stage, 0), "to": name(0, 0), "on": "reject", "loop": map[string]any{"maxIterations": 3}})
		}
	}
	for b.Loop() {
		drawn, err := draw(nodes, edges, nil, steps)
		require.NoError(b, err)
		require.Len(b, drawn.Nodes, stages*wide)
	}
}

// A box says how its step stands, in which pass, when it is due and who is waited for; before it begins
// what it is and how long it may take; and afterwards who decided what.
func TestWhatABoxSays(t *testing.T) {
	due := time.Now().Add(90 * time.Minute).UnixMilli()
	waiting := redline.Step{NodeID: "review", StepID: "s1", Status: redline.StepStatusWaiting, DueAt: &due, Metadata: redline.StepMetadata{
		Iteration: 2, Attempt: 1, Reviewers: []redline.Reviewer{{UserID: "ann"}, {UserID: "bob"}},
	}}
	ended := waiting
	ended.Status, ended.CompletedAt, ended.Output = redline.StepStatusCompleted, &due, redline.JSON(`{"responses":[{"reviewerId":"ann","decision":"approve"},{"reviewerId":"bob","decision":"abstain"}]}`)
	nodes := []any{map[string]any{"nodeId": "review", "type": "human", "slaMs": 86_400_000, "config": map[string]any{"reviewerIds": []string{"ann", "bob"}}}}
	for _, want := range []struct {
		steps             []redline.Step
		state, whom, tone string
	}{
		{nil, "people · within 24 h", "ann, bob", "idle"},
		{[]redline.Step{waiting}, "waiting · pass 2 · due in 2 h", "ann, bob", "wait"},
		{[]redline.Step{ended}, "completed · pass 2", "ann approved, bob abstain", "good"},
	} {
		drawn, err := draw(nodes, nil, nil, want.steps)
		require.NoError(t, err)
		box := drawn.Nodes[0]
		require.Equal(t, []string{"review", want.state, want.whom, want.tone}, []string{box.Title, box.State, box.Who, box.Tone})
		require.Equal(t, "review: "+want.state+", "+want.whom, box.Label)
	}
}

// A time is said in the largest unit that says enough, rounded up, however long it is.
func TestRoughly(t *testing.T) {
	for span, want := range map[time.Duration]string{
		0: "0 min", time.Second: "1 min", time.Hour: "1 h", 61 * time.Minute: "2 h", 48 * time.Hour: "48 h", 49 * time.Hour: "3 days",
	} {
		require.Equal(t, want, roughly(span))
	}
	nodes := []any{map[string]any{"nodeId": "n", "type": "agent", "slaMs": int64(math.MaxInt64)}}
	drawn, err := draw(nodes, nil, nil, nil)
	require.NoError(t, err)
	require.Equal(t, "an agent · within 36500 days", drawn.Nodes[0].State)
}

// Whoever is mentioned in a comment is named; what looks like a mark and is none stays.
func TestMentionsAreNames(t *testing.T) {
	mentioned := []redline.JSON{redline.JSON(`{"userId":"u_bob","contact":{"userId":"u_bob","name":"Bob <b>"}}`), redline.JSON(`{"userId":"u_eve","contact":null}`), redline.JSON(`7`)}
	require.Equal(t, "@Bob <b> and @u_eve, {{u_ann}} {{.}}", saidBy("{{u_bob}} and {{u_eve}}, {{u_ann}} {{.}}", mentioned))
}
