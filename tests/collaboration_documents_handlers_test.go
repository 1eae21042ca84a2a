package tests

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestDocuments_AreAddedReadAndChanged(t *testing.T) {
	s := begin(t)
	s.refusedAs("NOT_FOUND", addDocuments, inAcme(map[string]any{"documents": []any{map[string]any{"documentId": "d"}}}))
	own := json.RawMessage(`{"n":12345678901234567890,"f":0.1000}`)
	fields := map[string]any{"documentName": "Spring", "own": own, "absent": nil, "folderId": "ignored", "lastUpdated": 7}
	added := s.items(addDocuments, document("d", fields))
	require.Regexp(t, "^[0-9a-f]{32}$", added["d"].ID)
	first := s.oneDocument("d")
	require.Equal(t, []any{"Spring", true, true, "public", string(own)},
		[]any{first.DocumentName, first.FolderID == nil, first.InheritAccess, *first.AccessType, string(first.Own)})
	require.Equal(t, first.CreatedAt, first.LastUpdated)

	again := s.items(addDocuments, document("d", map[string]any{"documentName": "Other"}))["d"]
	require.Equal(t, []any{added["d"].ID, "already-exists"}, []any{again.ID, again.Code})
	require.Equal(t, first, s.oneDocument("d"), "it stays as it is")

	change := documents("d", "nobody")
	change["documents"].([]map[string]any)[0]["accessType"] = "restricted"
	change["documents"].([]map[string]any)[0]["more"] = true
	require.Equal(t, map[string]string{"d": "", "nobody": "not-found"}, codesOf(s.items(updateDocuments, change)))
	second := s.oneDocument("d")
	require.Equal(t, []any{"Spring", "public", true, string(own)}, []any{second.DocumentName, *second.AccessType, second.InheritAccess, string(second.Own)},
		"access has an operation of its own")
	s.items(updateDocuments, document("d", map[string]any{"documentName": nil, "own": nil}))
	third := s.oneDocument("d")
	require.Equal(t, []any{"d", true}, []any{third.DocumentName, third.Own == nil}, "null clears")
	require.GreaterOrEqual(t, third.LastUpdated, first.LastUpdated)
	for _, operation := range []string{updateDocuments, addDocuments} {
		data := document("d", nil)
		data["organizationId"], data["createOrganization"] = "nowhere", false
		require.Equal(t, "organization", s.details(operation, data)["resource"])
	}
}

func TestDocuments_WhatIsRefused(t *testing.T) {
	s := begin(t)
	hundred := numberedIDs("d", 101)
	for _, operation := range []string{addDocuments, updateDocuments} {
		s.refusedAs("INVALID_ARGUMENT", operation, documents())
		s.refusedAs("INVALID_ARGUMENT", operation, documents(hundred...))
		require.Equal(t, []string{"documents", "1", "documentId"}, s.refusedAs("INVALID_ARGUMENT", operation, documents("a", "a")).Issues[0].Path)
		for _, fields := range []map[string]any{
			{"documentName": strings.Repeat("x", 501)}, {"own": strings.Repeat("x", 32<<10)}, {"own": "a\x00"}, {"documentId": "a\n"},
		} {
			s.refusedAs("INVALID_ARGUMENT", operation, document("a", fields))
		}
	}
	s.refusedAs("INVALID_ARGUMENT", addDocuments, document("a", map[string]any{"accessType": "open"}))
	s.refusedAs("INVALID_ARGUMENT", deleteDocuments, theseDocuments(hundred...))
	s.refusedAs("INVALID_ARGUMENT", getDocuments, theseDocuments(hundred[:31]...))
	s.refusedAs("INVALID_ARGUMENT", setAccess, theseDocuments("d"))
	s.refusedAs("INVALID_ARGUMENT", setAccess, inAcme(map[string]any{"documentIds": []string{"d"}, "accessType": "open"}))
	for _, data := range []map[string]any{
		theseDocuments("d"), inAcme(map[string]any{"folderId": "root"}),
		inAcme(map[string]any{"folderId": "root", "documentIds": hundred[:31]}), inAcme(map[string]any{"folderId": "root", "documentIds": []string{}}),
	} {
		s.refusedAs("INVALID_ARGUMENT", moveDocuments, data)
	}
	for _, operation := range []string{deleteDocuments, setAccess, moveDocuments} {
		data := theseDocuments("d")
		data["accessType"], data["folderId"] = "public", "root"
		require.Equal(t, map[string]any{"reason": "not-found", "resource": "organization", "id": "acme"}, s.details(operation, data))
	}
	require.Empty(t, s.paged(getDocuments, inAcme()).Data)
	require.Empty(t, s.walked(getOrganizations, map[string]any{}), "nothing was made")
	s.items(addDocuments, document("d", map[string]any{"own": strings.Repeat("x", 20<<10)}))
	s.refusedAs("INVALID_ARGUMENT", updateDocuments, document("d", map[string]any{"more": strings.Repeat("x", 20<<10)}))
}

