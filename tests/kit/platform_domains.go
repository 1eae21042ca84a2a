package kit

import (
	"fmt"
	"testing"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// Domains returns the data of a request about these domains.
func Domains(names ...string) map[string]any { return map[string]any{"domains": names} }

// Allow adds domains to the list of the test's key and returns the answer.
func Allow(env *Env, names ...string) redline.AddedDomains {
	env.T.Helper()
	return Asked[redline.AddedDomains](env.T, env.Keyed, client.AddDomains, Domains(names...))
}

// Allowed returns the domains on the list of a key.
func Allowed(t *testing.T, key *client.Session) []string {
	t.Helper()
	return Asked[redline.AllowedDomains](t, key, client.GetDomains, map[string]any{}).AllowedDomains
}

// Hundred returns a hundred domains that belong to a number and to no other.
func Hundred(n int) []string {
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("d%d-%d.example.com", n, i)
	}
	return names
}
