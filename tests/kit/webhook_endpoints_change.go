package kit

import (
	"maps"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Change sets fields of an endpoint and returns it.
func Change(env *Env, endpointID string, fields map[string]any) redline.Endpoint {
	env.T.Helper()
	data := Of(endpointID)
	maps.Copy(data, fields)
	var changed redline.EndpointResult
	env.Call(client.UpdateEndpoint, data, &changed)
	return changed.Data
}

// SecretOf returns the secret of an endpoint.
func SecretOf(env *Env, endpointID string) string {
	env.T.Helper()
	var found redline.EndpointSecretResult
	env.Call(client.EndpointSecret, Of(endpointID), &found)
	return found.Data.Secret
}

// IDsOf returns the ids of the endpoints of a page, in their order.
func IDsOf(page redline.EndpointList) []string {
	ids := []string{}
	for _, e := range page.Endpoints {
		ids = append(ids, e.ID)
	}
	return ids
}
