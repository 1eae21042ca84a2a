package api_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestFoldersAddAndGet(t *testing.T) {
	env := newWorkspace(t)
	none := kit.AcmeWith("folders", []any{kit.Folder("a")})
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "organization", "id": "acme"}, kit.Details(env, client.AddFolders, none))
	require.Empty(t, kit.Tree(env), "an organization that is not there has none")
	kit.Folders(env, "a", "b in a", "c in b", "d in root")
	added := kit.Items(env, client.AddFolders, kit.AcmeWith("folders", []any{
		kit.Folder("a"), kit.Folder("e in unknown"), kit.Folder("f in a", map[string]any{"folderName": "Eff", "accessType": "restricted"}), kit.Folder("g in f"),
	}))
	require.Equal(t, []string{"already-exists", "not-found", "", ""}, []string{string(added["a"].Code), string(added["e"].Code), string(added["f"].Code), string(added["g"].Code)})
	require.Regexp(t, "^[0-9a-f]{32}$", added["e"].ID)
	require.Equal(t, "d a(f(g) b(c))", kit.Outline(kit.Tree(env)))
	require.Equal(t, "d a(f b)", kit.Outline(kit.Tree(env, map[string]any{"maxDepth": 2})))
	require.Equal(t, "d a", kit.Outline(kit.Tree(env, map[string]any{"maxDepth": nil, "folderId": "root"})), "by default one level")
	require.Equal(t, "d a", kit.Outline(kit.Tree(env, map[string]any{"maxDepth": 1, "rootFoldersOnly": true})))
	require.Equal(t, []string{"rootFoldersOnly"}, env.RefusedAs("INVALID_ARGUMENT", client.GetFolders, kit.AcmeWith("folderId", "a", map[string]any{"rootFoldersOnly": true})).Issues[0].Path)
	require.Equal(t, "b(c)", kit.Outline(kit.Tree(env, map[string]any{"folderId": "b"})))
	require.Empty(t, kit.Tree(env, map[string]any{"folderId": "unknown"}))
	require.Empty(t, kit.Tree(kit.Elsewhere(env)))

	g := kit.Tree(env, map[string]any{"folderId": "g"})[0]
	require.Positive(t, g.CreatedAt)
	require.GreaterOrEqual(t, g.LastUpdated, g.CreatedAt)
	g.CreatedAt, g.LastUpdated = 0, 0
	require.Equal(t, redline.Folder{
		FolderID: "g", FolderName: "g", OrganizationID: "acme", ParentFolderID: "f", Ancestors: []string{"a", "f"},
		AccessType: "restricted", InheritAccessFromParent: true, SubFolders: []redline.Folder{},
	}, g)
	f := kit.Tree(env, map[string]any{"folderId": "f"})[0]
	require.Equal(t, []any{"Eff", redline.FolderAccessTypeRestricted, false, "a"}, []any{f.FolderName, f.AccessType, f.InheritAccessFromParent, f.ParentFolderID})
	a := kit.Tree(env, map[string]any{"folderId": "a"})[0]
	require.Equal(t, []any{redline.FolderAccessTypePublic, true, "root", []string{}}, []any{a.AccessType, a.InheritAccessFromParent, a.ParentFolderID, a.Ancestors})
}