func TestDocuments_1and6_ConcurrentAddsAndOneThatIsThere(t *testing.T) {
	s := begin(t)
	for round := range 10 {
		forth := numberedIDs(fmt.Sprint(round, "-"), 5)
		back := slices.Clone(forth)
		slices.Reverse(back)
		answers := make([]itemsView, 2)
		together(len(answers), func(i int) {
			var err error
			answers[i], err = client.Call[itemsView](s.ctx, s.keyed, addDocuments, documents([][]string{forth, back}[i]...))
			fine(t, err)
		})
		for _, id := range forth {
			require.ElementsMatch(t, []string{"", "already-exists"}, []string{answers[0].Data[id].Code, answers[1].Data[id].Code}, id)
		}
	}
	s.items(addDocuments, documents("new-050"))
	added := s.items(addDocuments, documents(numberedIDs("new-", 100)...))
	require.Len(t, added, 100)
	for id, entry := range added {
		require.Equal(t, id != "new-050", entry.Success, id)
	}
}

func TestDocuments_2_AccessActsAtOnce(t *testing.T) {
	s := begin(t)
	s.items("users/add", acme(nil, users("member")...))
	s.items(addDocuments, documents("d", "other"))
	require.True(t, s.mayWrite("member", "d"))
	set := func(access any) map[string]accessView {
		var result client.Wrapped[map[string]accessView]
		s.call(setAccess, inAcme(map[string]any{"documentIds": []string{"d", "unknown", "d"}, "accessType": access}), &result)
		require.Len(t, result.Data, 2)
		require.Equal(t, []any{false, "not-found", true},
			[]any{result.Data["unknown"].Success, result.Data["unknown"].Code, result.Data["unknown"].AccessType == nil})
		return result.Data
	}
	require.Equal(t, "restricted", *set("restricted")["d"].AccessType)
	require.False(t, s.mayWrite("member", "d"))
	require.True(t, s.mayWrite("member", "other"))
	require.Equal(t, [2]int{}, s.counts("member", "d")["d"])
	got := s.oneDocument("d")
	require.Equal(t, []any{"restricted", false}, []any{*got.AccessType, got.InheritAccess})
	s.items(updateOrganizations, organization("acme", map[string]any{"accessType": "organizationPrivate"}))
	require.Equal(t, "restricted", *s.oneDocument("d").AccessType)
	require.False(t, s.mayWrite("stranger", "other"), "what is set on the organization holds for the others")
	require.Nil(t, set(nil)["d"].AccessType)
	got = s.oneDocument("d")
	require.Equal(t, []any{"organizationPrivate", true}, []any{*got.AccessType, got.InheritAccess})
	require.Equal(t, []bool{true, false}, []bool{s.mayWrite("member", "d"), s.mayWrite("stranger", "d")})
}

