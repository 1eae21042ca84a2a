package tests

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestLintWarnsOfAgentsThatAreNotRegistered(t *testing.T) {
	s := begin(t)
	s.register("checker")
	var lint struct{ Warnings []client.Issue }
	s.call("workflow/definitions/lint", client.Definition{
		DefinitionID: unique("definition"), Name: "Two", Edges: []client.Edge{},
		Nodes: []client.Node{client.Agent("known", "checker"), client.Agent("unknown", "nobody"), client.Mock("mock")},
	}, &lint)
	require.Equal(t, []string{"agent-unknown at nodes.1.config.agentId"}, found(lint.Warnings), fmt.Sprint(lint.Warnings))
}