func TestFolders_Refusals(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "a")
	many := make([]any, 101)
	for i := range many {
		many[i] = kit.Folder(fmt.Sprint("f", i))
	}
	for _, operation := range []string{client.AddFolders, client.UpdateFolders} {
		for name, folders := range map[string]any{
			"none": []any{}, "too many": many, "twice": []any{kit.Folder("b"), kit.Folder("c"), kit.Folder("b")}, "no id": []any{map[string]any{}},
			"empty parent": []any{kit.Folder("b in ")}, "a long name": []any{kit.Folder("b", map[string]any{"folderName": strings.Repeat("x", 201)})},
		} {
			env.RefusedAs("INVALID_ARGUMENT", operation, kit.AcmeWith("folders", folders))
			require.Equal(t, "a", kit.Outline(kit.Tree(env)), "%s %s", operation, name)
		}
	}
	env.RefusedAs("INVALID_ARGUMENT", client.AddFolders, kit.AcmeWith("folders", []any{kit.Folder("root")}))
	env.RefusedAs("INVALID_ARGUMENT", client.AddFolders, kit.AcmeWith("folders", []any{kit.Folder("b", map[string]any{"accessType": "secret"})}))
	env.RefusedAs("INVALID_ARGUMENT", client.DeleteFolder, kit.AcmeWith("folderId", "root"))
	for _, depth := range []int{0, 21} {
		env.RefusedAs("INVALID_ARGUMENT", client.GetFolders, kit.AcmeWith("maxDepth", depth))
	}
	for _, fields := range []map[string]any{
		{}, {"inheritFromParent": false}, {"accessType": "public", "inheritFromParent": true}, {"accessType": "secret"}, {"accessType": nil},
	} {
		env.RefusedAs("INVALID_ARGUMENT", client.FolderAccess, kit.AcmeWith("folderIds", []string{"a"}, fields))
	}
	public := map[string]any{"accessType": "public"}
	for operation, data := range map[string]map[string]any{
		client.AddFolders: kit.AcmeWith("folders", []any{kit.Folder("a")}), client.UpdateFolders: kit.AcmeWith("folders", []any{kit.Folder("a")}),
		client.DeleteFolder: kit.AcmeWith("folderId", "a"), client.FolderAccess: kit.AcmeWith("folderIds", []string{"a"}, public),
	} {
		data["organizationId"] = "unknown"
		require.Equal(t, map[string]any{"reason": "not-found", "resource": "organization", "id": "unknown"}, kit.Details(env, operation, data), operation)
		data["organizationId"] = "acme"
		require.Equal(t, redline.ProblemStatusNotFound, kit.Elsewhere(env).Refused(operation, data).Status, operation)
	}
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "folder", "id": "b"}, kit.Details(env, client.DeleteFolder, kit.AcmeWith("folderId", "b")))
	require.Equal(t, "a", kit.Outline(kit.Tree(env)))
}

func TestFoldersGet_WhereAdvancedQueriesAreOff(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.UpdateSettings, map[string]any{"enableAdvancedQueries": false}, nil)
	require.Equal(t, redline.ErrorDetailsReasonAdvancedQueriesDisabled, env.RefusedAs("FAILED_PRECONDITION", client.GetFolders, kit.AcmeWith("maxDepth", 1)).Reason)
}

func TestFoldersUpdate_NamesAndParents(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "a", "b in a", "c in b", "d")
	name := func() string { return kit.Tree(env, map[string]any{"folderId": "b"})[0].FolderName }
	require.Empty(t, kit.ChangeFolder(env, "b", map[string]any{"folderName": "Bee"}))
	require.Equal(t, []string{"Bee", "d a(b(c))"}, []string{name(), kit.Outline(kit.Tree(env))})
	require.Empty(t, kit.ChangeFolder(env, "b", kit.Under("d")))
	require.Equal(t, []string{"Bee", "d(b(c)) a"}, []string{name(), kit.Outline(kit.Tree(env))})
	require.Empty(t, kit.ChangeFolder(env, "b", map[string]any{"folderName": nil, "parentFolderId": nil}))
	require.Equal(t, []string{"b", "d b(c) a"}, []string{name(), kit.Outline(kit.Tree(env))}, "null clears: the id is the name, the top the parent")
	require.Empty(t, kit.ChangeFolder(env, "c", kit.Under("root")))
	require.Equal(t, "d c b a", kit.Outline(kit.Tree(env)))
	updated := kit.Items(env, client.UpdateFolders, kit.AcmeWith("folders", []any{kit.Folder("a in b"), kit.Folder("b in a"), kit.Folder("c in a"), kit.Folder("x"), kit.Folder("d in x"), kit.Folder("root")}))
	require.Equal(t, []string{"", "cycle", "", "not-found", "not-found", "not-found"}, []string{
		string(updated["a"].Code), string(updated["b"].Code), string(updated["c"].Code), string(updated["x"].Code), string(updated["d"].Code), string(updated["root"].Code),
	}, "one after the other")
	require.Equal(t, "d b(a(c))", kit.Outline(kit.Tree(env)))
}

