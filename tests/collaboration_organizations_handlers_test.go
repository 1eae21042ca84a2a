package tests

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestOrganizations_AreAddedReadAndChanged(t *testing.T) {
	s := begin(t)
	own := json.RawMessage(`{"n":12345678901234567890,"f":0.1000}`)
	added := s.items(addOrganizations, organization("acme", map[string]any{
		"organizationName": "Acme", "accessType": "restricted", "own": own, "absent": nil, "createdAt": 7,
	}))
	require.Regexp(t, "^[0-9a-f]{32}$", added["acme"].ID)
	first := s.oneOrganization("acme")
	require.Equal(t, []any{"acme", "Acme", "restricted", string(own)}, []any{first.ID, first.OrganizationName, *first.AccessType, string(first.Own)})
	require.NotEqual(t, int64(7), first.CreatedAt)
	require.Equal(t, first.CreatedAt, first.LastUpdated)

	again := s.items(addOrganizations, organization("acme", map[string]any{"organizationName": "Other", "own": 1}))
	require.Equal(t, itemView{ID: added["acme"].ID, Code: "already-exists", Message: again["acme"].Message}, again["acme"])
	require.Equal(t, first, s.oneOrganization("acme"), "it stays as it is")

	updated := s.items(updateOrganizations, map[string]any{"organizations": []any{
		map[string]any{"organizationId": "acme", "organizationName": "Acme Ltd"}, map[string]any{"organizationId": "nobody"},
	}})
	require.Equal(t, map[string]string{"acme": "", "nobody": "not-found"}, codesOf(updated))
	second := s.oneOrganization("acme")
	require.Equal(t, []any{"Acme Ltd", "restricted", string(own)}, []any{second.OrganizationName, *second.AccessType, string(second.Own)})
	require.Equal(t, first.CreatedAt, second.CreatedAt)
	require.GreaterOrEqual(t, second.LastUpdated, first.LastUpdated)
	s.items(updateOrganizations, organization("acme", map[string]any{"organizationName": nil, "accessType": nil, "own": nil}))
	third := s.oneOrganization("acme")
	require.Equal(t, []any{"acme", true, true}, []any{third.OrganizationName, third.AccessType == nil, third.Own == nil}, "null clears")
}

func TestOrganizations_WhatIsRefused(t *testing.T) {
	s := begin(t)
	hundred := make([]string, 101)
	for i := range hundred {
		hundred[i] = fmt.Sprint("o", i)
	}
	for _, operation := range []string{addOrganizations, updateOrganizations} {
		s.refusedAs("INVALID_ARGUMENT", operation, organizations())
		s.refusedAs("INVALID_ARGUMENT", operation, organizations(hundred...))
		require.Equal(t, []string{"organizations", "2", "organizationId"},
			s.refusedAs("INVALID_ARGUMENT", operation, organizations("a", "b", "a")).Issues[0].Path)
		for _, fields := range []map[string]any{
			{"organizationName": strings.Repeat("x", 201)}, {"accessType": "open"}, {"own": strings.Repeat("x", 8<<10)}, {"own": "a\x00"}, {"organizationId": ""},
		} {
			s.refusedAs("INVALID_ARGUMENT", operation, organization("a", fields))
		}
	}
	s.refusedAs("INVALID_ARGUMENT", deleteOrganizations, map[string]any{"organizationIds": hundred})
	s.refusedAs("INVALID_ARGUMENT", getOrganizations, map[string]any{"organizationIds": hundred[:31]})
	require.Empty(t, s.walked(getOrganizations, map[string]any{}), "nothing was made")

	require.Len(t, s.items(addOrganizations, organizations(hundred[:100]...)), 100)
	half := strings.Repeat("x", 5<<10)
	s.items(updateOrganizations, organization("o1", map[string]any{"own": half}))
	s.refusedAs("INVALID_ARGUMENT", updateOrganizations, map[string]any{"organizations": []any{
		map[string]any{"organizationId": "o0", "own": 1}, map[string]any{"organizationId": "o1", "more": half},
	}})
	require.Nil(t, s.oneOrganization("o0").Own, "a refused call changes nothing")
}

