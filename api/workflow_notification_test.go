package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestNotificationRefusedAddresses(t *testing.T) {
	env := newWorkspace(t)
	for _, target := range []string{"https://10.0.0.1/x", "https://localhost/x", "http://hooks.example.com/x", "C0123"} {
		failure := env.RefusedAs("INVALID_ARGUMENT", client.CreateDefinition, redline.DefinitionRequest{
			DefinitionID: kit.Unique("definition"), Name: "x", Nodes: []redline.NodeInput{client.Slack("tell", "x", target)}, Edges: []redline.EdgeInput{},
		})
		require.Equal(t, []string{"address-refused at nodes.0.config.slackTarget"}, kit.Found(failure.Issues), target)
	}
}
