package kit

import (
	"maps"

	"github.com/redline-svc/redline/tests/kit/client"
)

func Change(env *Env, endpointID string, fields map[string]any) EndpointView {
	env.T.Helper()
	data := Of(endpointID)
	maps.Copy(data, fields)
	var changed client.Wrapped[EndpointView]
	env.Call(client.UpdateEndpoint, data, &changed)
	return changed.Data
}

func SecretOf(env *Env, endpointID string) string {
	env.T.Helper()
	var found client.Wrapped[struct{ EndpointID, Secret string }]
	env.Call(client.EndpointSecret, Of(endpointID), &found)
	return found.Data.Secret
}

func IdsOf(page endpointPage) []string {
	ids := []string{}
	for _, e := range page.Endpoints {
		ids = append(ids, e.ID)
	}
	return ids
}
