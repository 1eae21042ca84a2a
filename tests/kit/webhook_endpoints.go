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

type endpointPage struct {
	Endpoints    []EndpointView
	Iterator     *string
	PrevIterator *string
	Done         bool
}

// Hooked switches webhooks on.
func Hooked(env *Env) *Env {
	env.T.Helper()
	env.Call(client.SetHooks, map[string]any{"isEnabled": true}, nil)
	return env
}

// Endpoint makes one; changes are its further fields.
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

func Endpoints(env *Env, data map[string]any) endpointPage {
	env.T.Helper()
	var page client.Wrapped[endpointPage]
	env.Call(client.ListEndpoints, data, &page)
	return page.Data
}

func Of(endpointID string) map[string]any { return map[string]any{"endpointId": endpointID} }

// Somewhere is an address that may be told and is never called in these tests.
const Somewhere = "https://hooks.example.com/told"

type HooksView struct {
	IsEnabled, EncryptData, EncodeData, EnableDataProtection bool
	PublicKey                                                string
}

func Hooks(env *Env) HooksView {
	env.T.Helper()
	var found client.Wrapped[HooksView]
	env.Call(client.GetHooks, map[string]any{}, &found)
	return found.Data
}

func Many(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("t%d", i)
	}
	return list
}

func Numbered(n int) map[string]any {
	found := map[string]any{}
	for _, name := range Many(n) {
		found[name] = "x"
	}
	return found
}
