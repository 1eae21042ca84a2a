package api_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestDomainsAdd_1to3and5_WhatIsThereIsSkipped(t *testing.T) {
	env := newWorkspace(t)
	require.Equal(t, []string{}, kit.Allowed(t, env.Keyed), "never set")
	first := kit.Allow(env, "scheme://www.Example.com:443/app?q#f", "b.example.", "example.com", "Bücher.example", "xn--bcher-kva.example", "127.0.0.1:3000", "LOCALHOST")
	require.Equal(t, []string{"example.com", "b.example", "xn--bcher-kva.example", "127.0.0.1", "localhost"}, first.DomainsAdded, "in the order of the request")
	require.Equal(t, []string{"example.com", "xn--bcher-kva.example"}, first.SkippedDomains, "named twice: once added, once skipped")
	again := kit.Allow(env, "https://example.com", "c.example")
	require.Equal(t, redline.AddedDomains{DomainsAdded: []string{"c.example"}, SkippedDomains: []string{"example.com"}}, again)
	none := kit.Allow(env, "www.c.example")
	require.Equal(t, redline.AddedDomains{DomainsAdded: []string{}, SkippedDomains: []string{"c.example"}}, none, "the call succeeds all the same")
	want := slices.Concat(first.DomainsAdded, []string{"c.example"})
	require.Equal(t, want, kit.Allowed(t, env.Keyed), "in order of adding, bare and normal")
	require.Equal(t, want, kit.Tokens(env, env.Workspace.APIKey)[0].Domains)
}

func TestDomainsAdd_4_OneBadEntryRefusesTheCall(t *testing.T) {
	env := newWorkspace(t)
	failure := kit.Declined(t, env.Keyed, client.AddDomains, kit.Domains("ok.example", "*", "*.co.uk", "me@x.example", "a.*.example.com", "*.example.co.uk", "intranet", " x.example"), "INVALID_ARGUMENT", "")
	var paths []string
	for _, issue := range failure.Issues {
		paths = append(paths, strings.Join(issue.Path, "."))
	}
	require.Equal(t, []string{"domains.1", "domains.2", "domains.3", "domains.4", "domains.6", "domains.7"}, paths)
	many := append(kit.Hundred(0), "one.example.com")
	for _, faulty := range []any{[]string{}, many, "ok.example", []any{7}, []string{""}, []string{strings.Repeat("a.", 149) + "com"}, nil} {
		for _, operation := range []string{client.AddDomains, client.DeleteDomains} {
			kit.Declined(t, env.Keyed, operation, map[string]any{"domains": faulty}, "INVALID_ARGUMENT", "")
		}
	}
	kit.Declined(t, env.Keyed, client.DeleteDomains, kit.Domains("ok.example", "*"), "INVALID_ARGUMENT", "")
	require.Empty(t, kit.Allowed(t, env.Keyed), "nothing is added")
	require.Equal(t, []string{"*.example.co.uk"}, kit.Allow(env, "*.Example.co.uk").DomainsAdded)
}

func TestDomainsAdd_6_ParallelAddsLoseNothing(t *testing.T) {
	env := newWorkspace(t)
	const calls = 8
	added := make([]redline.AddedDomains, calls)
	kit.Concurrently(calls, func(i int) {
		answer, err := client.Call[redline.AddedDomainsResult](env.Ctx, env.Keyed, client.AddDomains, kit.Domains("shared.example.com", fmt.Sprintf("own%d.example.com", i)))
		if kit.NoError(t, err) {
			added[i] = answer.Data
		}
	})
	shared := 0
	for i, one := range added {
		assert.Contains(t, one.DomainsAdded, fmt.Sprintf("own%d.example.com", i))
		shared += len(one.DomainsAdded) - 1
	}
	require.Equal(t, 1, shared, "one of them added what all of them named")
	require.Len(t, kit.Allowed(t, env.Keyed), calls+1)
}

func TestDomainsGet_3_AThousandAreOneAnswerAndTheLimit(t *testing.T) {
	env := newWorkspace(t)
	var want []string
	for n := range 10 {
		kit.Allow(env, kit.Hundred(n)...)
		want = append(want, kit.Hundred(n)...)
	}
	require.Equal(t, want, kit.Allowed(t, env.Keyed))
	failure := kit.Declined(t, env.Keyed, client.AddDomains, kit.Domains("d0-0.example.com", "more.example.com"), "RESOURCE_EXHAUSTED", "domain-quota")
	require.Zero(t, failure.RetryAfter, "time does not lift it")
	require.Equal(t, want, kit.Allowed(t, env.Keyed), "nothing is added")
	require.Empty(t, kit.Allow(env, "d0-0.example.com").DomainsAdded, "what is there may be named")
	kit.Asked[redline.RemovedDomains](t, env.Keyed, client.DeleteDomains, kit.Domains("d0-0.example.com"))
	require.Len(t, kit.Allow(env, "more.example.com").DomainsAdded, 1)
}

// A page may call as soon as its domain is in the list, whichever process it asks, and
// no longer once it is not.
func TestBrowsers_TheListOfTheKeyDecidesAtOnce(t *testing.T) {
	switchedOff := newWorkspace(t)
	env := beside(switchedOff, "REDLINE_CORS_ENABLED=true")
	other := beside(switchedOff, "REDLINE_CORS_ENABLED=true").Keyed
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
		require.Equal(t, "PERMISSION_DENIED origin-not-allowed", string(failure.Status)+" "+string(failure.Reason))
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
	kit.Asked[redline.RemovedDomains](t, env.Keyed, client.DeleteDomains, kit.Domains("https://App.example.com"))
	refused(page)
	require.Equal(t, []string{"*.pages.example.com", "127.0.0.1"}, kit.Allowed(t, other), "who comes from no page is not judged")

	for path, code := range map[string]int{"/v2/" + client.GetDomains: http.StatusNoContent, "/v2/workspace/domains/none": http.StatusNotFound} {
		reply, err := client.Public(other.BaseURL).Do(t.Context(), http.MethodOptions, path, nil, map[string]string{"origin": "https://evil.example"})
		require.NoError(t, err)
		require.Equal(t, code, reply.HTTP, path)
		require.Equal(t, code == http.StatusNoContent, reply.Header.Get("access-control-allow-origin") == "*", "a preflight carries no key")
	}
	off := switchedOff.Keyed
	reply := call(off, page)
	require.Equal(t, http.StatusOK, reply.HTTP, "switched off, no page is judged")
	require.Empty(t, reply.Header.Get("access-control-allow-origin"))
	reply, err := off.Do(t.Context(), http.MethodOptions, "/v2/"+client.GetDomains, nil, map[string]string{"origin": page})
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, reply.HTTP)
}

func TestDomainsDelete_1to4_OnlyWhatIsNamedGoes(t *testing.T) {
	env := newWorkspace(t)
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
	for _, row := range operate(env).Audits(env.Workspace.ID, "") {
		if operation, found := strings.CutPrefix(row.Operation, "/v2/workspace/domains/"); found {
			got = append([]line{{operation, row.Actor, row.TargetID, strings.Join(row.ChangedFields, ",")}}, got...)
		}
	}
	key := env.Workspace.APIKey
	require.Equal(t, []line{{"add", key, key, "allowedDomains"}, {"delete", key, key, "allowedDomains"}, {"delete", key, key, "allowedDomains"}}, got)
}
