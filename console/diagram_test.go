package console

import (
	"fmt"
	"testing"

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