func TestOrganizations_1_TwoConcurrentAdds(t *testing.T) {
	s := begin(t)
	for round := range 10 {
		forth := []string{fmt.Sprint("a", round), fmt.Sprint("b", round)}
		calls := []map[string]any{organizations(forth...), organizations(forth[1], forth[0])}
		answers := make([]itemsView, len(calls))
		together(len(calls), func(i int) {
			var err error
			answers[i], err = client.Call[itemsView](s.ctx, s.keyed, addOrganizations, calls[i])
			fine(t, err)
		})
		for _, id := range forth {
			codes := []string{answers[0].Data[id].Code, answers[1].Data[id].Code}
			require.ElementsMatch(t, []string{"", "already-exists"}, codes, id)
		}
	}
}

func TestOrganizations_5_AnotherWorkspacesWithTheSameId(t *testing.T) {
	s := begin(t)
	other := s.elsewhere()
	ids := append([]string{strings.Repeat("🧑‍🚀", 66)}, oddIDs...)
	for _, of := range []*scene{s, other} {
		require.Len(t, of.items(addOrganizations, organizations(ids...)), len(ids))
		of.annotate(made("d", annotated("a", wrote("ann", "a"))))
	}
	require.Equal(t, "already-exists", s.items(addOrganizations, organizations("a/b"))["a/b"].Code)
	s.items(updateOrganizations, organization("a/b", map[string]any{"organizationName": "Mine"}))
	require.Equal(t, "a/b", other.oneOrganization("a/b").OrganizationName)
	for id, entry := range s.items(deleteOrganizations, map[string]any{"organizationIds": append([]string{"acme"}, ids...)}) {
		require.True(t, entry.Success, id)
	}
	require.Empty(t, s.walked(getOrganizations, map[string]any{}))
	require.ElementsMatch(t, append([]string{"acme"}, ids...), idsIn(other.walked(getOrganizations, map[string]any{"pageSize": 5})))
	require.Equal(t, [2]int{1, 1}, other.counts("bob", "d")["d"])
}

func TestOrganizationsGet_PagesAndTokens(t *testing.T) {
	s := begin(t)
	var want []string
	for i := range 12 {
		id := fmt.Sprintf("o%02d", i)
		s.items(addOrganizations, organizations(id))
		want = append([]string{id}, want...)
	}
	require.Equal(t, want, idsIn(s.walked(getOrganizations, map[string]any{"pageSize": 5})), "newest first, each once")
	some := []string{"o03", "o09", "unknown", "o05"}
	require.Equal(t, []string{"o09", "o05", "o03"}, idsIn(s.walked(getOrganizations, map[string]any{"organizationIds": some, "pageSize": 1})))
	token := s.paged(getOrganizations, map[string]any{"pageSize": 5}).NextPageToken
	s.refusedAs("INVALID_ARGUMENT", getOrganizations, map[string]any{"organizationIds": some, "pageToken": token})
	s.refusedAs("INVALID_ARGUMENT", getOrganizations, map[string]any{"pageToken": token + "A"})
	s.elsewhere().refusedAs("INVALID_ARGUMENT", getOrganizations, map[string]any{"pageToken": token})
	s.refusedAs("INVALID_ARGUMENT", getDocuments, map[string]any{"organizationId": "o01", "pageToken": token})
	s.refusedAs("INVALID_ARGUMENT", getOrganizations, map[string]any{"pageSize": 1001})

	s.call(updateSettings, map[string]any{"enableAdvancedQueries": false}, nil)
	for operation, data := range map[string]map[string]any{getOrganizations: {}, getDocuments: {"organizationId": "o01"}} {
		require.Equal(t, "advanced-queries-disabled", s.refusedAs("FAILED_PRECONDITION", operation, data).Reason)
		data["pageToken"] = "none"
		s.refusedAs("INVALID_ARGUMENT", operation, data)
	}
}
