package tests

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestNotificationRefusedAddresses(t *testing.T) {
	s := begin(t)
	for _, target := range []string{"https://10.0.0.1/x", "https://localhost/x", "http://hooks.example.com/x", "C0123"} {
		failure := s.refusedAs("INVALID_ARGUMENT", createDefinition, client.Definition{
			DefinitionID: unique("definition"), Name: "x", Nodes: []client.Node{client.Slack("tell", "x", target)}, Edges: []client.Edge{},
		})
		require.Equal(t, []string{"address-refused at nodes.0.config.slackTarget"}, found(failure.Issues), target)
	}
}
