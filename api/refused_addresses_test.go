package api_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/api/rpc"
	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/internal/guard"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// refusals has what the guards of this process refused for each workspace: kind and rule.
var refusals struct {
	sync.Mutex

	of map[string][]string
}

func noteRefusal(ctx context.Context, kind guard.Kind, rule string) {
	refusals.Lock()
	defer refusals.Unlock()
	if refusals.of == nil {
		refusals.of = map[string][]string{}
	}
	workspace := rpc.CallerFrom(ctx).WorkspaceID
	refusals.of[workspace] = append(refusals.of[workspace], kind.String()+" "+rule)
}

// takeRefusals returns those of a workspace since the last time.
func takeRefusals(workspace string) []string {
	refusals.Lock()
	defer refusals.Unlock()
	taken := refusals.of[workspace]
	delete(refusals.of, workspace)
	return taken
}

// Whoever writes an address that may not be called, the operator hears of the rule, once.
func TestTheRuleOfEveryRefusedAddressIsShownToTheOperator(t *testing.T) {
	env := kit.Hooked(newWorkspace(t))
	kit.Register(env, "checker")
	endpoint := kit.Endpoint(env, kit.Somewhere)
	const private = "https://10.0.0.1/x"
	hook := redline.DefinitionRequest{DefinitionID: kit.Unique("definition"), Name: "x", Nodes: []redline.NodeInput{client.Hook("call", private)}, Edges: []redline.EdgeInput{}}
	slack := redline.DefinitionRequest{DefinitionID: kit.Unique("definition"), Name: "x", Nodes: []redline.NodeInput{client.Slack("tell", "x", private)}, Edges: []redline.EdgeInput{}}
	host := func(name string, port int) map[string]any {
		return map[string]any{"emailServiceConfig": map[string]any{"type": "smtp", "host": name, "port": port, "fromEmail": "a@example.com", "username": "u", "password": "p"}}
	}
	for _, c := range []struct {
		operation string
		data      any
		want      string
	}{
		{client.CreateEndpoint, map[string]any{"url": private}, "endpoint private"},
		{client.UpdateEndpoint, map[string]any{"endpointId": endpoint.ID, "url": "http://169.254.169.254/"}, "endpoint metadata"},
		{client.CreateAgent, kit.AnAgent("another", map[string]any{"url": private}), "step private"},
		{client.UpdateAgent, map[string]any{"agentId": "checker", "url": "http://example.com/"}, "step scheme"},
		{client.UpdateProvider, map[string]any{"permissionProviderConfig": map[string]any{"permissionProviderUrl": private}}, "provider private"},
		{client.StartExecution, redline.DispatchRequest{DefinitionID: "d", WebhookURL: new(private), WebhookSecret: new(kit.Secret)}, "receiver private"},
		{client.Redeliver, map[string]any{"executionId": "e", "webhookUrl": "https://metadata.google.internal/", "webhookSecret": kit.Secret}, "receiver name"},
		{client.CreateDefinition, hook, "step private"},
		{client.CreateDefinition, slack, "step private"},
		{client.UpdateEmails, host("10.0.0.1", 587), "smtp private"},
		{client.UpdateEmails, host("mail.example.com", 25), "smtp port"},
	} {
		env.RefusedAs("INVALID_ARGUMENT", c.operation, c.data)
		require.Equal(t, []string{c.want}, takeRefusals(env.Workspace.ID), c.operation)
	}
}