func TestFoldersUpdate_1_NoCircleOfTwoUpdates(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "a", "b")
	for range 10 {
		codes := make([]string, 2)
		kit.Concurrently(2, func(i int) {
			ids := []string{"a", "b"}
			found, err := client.Call[redline.ItemByIDResult](env.Ctx, env.Keyed, client.UpdateFolders, kit.AcmeWith("folders", []any{kit.Folder(ids[i] + " in " + ids[1-i])}))
			if kit.NoError(t, err) {
				codes[i] = string(found.Data[ids[i]].Code)
			}
		})
		require.ElementsMatch(t, []string{"", "cycle"}, codes)
		require.Contains(t, []string{"a(b)", "b(a)"}, kit.Outline(kit.Tree(env)))
		for _, id := range []string{"a", "b"} {
			require.Empty(t, kit.ChangeFolder(env, id, kit.Under("root")))
		}
	}
}

func TestFoldersGet_5_AChainOfTwenty(t *testing.T) {
	env := newWorkspace(t)
	texts := []string{"f1"}
	for i := 2; i <= 20; i++ {
		texts = append(texts, fmt.Sprintf("f%d in f%d", i, i-1))
	}
	kit.Folders(env, texts...)
	kit.Folders(env, "side", "below in side")
	level := kit.Tree(env, map[string]any{"folderId": "f1"})
	for i := 1; i <= 20; i++ {
		require.Len(t, level, 1)
		require.Equal(t, fmt.Sprint("f", i), level[0].FolderID)
		require.Len(t, level[0].Ancestors, i-1)
		level = level[0].SubFolders
	}
	require.Empty(t, level)
	require.Equal(t, redline.ItemCodeCycle, kit.Items(env, client.AddFolders, kit.AcmeWith("folders", []any{kit.Folder("f21 in f20")}))["f21"].Code)
	require.Equal(t, "cycle", kit.ChangeFolder(env, "side", kit.Under("f19")), "with what is below it")
	require.Empty(t, kit.ChangeFolder(env, "side", kit.Under("f18")))
}

func TestFolders_6_IdsAreNoPaths(t *testing.T) {
	env := newWorkspace(t)
	ids := append([]string{"a", "b", "a/b", "/", "Root", strings.Repeat("🧑‍🚀", 66)}, slices.DeleteFunc(slices.Clone(kit.OddIDs), func(id string) bool { return id == "a/b" })...)
	elements := make([]any, len(ids))
	for i, id := range ids {
		elements[i] = map[string]any{"folderId": id}
		if i > 0 {
			elements[i] = map[string]any{"folderId": id, "parentFolderId": ids[0]}
		}
	}
	added := kit.Items(env, client.AddFolders, kit.AcmeWith("folders", elements, map[string]any{"createOrganization": true}))
	own := map[string]bool{}
	for _, id := range ids {
		require.True(t, added[id].Success, id)
		own[added[id].ID] = true
	}
	require.Len(t, own, len(ids))
	require.Len(t, kit.Tree(env)[0].SubFolders, len(ids)-1)
	for _, id := range ids[1:] {
		found := kit.Tree(env, map[string]any{"folderId": id})
		require.Equal(t, []any{id, "a"}, []any{found[0].FolderID, found[0].ParentFolderID})
		require.Empty(t, kit.ChangeFolder(env, id, kit.Under("root")), id)
		env.Call(client.DeleteFolder, kit.AcmeWith("folderId", id), nil)
	}
	require.Equal(t, "a", kit.Outline(kit.Tree(env)))
}

