package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestDocuments_AreAddedReadAndChanged(t *testing.T) {
	env := newWorkspace(t)
	env.RefusedAs("NOT_FOUND", client.AddDocuments, kit.InAcme(map[string]any{"documents": []any{map[string]any{"documentId": "d"}}}))
	own := json.RawMessage(`{"n":12345678901234567890,"f":0.1000}`)
	fields := map[string]any{"documentName": "Spring", "own": own, "absent": nil, "folderId": "ignored", "lastUpdated": 7}
	added := kit.Items(env, client.AddDocuments, kit.Document("d", fields))
	require.Regexp(t, "^[0-9a-f]{32}$", added["d"].ID)
	first := kit.OneDocument(env, "d")
	require.Equal(t, []any{"Spring", true, true, "public", string(own)},
		[]any{first.DocumentName, first.FolderID == nil, first.InheritAccess, *first.AccessType, string(first.Own)})
	require.Equal(t, first.CreatedAt, first.LastUpdated)

	again := kit.Items(env, client.AddDocuments, kit.Document("d", map[string]any{"documentName": "Other"}))["d"]
	require.Equal(t, []any{added["d"].ID, redline.ItemCodeAlreadyExists}, []any{again.ID, again.Code})
	require.Equal(t, first, kit.OneDocument(env, "d"), "it stays as it is")

	change := kit.Documents("d", "nobody")
	change["documents"].([]map[string]any)[0]["accessType"] = "restricted"
	change["documents"].([]map[string]any)[0]["more"] = true
	require.Equal(t, map[string]string{"d": "", "nobody": "not-found"}, kit.CodesOf(kit.Items(env, client.UpdateDocuments, change)))
	second := kit.OneDocument(env, "d")
	require.Equal(t, []any{"Spring", "public", true, string(own)}, []any{second.DocumentName, *second.AccessType, second.InheritAccess, string(second.Own)},
		"access has an operation of its own")
	kit.Items(env, client.UpdateDocuments, kit.Document("d", map[string]any{"documentName": nil, "own": nil}))
	third := kit.OneDocument(env, "d")
	require.Equal(t, []any{"d", true}, []any{third.DocumentName, third.Own == nil}, "null clears")
	require.GreaterOrEqual(t, third.LastUpdated, first.LastUpdated)
	for _, operation := range []string{client.UpdateDocuments, client.AddDocuments} {
		data := kit.Document("d", nil)
		data["organizationId"], data["createOrganization"] = "nowhere", false
		require.Equal(t, "organization", kit.Details(env, operation, data)["resource"])
	}
}

func TestDocuments_WhatIsRefused(t *testing.T) {
	env := newWorkspace(t)
	hundred := kit.NumberedIDs("d", 101)
	for _, operation := range []string{client.AddDocuments, client.UpdateDocuments} {
		env.RefusedAs("INVALID_ARGUMENT", operation, kit.Documents())
		env.RefusedAs("INVALID_ARGUMENT", operation, kit.Documents(hundred...))
		require.Equal(t, []string{"documents", "1", "documentId"}, env.RefusedAs("INVALID_ARGUMENT", operation, kit.Documents("a", "a")).Issues[0].Path)
		for _, fields := range []map[string]any{
			{"documentName": strings.Repeat("x", 501)}, {"own": strings.Repeat("x", 32<<10)}, {"own": "a\x00"}, {"documentId": "a\n"},
		} {
			env.RefusedAs("INVALID_ARGUMENT", operation, kit.Document("a", fields))
		}
	}
	env.RefusedAs("INVALID_ARGUMENT", client.AddDocuments, kit.Document("a", map[string]any{"accessType": "open"}))
	env.RefusedAs("INVALID_ARGUMENT", client.DeleteDocuments, kit.TheseDocuments(hundred...))
	env.RefusedAs("INVALID_ARGUMENT", client.GetDocuments, kit.TheseDocuments(hundred[:31]...))
	env.RefusedAs("INVALID_ARGUMENT", client.SetAccess, kit.TheseDocuments("d"))
	env.RefusedAs("INVALID_ARGUMENT", client.SetAccess, kit.InAcme(map[string]any{"documentIds": []string{"d"}, "accessType": "open"}))
	for _, data := range []map[string]any{
		kit.TheseDocuments("d"), kit.InAcme(map[string]any{"folderId": "root"}),
		kit.InAcme(map[string]any{"folderId": "root", "documentIds": hundred[:31]}), kit.InAcme(map[string]any{"folderId": "root", "documentIds": []string{}}),
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.MoveDocuments, data)
	}
	for operation, more := range map[string]map[string]any{
		client.DeleteDocuments: nil, client.SetAccess: {"accessType": "public"}, client.MoveDocuments: {"folderId": "root"},
	} {
		data := kit.With(kit.TheseDocuments("d"), more)
		require.Equal(t, map[string]any{"reason": "not-found", "resource": "organization", "id": "acme"}, kit.Details(env, operation, data))
	}
	require.Empty(t, kit.Paged(env, client.GetDocuments, kit.InAcme()).Data)
	require.Empty(t, kit.Walked(env, client.GetOrganizations, map[string]any{}), "nothing was made")
	kit.Items(env, client.AddDocuments, kit.Document("d", map[string]any{"own": strings.Repeat("x", 20<<10)}))
	env.RefusedAs("INVALID_ARGUMENT", client.UpdateDocuments, kit.Document("d", map[string]any{"more": strings.Repeat("x", 20<<10)}))
}

