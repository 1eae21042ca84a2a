package kit

import (
	"fmt"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// ManyPaths returns a definition of 100 nodes, 500 edges and a number of paths that no program could count.
func ManyPaths(id string) map[string]any {
	var nodes []redline.NodeInput
	var edges []redline.EdgeInput
	for i := range 100 {
		nodes = append(nodes, client.Mock(fmt.Sprint("n", i)))
		for step := 1; step <= 6 && i+step < 100 && len(edges) < 500; step++ {
			edges = append(edges, client.When(fmt.Sprint("n", i), fmt.Sprint("n", i+step), `{"op":"eq","args":[{"var":"output.x"},1]}`))
		}
	}
	return map[string]any{"definitionId": id, "name": "Wide", "nodes": nodes, "edges": edges}
}
