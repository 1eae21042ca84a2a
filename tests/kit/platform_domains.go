package kit

import (
	"fmt"
	"testing"

	"github.com/redline-svc/redline/tests/kit/client"
)

type DomainsView struct{ DomainsAdded, DomainsRemoved, SkippedDomains, AllowedDomains []string }

func Domains(names ...string) map[string]any { return map[string]any{"domains": names} }

// Allow adds domains to the list of the test's key.
func Allow(env *Env, names ...string) DomainsView {
	env.T.Helper()
	return Asked[DomainsView](env.T, env.Keyed, client.AddDomains, Domains(names...))
}

// Allowed is the list of a key.
func Allowed(t *testing.T, key *client.Session) []string {
	t.Helper()
	return Asked[DomainsView](t, key, client.GetDomains, map[string]any{}).AllowedDomains
}

// Hundred are domains that belong to a number.
func Hundred(n int) []string {
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("d%d-%d.example.com", n, i)
	}
	return names
}