func TestDocuments_1and6_ConcurrentAddsAndOneThatIsThere(t *testing.T) {
	env := newWorkspace(t)
	for round := range 10 {
		forth := kit.NumberedIDs(fmt.Sprint(round, "-"), 5)
		back := slices.Clone(forth)
		slices.Reverse(back)
		answers := make([]redline.ItemByIDResult, 2)
		kit.Concurrently(len(answers), func(i int) {
			var err error
			answers[i], err = client.Call[redline.ItemByIDResult](env.Ctx, env.Keyed, client.AddDocuments, kit.Documents([][]string{forth, back}[i]...))
			kit.NoError(t, err)
		})
		for _, id := range forth {
			require.ElementsMatch(t, []string{"", "already-exists"}, []string{string(answers[0].Data[id].Code), string(answers[1].Data[id].Code)}, id)
		}
	}
	kit.Items(env, client.AddDocuments, kit.Documents("new-050"))
	added := kit.Items(env, client.AddDocuments, kit.Documents(kit.NumberedIDs("new-", 100)...))
	require.Len(t, added, 100)
	for id, entry := range added {
		require.Equal(t, id != "new-050", entry.Success, id)
	}
}

func TestDocuments_2_AccessActsAtOnce(t *testing.T) {
	env := newWorkspace(t)
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("member")...))
	kit.Items(env, client.AddDocuments, kit.Documents("d", "other"))
	require.True(t, kit.MayWrite(env, "member", "d"))
	set := func(access any) map[string]redline.DocumentAccess {
		var result redline.DocumentAccessByIDResult
		env.Call(client.SetAccess, kit.InAcme(map[string]any{"documentIds": []string{"d", "unknown", "d"}, "accessType": access}), &result)
		require.Len(t, result.Data, 2)
		require.Equal(t, []any{false, redline.DocumentAccessCodeNotFound, true},
			[]any{result.Data["unknown"].Success, result.Data["unknown"].Code, result.Data["unknown"].AccessType == nil})
		return result.Data
	}
	require.Equal(t, redline.DocumentAccessAccessTypeRestricted, *set("restricted")["d"].AccessType)
	require.False(t, kit.MayWrite(env, "member", "d"))
	require.True(t, kit.MayWrite(env, "member", "other"))
	require.Equal(t, [2]int{}, kit.Counts(env, "member", "d")["d"])
	got := kit.OneDocument(env, "d")
	require.Equal(t, []any{"restricted", false}, []any{*got.AccessType, got.InheritAccess})
	kit.Items(env, client.UpdateOrganizations, kit.Organization("acme", map[string]any{"accessType": "organizationPrivate"}))
	require.Equal(t, "restricted", *kit.OneDocument(env, "d").AccessType)
	require.False(t, kit.MayWrite(env, "stranger", "other"), "what is set on the organization holds for the others")
	require.Nil(t, set(nil)["d"].AccessType)
	got = kit.OneDocument(env, "d")
	require.Equal(t, []any{"organizationPrivate", true}, []any{*got.AccessType, got.InheritAccess})
	require.Equal(t, []bool{true, false}, []bool{kit.MayWrite(env, "member", "d"), kit.MayWrite(env, "stranger", "d")})
}

