package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestNotificationRefusedAddresses(t *testing.T) {
	env := newWorkspace(t)
	for _, target := range []string{"https://10.0.0.1/x", "https://localhost/x", "http://hooks.example.com/x", "C0123"} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.CreateDefinition, client.Definition{
			DefinitionID: kit.Unique("definition"), Name: "x", Nodes: []client.Node{client.Slack("tell", "x", target)}, Edges: []client.Edge{},
		})
		require.Equal(t, []string{"address-refused at nodes.0.config.slackTarget"}, kit.Found(failure.Issues), target)
	}
}
