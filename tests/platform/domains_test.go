package platform

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestDomainsDelete_1to4_OnlyWhatIsNamedGoes(t *testing.T) {
	env := kit.NewWorkspace(t)
	made := kit.NewKey(env, map[string]any{"allowedDomains": []string{"example.com", "*.example.com"}})
	second := kit.KeySession(env.Keyed, made.APIKey, *made.AuthToken)
	kit.Allow(env, "example.com", "*.example.com", "xn--bcher-kva.example", "a.example")
	removed := kit.Asked[redline.RemovedDomains](t, env.Keyed, client.DeleteDomains, kit.Domains("absent.example", "HTTPS://www.Bücher.example:8443/x", "*.example.com", "*.example.com"))
	require.Equal(t, redline.RemovedDomains{
		DomainsRemoved: []string{"xn--bcher-kva.example", "*.example.com"}, SkippedDomains: []string{"absent.example", "*.example.com"},
	}, removed)
	require.Equal(t, []string{"example.com", "a.example"}, kit.Allowed(t, env.Keyed))
	none := kit.Asked[redline.RemovedDomains](t, env.Keyed, client.DeleteDomains, kit.Domains("absent.example"))
	require.Equal(t, redline.RemovedDomains{DomainsRemoved: []string{}, SkippedDomains: []string{"absent.example"}}, none)
	require.Equal(t, []string{"example.com", "*.example.com"}, kit.Allowed(t, second), "the lists of other keys stay")
	other := kit.Elsewhere(env)
	kit.Allow(other, "example.com")
	require.Equal(t, []string{"example.com", "a.example"}, kit.Allowed(t, env.Keyed))
	kit.Asked[redline.RemovedDomains](t, other.Keyed, client.DeleteDomains, kit.Domains("example.com", "a.example"))
	require.Equal(t, []string{"example.com", "a.example"}, kit.Allowed(t, env.Keyed), "another workspace's are not named so")
	kit.Declined(t, env.Owner, client.GetDomains, map[string]any{}, "UNAUTHENTICATED", "")
	kit.Declined(t, env.Keyed, client.GetDomains, nil, "INVALID_ARGUMENT", "")

	type line struct{ operation, actor, target, fields string }
	var got []line
	for _, row := range kit.Audited(t, kit.Operate(t, "audit", "--json", "--workspace", env.Workspace.ID)) {
		if operation, found := strings.CutPrefix(row.Operation, "/v2/workspace/domains/"); found {
			got = append([]line{{operation, row.Actor, row.TargetID, strings.Join(row.ChangedFields, ",")}}, got...)
		}
	}
	key := env.Workspace.APIKey
	require.Equal(t, []line{{"add", key, key, "allowedDomains"}, {"delete", key, key, "allowedDomains"}, {"delete", key, key, "allowedDomains"}}, got)
}
