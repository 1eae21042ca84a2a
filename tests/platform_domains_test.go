package tests

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

const (
	addDomains    = "workspace/domains/add"
	deleteDomains = "workspace/domains/delete"
	getDomains    = "workspace/domains/get"
)

type domainsView struct{ DomainsAdded, DomainsRemoved, SkippedDomains, AllowedDomains []string }

func domains(names ...string) map[string]any { return map[string]any{"domains": names} }

// allow adds domains to the list of the scene's key.
func (s *scene) allow(names ...string) domainsView {
	s.t.Helper()
	return asked[domainsView](s.t, s.keyed, addDomains, domains(names...))
}

// allowed is the list of a key.
func allowed(t *testing.T, key *client.Session) []string {
	t.Helper()
	return asked[domainsView](t, key, getDomains, map[string]any{}).AllowedDomains
}

// hundred are domains that belong to a number.
func hundred(n int) []string {
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprintf("d%d-%d.example.com", n, i)
	}
	return names
}

func TestDomainsDelete_1to4_OnlyWhatIsNamedGoes(t *testing.T) {
	s := begin(t)
	made := s.newKey(map[string]any{"allowedDomains": []string{"example.com", "*.example.com"}})
	second := keySession(s.keyed, made.APIKey, *made.AuthToken)
	s.allow("example.com", "*.example.com", "xn--bcher-kva.example", "a.example")
	removed := asked[domainsView](t, s.keyed, deleteDomains, domains("absent.example", "HTTPS://www.Bücher.example:8443/x", "*.example.com", "*.example.com"))
	require.Equal(t, domainsView{
		DomainsRemoved: []string{"xn--bcher-kva.example", "*.example.com"}, SkippedDomains: []string{"absent.example", "*.example.com"},
	}, removed)
	require.Equal(t, []string{"example.com", "a.example"}, allowed(t, s.keyed))
	none := asked[domainsView](t, s.keyed, deleteDomains, domains("absent.example"))
	require.Equal(t, domainsView{DomainsRemoved: []string{}, SkippedDomains: []string{"absent.example"}}, none)
	require.Equal(t, []string{"example.com", "*.example.com"}, allowed(t, second), "the lists of other keys stay")
	other := s.elsewhere()
	other.allow("example.com")
	require.Equal(t, []string{"example.com", "a.example"}, allowed(t, s.keyed))
	asked[domainsView](t, other.keyed, deleteDomains, domains("example.com", "a.example"))
	require.Equal(t, []string{"example.com", "a.example"}, allowed(t, s.keyed), "another workspace's are not named so")
	declined(t, s.owner, getDomains, map[string]any{}, "UNAUTHENTICATED", "")
	declined(t, s.keyed, getDomains, nil, "INVALID_ARGUMENT", "")

	type line struct{ operation, actor, target, fields string }
	var got []line
	for _, row := range audited(t, operate(t, "audit", "--json", "--workspace", s.workspace.ID)) {
		if operation, found := strings.CutPrefix(row.Operation, "/v2/workspace/domains/"); found {
			got = append([]line{{operation, row.Actor, row.TargetID, strings.Join(row.ChangedFields, ",")}}, got...)
		}
	}
	key := s.workspace.APIKey
	require.Equal(t, []line{{"add", key, key, "allowedDomains"}, {"delete", key, key, "allowedDomains"}, {"delete", key, key, "allowedDomains"}}, got)
}

// A page may call as soon as its domain is in the list, whichever process it asks, and
// no longer once it is not.
func TestBrowsers_TheListOfTheKeyDecidesAtOnce(t *testing.T) {
	l := newLab(t)
	s := l.begin(l.start("api", "REDLINE_CORS_ENABLED=true"))
	other := s.keyed.At(l.start("api", "REDLINE_CORS_ENABLED=true").URL)
	const page = "https://www.app.example.com:8443"
	call := func(session *client.Session, origin string) *client.Reply {
		reply, err := session.Send(t.Context(), "/v2/"+getDomains, []byte(`{"data":{}}`), map[string]string{"origin": origin})
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
	s.allow("app.example.com", "*.pages.example.com", "127.0.0.1")
	passes(page)
	passes("http://127.0.0.1:3000")
	passes("https://any.depth.pages.example.com")
	refused("https://pages.example.com")
	refused("https://app.example.com.evil.example")
	refused("null")
	asked[domainsView](t, s.keyed, deleteDomains, domains("https://App.example.com"))
	refused(page)
	require.Equal(t, []string{"*.pages.example.com", "127.0.0.1"}, allowed(t, other), "who comes from no page is not judged")

	for path, code := range map[string]int{"/v2/" + getDomains: http.StatusNoContent, "/v2/workspace/domains/none": http.StatusNotFound} {
		reply, err := client.Public(other.BaseURL).Do(t.Context(), http.MethodOptions, path, nil, map[string]string{"origin": "https://evil.example"})
		require.NoError(t, err)
		require.Equal(t, code, reply.HTTP, path)
		require.Equal(t, code == http.StatusNoContent, reply.Header.Get("access-control-allow-origin") == "*", "a preflight carries no key")
	}
	off := s.keyed.At(l.start("api").URL)
	reply := call(off, page)
	require.Equal(t, http.StatusOK, reply.HTTP, "switched off, no page is judged")
	require.Empty(t, reply.Header.Get("access-control-allow-origin"))
	reply, err := off.Do(t.Context(), http.MethodOptions, "/v2/"+getDomains, nil, map[string]string{"origin": page})
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, reply.HTTP)
}