func TestDocuments_3and5_TheSameIdElsewhereIsAnotherDocument(t *testing.T) {
	s := begin(t)
	stranger := s.elsewhere()
	ids := append([]string{strings.Repeat("🧑‍🚀", 66)}, oddIDs...)
	for _, of := range []*scene{s, stranger} {
		for _, organization := range []string{"acme", "other"} {
			data := documents(ids...)
			data["organizationId"] = organization
			for id, entry := range of.items(addDocuments, data) {
				require.True(t, entry.Success, id)
			}
		}
	}
	other := func(more map[string]any) map[string]any {
		data := inAcme(more)
		data["organizationId"] = "other"
		return data
	}
	s.items(updateDocuments, document("a/b", map[string]any{"documentName": "Acme's"}))
	s.call(setAccess, inAcme(map[string]any{"documentIds": []string{"a/b"}, "accessType": "restricted"}), nil)
	s.items("users/add", inAcme(map[string]any{"folderId": "f", "createFolder": true, "users": users("ann")}))
	s.call(moveDocuments, inAcme(map[string]any{"documentIds": []string{"a/b"}, "folderId": "f"}), nil)
	s.annotate(made("a/b", annotated("a", wrote("ann", "a"))))
	s.items("users/add", inAcme(map[string]any{"documentId": "a/b", "users": users("ann")}))
	require.Equal(t, [2]int{1, 0}, s.counts("ann", "a/b")["a/b"])
	theirs := s.paged(getDocuments, other(map[string]any{"documentIds": []string{"a/b"}})).Data[0]
	require.Equal(t, []any{"a/b", "public", true}, []any{theirs.DocumentName, *theirs.AccessType, theirs.FolderID == nil})
	require.Equal(t, "not-found", s.items("users/update", other(map[string]any{"documentId": "a/b", "users": users("ann")}))["ann"].Code)
	require.Len(t, s.items(deleteDocuments, theseDocuments(ids...)), len(ids))
	require.Empty(t, s.paged(getDocuments, inAcme()).Data)
	require.ElementsMatch(t, ids, idsIn(s.walked(getDocuments, other(map[string]any{"pageSize": 4}))))
	require.ElementsMatch(t, ids, idsIn(stranger.walked(getDocuments, inAcme())))
	require.Empty(t, s.paged(getDocuments, map[string]any{"organizationId": "unknown"}).Data)

	s.items(addDocuments, documents("mine"))
	require.Empty(t, stranger.paged(getDocuments, theseDocuments("mine")).Data, "another workspace's id is left out")
	require.Equal(t, "not-found", stranger.items(deleteDocuments, theseDocuments("mine"))["mine"].Code)
}

func TestDocumentsGet_PagesFoldersAndSizes(t *testing.T) {
	s := begin(t)
	inFolder := documents(numberedIDs("in", 7)...)
	inFolder["folderId"] = "f"
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "folder", "id": "f"}, s.details(addDocuments, inFolder))
	require.Empty(t, s.walked(getOrganizations, map[string]any{}), "a refused call makes no organization")
	inFolder["createFolder"] = true
	s.items(addDocuments, inFolder)
	var top []string
	for i := range 5 {
		id := fmt.Sprint("top", i)
		data := documents(id)
		data["folderId"] = []string{"root", "root"}[i%2]
		s.items(addDocuments, data)
		top = append([]string{id}, top...)
	}
	require.Equal(t, top, idsIn(s.walked(getDocuments, inAcme(map[string]any{"folderId": "root", "pageSize": 2}))), "newest first")
	inside := s.walked(getDocuments, inAcme(map[string]any{"folderId": "f", "pageSize": 3}))
	require.ElementsMatch(t, numberedIDs("in", 7), idsIn(inside))
	require.Equal(t, "f", *inside[0].FolderID)
	require.Equal(t, top, idsIn(s.walked(getDocuments, inAcme(map[string]any{"pageSize": 5})))[:5])
	require.Len(t, s.walked(getDocuments, inAcme()), 12)
	require.Empty(t, s.paged(getDocuments, inAcme(map[string]any{"folderId": "unknown"})).Data)
	require.Equal(t, []string{"in003"}, idsIn(s.paged(getDocuments, inAcme(map[string]any{"folderId": "f", "documentIds": []string{"in003", "top1"}})).Data))
	token := s.paged(getDocuments, inAcme(map[string]any{"pageSize": 2})).NextPageToken
	for _, other := range []map[string]any{{"folderId": "f"}, {"organizationId": "other"}, {"documentIds": []string{"top1"}}} {
		other["pageToken"] = token
		s.refusedAs("INVALID_ARGUMENT", getDocuments, inAcme(other))
	}
	large := json.RawMessage(`"` + strings.Repeat("x", 31<<10) + `"`)
	for i := range 10 {
		many := documents(numberedIDs(fmt.Sprint("large", i), 30)...)
		for _, one := range many["documents"].([]map[string]any) {
			one["own"] = large
		}
		s.items(addDocuments, many)
	}
	page := s.paged(getDocuments, inAcme())
	require.NotEmpty(t, page.NextPageToken, "a page ends at 8 MiB")
	require.InDelta(t, 264, len(page.Data), 4)
	require.Len(t, s.walked(getDocuments, inAcme()), 312)
}
