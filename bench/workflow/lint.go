package workflow

import (
	"context"
	"errors"
	"fmt"

	"github.com/redline-svc/redline/bench/measure"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

const (
	lintNodes, lintEdges = 100, 500
	lintReads, lintGoal  = 200, 20
)

// Lint measures how soon a large definition is linted, by one caller.
func Lint(ctx context.Context, s Side) ([]measure.Row, error) {
	large, small := dense(lintNodes, lintEdges), dense(2, 1)
	var took, least measure.Sample
	for _, of := range []struct {
		definition redline.DefinitionRequest
		into       *measure.Sample
	}{{large, &took}, {small, &least}} {
		var err error
		*of.into, err = measure.Spread(ctx, 1, lintReads, func(ctx context.Context, _ int) error { return s.lint(ctx, of.definition) })
		if err != nil {
			return nil, err
		}
	}
	return []measure.Row{measure.Below(lintGoal, measure.Row{
		Name: "definitions/lint of 100 nodes and 500 edges, p50", Unit: "ms", Measured: took.P50(),
		What: "of 2 nodes and 1 edge, p50", Against: least.P50(),
		Note: fmt.Sprintf("p99 %.1f ms", measure.Percentile(took.Took, 99)),
	})}, nil
}

// lint asks for the findings of a definition, which must have none.
func (s Side) lint(ctx context.Context, definition redline.DefinitionRequest) error {
	found, err := client.Call[redline.LintResult](ctx, s.Workspace.Keyed, "workflow/definitions/lint", definition)
	if err == nil && !found.Valid {
		err = errors.New("the definition has findings")
	}
	return err
}

// dense is a definition in which every node has edges to those right behind it:
// there are more ways through it than could be walked one by one.
func dense(nodes, edges int) redline.DefinitionRequest {
	d := redline.DefinitionRequest{DefinitionID: measure.Unique("bench"), Name: "Benchmark", Edges: []redline.EdgeInput{}}
	for i := range nodes {
		d.Nodes = append(d.Nodes, client.Mock(fmt.Sprint("n", i)))
	}
	for ahead := 1; len(d.Edges) < edges; ahead++ {
		for i := 0; i+ahead < nodes && len(d.Edges) < edges; i++ {
			d.Edges = append(d.Edges, denseEdge(len(d.Edges), d.Nodes[i].NodeID, d.Nodes[i+ahead].NodeID))
		}
	}
	return d
}

// denseEdge is one of all edges: every third one has a predicate.
func denseEdge(number int, from, to string) redline.EdgeInput {
	const third = 3
	if number%third == 0 {
		return client.When(from, to, `{"op":"eq","args":[{"var":"output.x"},1]}`)
	}
	return client.Always(from, to)
}