func TestDocuments_3and5_TheSameIdElsewhereIsAnotherDocument(t *testing.T) {
	env := newWorkspace(t)
	stranger := kit.Elsewhere(env)
	ids := append([]string{strings.Repeat("🧑‍🚀", 66)}, kit.OddIDs...)
	for _, of := range []*kit.Env{env, stranger} {
		for _, organization := range []string{"acme", "other"} {
			data := kit.Documents(ids...)
			data["organizationId"] = organization
			for id, entry := range kit.Items(of, client.AddDocuments, data) {
				require.True(t, entry.Success, id)
			}
		}
	}
	other := func(more map[string]any) map[string]any {
		data := kit.InAcme(more)
		data["organizationId"] = "other"
		return data
	}
	kit.Items(env, client.UpdateDocuments, kit.Document("a/b", map[string]any{"documentName": "Acme's"}))
	env.Call(client.SetAccess, kit.InAcme(map[string]any{"documentIds": []string{"a/b"}, "accessType": "restricted"}), nil)
	kit.Items(env, client.AddUsers, kit.InAcme(map[string]any{"folderId": "f", "createFolder": true, "users": kit.Users("ann")}))
	env.Call(client.MoveDocuments, kit.InAcme(map[string]any{"documentIds": []string{"a/b"}, "folderId": "f"}), nil)
	kit.Annotate(env, kit.Made("a/b", kit.Annotated("a", kit.Wrote("ann", "a"))))
	kit.Items(env, client.AddUsers, kit.InAcme(map[string]any{"documentId": "a/b", "users": kit.Users("ann")}))
	require.Equal(t, [2]int{1, 0}, kit.Counts(env, "ann", "a/b")["a/b"])
	theirs := kit.Paged(env, client.GetDocuments, other(map[string]any{"documentIds": []string{"a/b"}})).Data[0]
	require.Equal(t, []any{"a/b", "public", true}, []any{theirs.DocumentName, *theirs.AccessType, theirs.FolderID == nil})
	require.Equal(t, redline.ItemCodeNotFound, kit.Items(env, client.UpdateUsers, other(map[string]any{"documentId": "a/b", "users": kit.Users("ann")}))["ann"].Code)
	require.Len(t, kit.Items(env, client.DeleteDocuments, kit.TheseDocuments(ids...)), len(ids))
	require.Empty(t, kit.Paged(env, client.GetDocuments, kit.InAcme()).Data)
	require.ElementsMatch(t, ids, kit.IDsIn(kit.Walked(env, client.GetDocuments, other(map[string]any{"pageSize": 4}))))
	require.ElementsMatch(t, ids, kit.IDsIn(kit.Walked(stranger, client.GetDocuments, kit.InAcme())))
	require.Empty(t, kit.Paged(env, client.GetDocuments, map[string]any{"organizationId": "unknown"}).Data)

	kit.Items(env, client.AddDocuments, kit.Documents("mine"))
	require.Empty(t, kit.Paged(stranger, client.GetDocuments, kit.TheseDocuments("mine")).Data, "another workspace's id is left out")
	require.Equal(t, redline.ItemCodeNotFound, kit.Items(stranger, client.DeleteDocuments, kit.TheseDocuments("mine"))["mine"].Code)
}

func TestDocumentsGet_PagesFoldersAndSizes(t *testing.T) {
	env := newWorkspace(t)
	inFolder := kit.Documents(kit.NumberedIDs("in", 7)...)
	inFolder["folderId"] = "f"
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "folder", "id": "f"}, kit.Details(env, client.AddDocuments, inFolder))
	require.Empty(t, kit.Walked(env, client.GetOrganizations, map[string]any{}), "a refused call makes no organization")
	inFolder["createFolder"] = true
	kit.Items(env, client.AddDocuments, inFolder)
	var top []string
	for i := range 5 {
		id := fmt.Sprint("top", i)
		data := kit.Documents(id)
		data["folderId"] = []string{"root", "root"}[i%2]
		kit.Items(env, client.AddDocuments, data)
		top = append([]string{id}, top...)
	}
	require.Equal(t, top, kit.IDsIn(kit.Walked(env, client.GetDocuments, kit.InAcme(map[string]any{"folderId": "root", "pageSize": 2}))), "newest first")
	inside := kit.Walked(env, client.GetDocuments, kit.InAcme(map[string]any{"folderId": "f", "pageSize": 3}))
	require.ElementsMatch(t, kit.NumberedIDs("in", 7), kit.IDsIn(inside))
	require.Equal(t, "f", *inside[0].FolderID)
	require.Equal(t, top, kit.IDsIn(kit.Walked(env, client.GetDocuments, kit.InAcme(map[string]any{"pageSize": 5})))[:5])
	require.Len(t, kit.Walked(env, client.GetDocuments, kit.InAcme()), 12)
	require.Empty(t, kit.Paged(env, client.GetDocuments, kit.InAcme(map[string]any{"folderId": "unknown"})).Data)
	require.Equal(t, []string{"in003"}, kit.IDsIn(kit.Paged(env, client.GetDocuments, kit.InAcme(map[string]any{"folderId": "f", "documentIds": []string{"in003", "top1"}})).Data))
	token := kit.Paged(env, client.GetDocuments, kit.InAcme(map[string]any{"pageSize": 2})).NextPageToken
	for _, other := range []map[string]any{{"folderId": "f"}, {"organizationId": "other"}, {"documentIds": []string{"top1"}}} {
		other["pageToken"] = token
		env.RefusedAs("INVALID_ARGUMENT", client.GetDocuments, kit.InAcme(other))
	}
	large := json.RawMessage(`"` + strings.Repeat("x", 31<<10) + `"`)
	for i := range 10 {
		many := kit.Documents(kit.NumberedIDs(fmt.Sprint("large", i), 30)...)
		for _, one := range many["documents"].([]map[string]any) {
			one["own"] = large
		}
		kit.Items(env, client.AddDocuments, many)
	}
	page := kit.Paged(env, client.GetDocuments, kit.InAcme())
	require.NotEmpty(t, page.NextPageToken, "a page ends at 8 MiB")
	require.InDelta(t, 264, len(page.Data), 4)
	require.Len(t, kit.Walked(env, client.GetDocuments, kit.InAcme()), 312)
}

