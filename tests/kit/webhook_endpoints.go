package kit

import (
	"fmt"
	"maps"

	"github.com/redline-svc/redline/tests/kit/client"
)

// EndpointView is an endpoint as the operations show it.
type EndpointView struct {
	ID          string            `json:"id"`
	URL         string            `json:"url"`
	Description *string           `json:"description"`
	FilterTypes []string          `json:"filterTypes"`
	Channels    []string          `json:"channels"`
	Disabled    bool              `json:"disabled"`
	RateLimit   *int              `json:"rateLimit"`
	UID         *string           `json:"uid"`
	CreatedAt   string            `json:"createdAt"`
	UpdatedAt   string            `json:"updatedAt"`
	Metadata    map[string]string `json:"metadata"`
}

// EndpointPage is one page of the list of endpoints.
type EndpointPage struct {
	Endpoints    []EndpointView
	Iterator     *string
	PrevIterator *string
	Done         bool
}

// Hooked switches the webhooks of a workspace on and returns it.
func Hooked(env *Env) *Env {
	env.T.Helper()
	env.Call(client.SetHooks, map[string]any{"isEnabled": true}, nil)
	return env
}

// Endpoint makes an endpoint; changes are its further fields.
func Endpoint(env *Env, url string, changes ...map[string]any) EndpointView {
	env.T.Helper()
	data := map[string]any{"url": url}
	for _, change := range changes {
		maps.Copy(data, change)
	}
	var made client.Wrapped[EndpointView]
	env.Call(client.CreateEndpoint, data, &made)
	return made.Data
}

// Endpoints returns the page of endpoints that data asks for.
func Endpoints(env *Env, data map[string]any) EndpointPage {
	env.T.Helper()
	var page client.Wrapped[EndpointPage]
	env.Call(client.ListEndpoints, data, &page)
	return page.Data
}

// Of returns the data of a request about an endpoint.
func Of(endpointID string) map[string]any { return map[string]any{"endpointId": endpointID} }

// Somewhere is an address that an endpoint may have and that is never called.
const Somewhere = "https://hooks.example.com/told"

// HooksView is how webhooks are set up in a workspace.
type HooksView struct {
	IsEnabled, EncryptData, EncodeData, EnableDataProtection bool
	PublicKey                                                string
}

// Hooks returns how webhooks are set up in the workspace.
func Hooks(env *Env) HooksView {
	env.T.Helper()
	var found client.Wrapped[HooksView]
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
