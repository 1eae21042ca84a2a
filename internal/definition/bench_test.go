package definition

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// manyPaths has 100 nodes, 500 edges and a number of paths that nobody counts.
func manyPaths() string {
	var nodes, edges []string
	for i := range 100 {
		nodes = append(nodes, fmt.Sprintf(`{"nodeId":"n%d","type":"agent","config":{"agentId":"__mock__"}}`, i))
		for step := 1; step <= 6 && i+step < 100 && len(edges) < 500; step++ {
			edges = append(edges, fmt.Sprintf(`{"from":"n%d","to":"n%d"}`, i, i+step))
		}
	}
	return `{"definitionId":"wide","name":"Wide","nodes":[` + strings.Join(nodes, ",") + `],"edges":[` + strings.Join(edges, ",") + `]}`
}

func BenchmarkLint(b *testing.B) {
	data := []byte(manyPaths())
	for b.Loop() {
		_, issues := Parse(data, Options{})
		require.Empty(b, issues)
	}
}