// The answer does not wait for what is inside, however much that is: nothing of it is
// read or changed by the delete.
func TestDocumentsDelete_4_AllIsGoneAtOnceAndTheIdIsNew(t *testing.T) {
	env := newWorkspace(t)
	holds(env, "d", 200)
	kit.Annotate(env, kit.Made("d", kit.Annotated("kept", kit.Wrote("ann", "a"))))
	kit.Annotate(env, kit.Made("stays", kit.Annotated("other", kit.Wrote("ann", "a"))))
	kit.Items(env, client.AddUsers, kit.Acme(map[string]any{"documentId": "d"}, kit.Users("ann")...))
	deleted := kit.Items(env, client.DeleteDocuments, kit.TheseDocuments("d", "d", "unknown"))
	require.Equal(t, map[string]string{"d": "", "unknown": "not-found"}, kit.CodesOf(deleted))
	kit.SeesNothing(env, "d")
	require.Equal(t, [2]int{1, 1}, kit.Counts(env, "bob", "stays")["stays"])
	require.Equal(t, redline.ItemCodeAlreadyExists, kit.Items(env, client.AddDocuments, kit.Documents("stays"))["stays"].Code)
	require.Equal(t, deleted["d"].ID, kit.Items(env, client.AddDocuments, kit.Documents("d"))["d"].ID)
	require.Equal(t, [2]int{}, kit.Counts(env, "bob", "d")["d"])
	require.Equal(t, redline.ItemCodeNotMember, kit.Items(env, client.UpdateUsers, kit.Acme(map[string]any{"documentId": "d"}, kit.Users("ann")...))["ann"].Code)
	kit.Annotate(env, kit.Made("d", kit.Annotated("kept", kit.Wrote("ann", "again"))))
	read := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d"))
	require.Len(t, read.Data, 1)
	require.Equal(t, "again", read.Data[0].Comments[0].CommentText)
	require.Equal(t, redline.ProblemStatusAlreadyExists, env.Refused(client.AddAnnotations, kit.Made("d", kit.Annotated("other", kit.Wrote("ann", "a")))).Status)
}

// Whatever is written while a document is deleted and made again goes with the old one
// or is refused; what one call added is in one document as a whole.
func TestDocuments_WritesIntoOneThatIsBeingDeleted(t *testing.T) {
	env := newWorkspace(t)
	for round := range 10 {
		kit.Annotate(env, kit.Made("d", kit.Annotated(kit.Unique("note"), kit.Wrote("ann", "a"))))
		late := fmt.Sprint("late", round)
		calls := []struct {
			operation string
			data      map[string]any
		}{
			{client.DeleteDocuments, kit.TheseDocuments("d")},
			{client.AddAnnotations, kit.Doc("d", map[string]any{"commentAnnotations": []any{kit.Annotated(late, kit.Wrote("ann", "a"), kit.Wrote("bob", "b"))}})},
			{client.UpdateDocuments, kit.Document("d", map[string]any{"documentName": "New"})},
			{client.SetAccess, kit.InAcme(map[string]any{"documentIds": []string{"d"}, "accessType": "restricted"})},
			{client.MoveDocuments, kit.InAcme(map[string]any{"documentIds": []string{"d"}, "folderId": "root"})},
			{client.AddUsers, kit.InAcme(map[string]any{"documentId": "d", "users": kit.Users("eve")})},
		}
		kit.Concurrently(len(calls), func(i int) {
			_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, calls[i].operation, calls[i].data)
			if refused := redline.AsError(err); refused == nil || refused.Status != "NOT_FOUND" {
				kit.NoError(t, err)
			}
		})
		kit.SeesNothing(env, "d")
		kit.Annotate(env, kit.Made("d", kit.Annotated(late, kit.Wrote("ann", "mine"))))
		require.Equal(t, [2]int{1, 1}, kit.Counts(env, "eve", "d")["d"])
		got := kit.OneDocument(env, "d")
		require.Equal(t, []any{"d", "public"}, []any{got.DocumentName, *got.AccessType})
		kit.Items(env, client.DeleteDocuments, kit.TheseDocuments("d"))
	}
}
