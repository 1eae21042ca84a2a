package platform

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestDomainsDelete_1to4_OnlyWhatIsNamedGoes(t *testing.T) {
	env := kit.NewWorkspace(t)
	made := kit.NewKey(env, map[string]any{"allowedDomains": []string{"example.com", "*.example.com"}})
	second := kit.KeySession(env.Keyed, made.APIKey, *made.AuthToken)
	kit.Allow(env, "example.com", "*.example.com", "xn--bcher-kva.example", "a.example")
	removed := kit.Asked[kit.DomainsView](t, env.Keyed, client.DeleteDomains, kit.Domains("absent.example", "HTTPS://www.Bücher.example:8443/x", "*.example.com", "*.example.com"))
	require.Equal(t, kit.DomainsView{
		DomainsRemoved: []string{"xn--bcher-kva.example", "*.example.com"}, SkippedDomains: []string{"absent.example", "*.example.com"},
	}, removed)
	require.Equal(t, []string{"example.com", "a.example"}, kit.Allowed(t, env.Keyed))
	none := kit.Asked[kit.DomainsView](t, env.Keyed, client.DeleteDomains, kit.Domains("absent.example"))
	require.Equal(t, kit.DomainsView{DomainsRemoved: []string{}, SkippedDomains: []string{"absent.example"}}, none)
	require.Equal(t, []string{"example.com", "*.example.com"}, kit.Allowed(t, second), "the lists of other keys stay")
	other := kit.Elsewhere(env)
	kit.Allow(other, "example.com")
	require.Equal(t, []string{"example.com", "a.example"}, kit.Allowed(t, env.Keyed))
	kit.Asked[kit.DomainsView](t, other.Keyed, client.DeleteDomains, kit.Domains("example.com", "a.example"))
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

// A page may call as soon as its domain is in the list, whichever process it asks, and
// no longer once it is not.
func TestBrowsers_TheListOfTheKeyDecidesAtOnce(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("api", "REDLINE_CORS_ENABLED=true"))
	other := env.Keyed.At(isolated.StartProcess("api", "REDLINE_CORS_ENABLED=true").URL)
	const page = "https://www.app.example.com:8443"
	call := func(session *client.Session, origin string) *client.Reply {
		reply, err := session.Send(t.Context(), "/v2/"+client.GetDomains, []byte(`{"data":{}}`), map[string]string{"origin": origin})
		require.NoError(t, err)
		require.Empty(t, reply.Header.Get("access-control-allow-credentials"))
		return reply
	}
	refused := func(origin string) {
		t.Helper()
		reply := call(other, origin)
		failure := reply.Failure()
		require.NotNil(t, failure, "%s: %s", origin, reply.Body)
		require.Equal(t, "PERMISSION_DENIED origin-not-allowed", failure.Status+" "+failure.Reason)
		require.Empty(t, reply.Header.Get("access-control-allow-origin"))
	}
	passes := func(origin string) {
		t.Helper()
		reply := call(other, origin)
		require.Equal(t, http.StatusOK, reply.HTTP, "%s", reply.Body)
		require.Equal(t, origin, reply.Header.Get("access-control-allow-origin"))
	}
	refused(page)
	kit.Allow(env, "app.example.com", "*.pages.example.com", "127.0.0.1")
	passes(page)
	passes("http://127.0.0.1:3000")
	passes("https://any.depth.pages.example.com")
	refused("https://pages.example.com")
	refused("https://app.example.com.evil.example")
	refused("null")
	kit.Asked[kit.DomainsView](t, env.Keyed, client.DeleteDomains, kit.Domains("https://App.example.com"))
	refused(page)
	require.Equal(t, []string{"*.pages.example.com", "127.0.0.1"}, kit.Allowed(t, other), "who comes from no page is not judged")

	for path, code := range map[string]int{"/v2/" + client.GetDomains: http.StatusNoContent, "/v2/workspace/domains/none": http.StatusNotFound} {
		reply, err := client.Public(other.BaseURL).Do(t.Context(), http.MethodOptions, path, nil, map[string]string{"origin": "https://evil.example"})
		require.NoError(t, err)
		require.Equal(t, code, reply.HTTP, path)
		require.Equal(t, code == http.StatusNoContent, reply.Header.Get("access-control-allow-origin") == "*", "a preflight carries no key")
	}
	off := env.Keyed.At(isolated.StartProcess("api").URL)
	reply := call(off, page)
	require.Equal(t, http.StatusOK, reply.HTTP, "switched off, no page is judged")
	require.Empty(t, reply.Header.Get("access-control-allow-origin"))
	reply, err := off.Do(t.Context(), http.MethodOptions, "/v2/"+client.GetDomains, nil, map[string]string{"origin": page})
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, reply.HTTP)
}
