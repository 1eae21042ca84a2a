package kit

import (
	"maps"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// SetSimple changes the simple receiver of the workspace and returns the new state; fields are those of webhookServiceConfig.
func SetSimple(env *Env, on bool, fields ...map[string]any) redline.SimpleReceiver {
	env.T.Helper()
	config := map[string]any{}
	for _, each := range fields {
		maps.Copy(config, each)
	}
	data := map[string]any{"useWebhookService": on}
	if len(config) > 0 {
		data["webhookServiceConfig"] = config
	}
	var after redline.SimpleReceiverResult
	env.Call(client.UpdateSimpleReceiver, data, &after)
	return after.Data
}

// SimpleState returns the simple receiver of the workspace.
func SimpleState(env *Env) redline.SimpleReceiver {
	env.T.Helper()
	var found redline.SimpleReceiverResult
	env.Call(client.GetSimpleReceiver, map[string]any{}, &found)
	return found.Data
}

// SimpleAt switches the simple receiver on at a path of the receiver of the test, and returns the id of its endpoint.
func SimpleAt(env *Env, path string, fields ...map[string]any) string {
	env.T.Helper()
	return *SetSimple(env, true, append(fields, map[string]any{"rawNotificationUrl": env.Receiver().URL(path)})...).EndpointID
}
