package api_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestLintWarnsOfAgentsThatAreNotRegistered(t *testing.T) {
	env := newWorkspace(t)
	kit.Register(env, "checker")
	var lint redline.LintResult
	env.Call(client.LintDefinition, redline.DefinitionRequest{
		DefinitionID: kit.Unique("definition"), Name: "Two", Edges: []redline.EdgeInput{},
		Nodes: []redline.NodeInput{client.Agent("known", "checker"), client.Agent("unknown", "nobody"), client.Mock("mock")},
	}, &lint)
	require.Equal(t, []string{"agent-unknown at nodes.1.config.agentId"}, kit.Found(lint.Warnings), fmt.Sprint(lint.Warnings))
}
