package kit

import (
	"fmt"
	"maps"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Hooked switches the webhooks of a workspace on and returns it.
func Hooked(env *Env) *Env {
	env.T.Helper()
	env.Call(client.SetHooks, map[string]any{"isEnabled": true}, nil)
	return env
}

// Endpoint makes an endpoint; changes are its further fields.
func Endpoint(env *Env, url string, changes ...map[string]any) redline.Endpoint {
	env.T.Helper()
	data := map[string]any{"url": url}
	for _, change := range changes {
		maps.Copy(data, change)
	}
	var made redline.EndpointResult
	env.Call(client.CreateEndpoint, data, &made)
	return made.Data
}

// Endpoints returns the page of endpoints that data asks for.
func Endpoints(env *Env, data map[string]any) redline.EndpointList {
	env.T.Helper()
	var page redline.EndpointListResult
	env.Call(client.ListEndpoints, data, &page)
	return page.Data
}

// Of returns the data of a request about an endpoint.
func Of(endpointID string) map[string]any { return map[string]any{"endpointId": endpointID} }

// Somewhere is an address that an endpoint may have and that is never called.
const Somewhere = "https://hooks.example.com/told"

// Hooks returns how webhooks are set up in the workspace.
func Hooks(env *Env) redline.WebhookSettings {
	env.T.Helper()
	var found redline.WebhookSettingsResult
	env.Call(client.GetHooks, map[string]any{}, &found)
	return found.Data
}

// Many returns n words, each another.
func Many(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("t%d", i)
	}
	return list
}

// Numbered returns an object of n keys.
func Numbered(n int) map[string]any {
	found := map[string]any{}
	for _, name := range Many(n) {
		found[name] = "x"
	}
	return found
}
