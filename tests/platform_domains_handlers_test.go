package tests

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestDomainsAdd_1to3and5_WhatIsThereIsSkipped(t *testing.T) {
	s := begin(t)
	require.Equal(t, []string{}, allowed(t, s.keyed), "never set")
	first := s.allow("scheme://www.Example.com:443/app?q#f", "b.example.", "example.com", "Bücher.example", "xn--bcher-kva.example", "127.0.0.1:3000", "LOCALHOST")
	require.Equal(t, []string{"example.com", "b.example", "xn--bcher-kva.example", "127.0.0.1", "localhost"}, first.DomainsAdded, "in the order of the request")
	require.Equal(t, []string{"example.com", "xn--bcher-kva.example"}, first.SkippedDomains, "named twice: once added, once skipped")
	again := s.allow("https://example.com", "c.example")
	require.Equal(t, domainsView{DomainsAdded: []string{"c.example"}, SkippedDomains: []string{"example.com"}}, again)
	none := s.allow("www.c.example")
	require.Equal(t, domainsView{DomainsAdded: []string{}, SkippedDomains: []string{"c.example"}}, none, "the call succeeds all the same")
	want := slices.Concat(first.DomainsAdded, []string{"c.example"})
	require.Equal(t, want, allowed(t, s.keyed), "in order of adding, bare and normal")
	require.Equal(t, want, s.tokens(s.workspace.APIKey)[0].Domains)
}

func TestDomainsAdd_4_OneBadEntryRefusesTheCall(t *testing.T) {
	s := begin(t)
	failure := declined(t, s.keyed, addDomains, domains("ok.example", "*", "*.co.uk", "me@x.example", "a.*.example.com", "*.example.co.uk", "intranet", " x.example"), "INVALID_ARGUMENT", "")
	var paths []string
	for _, issue := range failure.Issues {
		paths = append(paths, strings.Join(issue.Path, "."))
	}
	require.Equal(t, []string{"domains.1", "domains.2", "domains.3", "domains.4", "domains.6", "domains.7"}, paths)
	many := append(hundred(0), "one.example.com")
	for _, faulty := range []any{[]string{}, many, "ok.example", []any{7}, []string{""}, []string{strings.Repeat("a.", 149) + "com"}, nil} {
		for _, operation := range []string{addDomains, deleteDomains} {
			declined(t, s.keyed, operation, map[string]any{"domains": faulty}, "INVALID_ARGUMENT", "")
		}
	}
	declined(t, s.keyed, deleteDomains, domains("ok.example", "*"), "INVALID_ARGUMENT", "")
	require.Empty(t, allowed(t, s.keyed), "nothing is added")
	require.Equal(t, []string{"*.example.co.uk"}, s.allow("*.Example.co.uk").DomainsAdded)
}

func TestDomainsAdd_6_ParallelAddsLoseNothing(t *testing.T) {
	s := begin(t)
	const calls = 8
	added := make([]domainsView, calls)
	together(calls, func(i int) {
		answer, err := client.Call[client.Wrapped[domainsView]](s.ctx, s.keyed, addDomains, domains("shared.example.com", fmt.Sprintf("own%d.example.com", i)))
		if fine(t, err) {
			added[i] = answer.Data
		}
	})
	shared := 0
	for i, one := range added {
		assert.Contains(t, one.DomainsAdded, fmt.Sprintf("own%d.example.com", i))
		shared += len(one.DomainsAdded) - 1
	}
	require.Equal(t, 1, shared, "one of them added what all of them named")
	require.Len(t, allowed(t, s.keyed), calls+1)
}

func TestDomainsGet_3_AThousandAreOneAnswerAndTheLimit(t *testing.T) {
	s := begin(t)
	var want []string
	for n := range 10 {
		s.allow(hundred(n)...)
		want = append(want, hundred(n)...)
	}
	require.Equal(t, want, allowed(t, s.keyed))
	failure := declined(t, s.keyed, addDomains, domains("d0-0.example.com", "more.example.com"), "RESOURCE_EXHAUSTED", "domain-quota")
	require.Empty(t, failure.Header.Get("retry-after"), "time does not lift it")
	require.Equal(t, want, allowed(t, s.keyed), "nothing is added")
	require.Empty(t, s.allow("d0-0.example.com").DomainsAdded, "what is there may be named")
	asked[domainsView](t, s.keyed, deleteDomains, domains("d0-0.example.com"))
	require.Len(t, s.allow("more.example.com").DomainsAdded, 1)
}