func TestFoldersAccess_HoldsForWhatIsBelow(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "a", "b in a", "c in b")
	types := func() (all []string) {
		for _, id := range []string{"a", "b", "c"} {
			all = append(all, string(kit.Tree(env, map[string]any{"folderId": id})[0].AccessType))
		}
		return all
	}
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "restricted"}, nil)
	require.Equal(t, []string{"public", "public", "public"}, types(), "a change of the default touches no existing folder")
	entries := kit.SetAccess(env, []string{"a", "a", "unknown"}, map[string]any{"accessType": "organizationPrivate"})
	require.Len(t, entries, 2)
	require.Equal(t, redline.FolderAccess{Success: true, AccessType: new(redline.FolderAccessAccessTypeOrganizationPrivate), Message: "Access updated."}, entries["a"])
	require.Equal(t, redline.FolderAccess{Code: "not-found", Message: entries["unknown"].Message}, entries["unknown"])
	require.Equal(t, []string{"organizationPrivate", "organizationPrivate", "organizationPrivate"}, types())
	kit.SetAccess(env, []string{"c"}, map[string]any{"accessType": "public"})
	kit.SetAccess(env, []string{"b"}, map[string]any{"accessType": "restricted", "inheritFromParent": false})
	require.Equal(t, []string{"organizationPrivate", "restricted", "public"}, types(), "the nearest holds, both ways")
	require.Equal(t, redline.FolderAccess{Success: true, InheritFromParent: true, Message: "Access updated."}, kit.SetAccess(env, []string{"b"}, map[string]any{"inheritFromParent": true})["b"])
	require.Equal(t, []string{"organizationPrivate", "organizationPrivate", "public"}, types())
	require.True(t, kit.Tree(env, map[string]any{"folderId": "b"})[0].InheritAccessFromParent)
	kit.Folders(env, "new")
	require.Equal(t, redline.FolderAccessTypeRestricted, kit.Tree(env, map[string]any{"folderId": "new"})[0].AccessType, "the default of the moment")
	require.Empty(t, kit.ChangeFolder(env, "b", kit.Under("new")))
	require.Equal(t, []string{"organizationPrivate", "public", "public"}, types(), "its own default, when nothing above says anything")
}

// A page is of the first level; folders that come meanwhile make no repeats.
func TestFoldersGet_Pages(t *testing.T) {
	env := newWorkspace(t)
	var texts []string
	for i := range 30 {
		texts = append(texts, fmt.Sprint("f", i), fmt.Sprintf("g%d in f%d", i, i))
	}
	kit.Folders(env, texts...)
	var seen []string
	query := kit.AcmeWith("maxDepth", 2, map[string]any{"pageSize": 7})
	for {
		var page redline.FolderListResult
		env.Call(client.GetFolders, query, &page)
		for _, f := range page.Data {
			seen = append(seen, f.FolderID)
			require.Equal(t, strings.Replace(f.FolderID, "f", "g", 1), kit.Outline(f.SubFolders))
		}
		if page.NextPageToken == "" {
			break
		}
		query["pageToken"] = page.NextPageToken
		kit.Folders(env, kit.Unique("later"))
	}
	require.Len(t, seen, 30)
	require.Equal(t, []string{"f29", "f0"}, []string{seen[0], seen[29]})
	other := maps.Clone(query)
	other["maxDepth"] = 3
	env.RefusedAs("INVALID_ARGUMENT", client.GetFolders, other)
	env.RefusedAs("INVALID_ARGUMENT", client.GetFolders, kit.AcmeWith("pageToken", "damaged"))
	full := kit.AcmeWith("maxDepth", 1, map[string]any{"pageSize": 34})
	var page redline.FolderListResult
	env.Call(client.GetFolders, full, &page)
	require.Len(t, page.Data, 34)
	require.Empty(t, page.NextPageToken, "a full page can be the last one")
}

func TestFoldersDelete_TakesAllBelowAndFreesTheIds(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "a", "b in a", "c in b", "d")
	require.Equal(t, redline.FolderAccessAccessTypeRestricted, *kit.SetAccess(env, []string{"b"}, map[string]any{"accessType": "restricted"})["b"].AccessType)
	var deleted map[string]any
	env.Call(client.DeleteFolder, kit.AcmeWith("folderId", "a"), &deleted)
	data, there := deleted["data"]
	require.True(t, there)
	require.Nil(t, data)
	require.Equal(t, "d", kit.Outline(kit.Tree(env)))
	for _, id := range []string{"a", "b", "c"} {
		require.Equal(t, redline.ProblemStatusNotFound, env.Refused(client.DeleteFolder, kit.AcmeWith("folderId", id)).Status)
		require.Equal(t, "not-found", kit.ChangeFolder(env, id, nil))
		require.Empty(t, kit.Tree(env, map[string]any{"folderId": id}))
	}
	require.Equal(t, "not-found", kit.ChangeFolder(env, "d", kit.Under("b")))
	kit.Folders(env, "b", "a in b")
	require.Equal(t, "b(a) d", kit.Outline(kit.Tree(env)))
	require.Equal(t, redline.FolderAccessTypePublic, kit.Tree(env)[0].AccessType, "nothing of the former")
}
