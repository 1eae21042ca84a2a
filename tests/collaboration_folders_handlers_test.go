package tests

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

func TestFoldersAddAndGet(t *testing.T) {
	s := begin(t)
	none := acmeWith("folders", []any{folder("a")})
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "organization", "id": "acme"}, s.details(addFolders, none))
	require.Empty(t, s.tree(), "an organization that is not there has none")
	s.folders("a", "b in a", "c in b", "d in root")
	added := s.items(addFolders, acmeWith("folders", []any{
		folder("a"), folder("e in unknown"), folder("f in a", map[string]any{"folderName": "Eff", "accessType": "restricted"}), folder("g in f"),
	}))
	require.Equal(t, []string{"already-exists", "not-found", "", ""}, []string{added["a"].Code, added["e"].Code, added["f"].Code, added["g"].Code})
	require.Regexp(t, "^[0-9a-f]{32}$", added["e"].ID)
	require.Equal(t, "d a(f(g) b(c))", outline(s.tree()))
	require.Equal(t, "d a(f b)", outline(s.tree(map[string]any{"maxDepth": 2})))
	require.Equal(t, "d a", outline(s.tree(map[string]any{"maxDepth": nil, "folderId": "root"})), "by default one level")
	require.Equal(t, "b(c)", outline(s.tree(map[string]any{"folderId": "b"})))
	require.Empty(t, s.tree(map[string]any{"folderId": "unknown"}))
	require.Empty(t, s.elsewhere().tree())

	g := s.tree(map[string]any{"folderId": "g"})[0]
	require.Positive(t, g.CreatedAt)
	require.GreaterOrEqual(t, g.LastUpdated, g.CreatedAt)
	g.CreatedAt, g.LastUpdated = 0, 0
	require.Equal(t, folderView{
		FolderID: "g", FolderName: "g", OrganizationID: "acme", ParentFolderID: "f", Ancestors: []string{"a", "f"},
		AccessType: "restricted", InheritAccessFromParent: true, SubFolders: []folderView{},
	}, g)
	f := s.tree(map[string]any{"folderId": "f"})[0]
	require.Equal(t, []any{"Eff", "restricted", false, "a"}, []any{f.FolderName, f.AccessType, f.InheritAccessFromParent, f.ParentFolderID})
	a := s.tree(map[string]any{"folderId": "a"})[0]
	require.Equal(t, []any{"public", true, "root", []string{}}, []any{a.AccessType, a.InheritAccessFromParent, a.ParentFolderID, a.Ancestors})
}

func TestFolders_Refusals(t *testing.T) {
	s := begin(t)
	s.folders("a")
	many := make([]any, 101)
	for i := range many {
		many[i] = folder(fmt.Sprint("f", i))
	}
	for _, operation := range []string{addFolders, updateFolders} {
		for name, folders := range map[string]any{
			"none": []any{}, "too many": many, "twice": []any{folder("b"), folder("c"), folder("b")}, "no id": []any{map[string]any{}},
			"empty parent": []any{folder("b in ")}, "a long name": []any{folder("b", map[string]any{"folderName": strings.Repeat("x", 201)})},
		} {
			s.refusedAs("INVALID_ARGUMENT", operation, acmeWith("folders", folders))
			require.Equal(t, "a", outline(s.tree()), "%s %s", operation, name)
		}
	}
	s.refusedAs("INVALID_ARGUMENT", addFolders, acmeWith("folders", []any{folder("root")}))
	s.refusedAs("INVALID_ARGUMENT", addFolders, acmeWith("folders", []any{folder("b", map[string]any{"accessType": "secret"})}))
	s.refusedAs("INVALID_ARGUMENT", deleteFolder, acmeWith("folderId", "root"))
	for _, depth := range []int{0, 21} {
		s.refusedAs("INVALID_ARGUMENT", getFolders, acmeWith("maxDepth", depth))
	}
	for _, fields := range []map[string]any{
		{}, {"inheritFromParent": false}, {"accessType": "public", "inheritFromParent": true}, {"accessType": "secret"}, {"accessType": nil},
	} {
		s.refusedAs("INVALID_ARGUMENT", folderAccess, acmeWith("folderIds", []string{"a"}, fields))
	}
	public := map[string]any{"accessType": "public"}
	for operation, data := range map[string]map[string]any{
		addFolders: acmeWith("folders", []any{folder("a")}), updateFolders: acmeWith("folders", []any{folder("a")}),
		deleteFolder: acmeWith("folderId", "a"), folderAccess: acmeWith("folderIds", []string{"a"}, public),
	} {
		data["organizationId"] = "unknown"
		require.Equal(t, map[string]any{"reason": "not-found", "resource": "organization", "id": "unknown"}, s.details(operation, data), operation)
		data["organizationId"] = "acme"
		require.Equal(t, "NOT_FOUND", s.elsewhere().refused(operation, data).Status, operation)
	}
	require.Equal(t, map[string]any{"reason": "not-found", "resource": "folder", "id": "b"}, s.details(deleteFolder, acmeWith("folderId", "b")))
	require.Equal(t, "a", outline(s.tree()))
}

func TestFoldersGet_WhereAdvancedQueriesAreOff(t *testing.T) {
	s := begin(t)
	s.call(updateSettings, map[string]any{"enableAdvancedQueries": false}, nil)
	require.Equal(t, "advanced-queries-disabled", s.refusedAs("FAILED_PRECONDITION", getFolders, acmeWith("maxDepth", 1)).Reason)
}

func TestFoldersUpdate_NamesAndParents(t *testing.T) {
	s := begin(t)
	s.folders("a", "b in a", "c in b", "d")
	name := func() string { return s.tree(map[string]any{"folderId": "b"})[0].FolderName }
	require.Empty(t, s.changeFolder("b", map[string]any{"folderName": "Bee"}))
	require.Equal(t, []string{"Bee", "d a(b(c))"}, []string{name(), outline(s.tree())})
	require.Empty(t, s.changeFolder("b", under("d")))
	require.Equal(t, []string{"Bee", "d(b(c)) a"}, []string{name(), outline(s.tree())})
	require.Empty(t, s.changeFolder("b", map[string]any{"folderName": nil, "parentFolderId": nil}))
	require.Equal(t, []string{"b", "d b(c) a"}, []string{name(), outline(s.tree())}, "null clears: the id is the name, the top the parent")
	require.Empty(t, s.changeFolder("c", under("root")))
	require.Equal(t, "d c b a", outline(s.tree()))
	updated := s.items(updateFolders, acmeWith("folders", []any{folder("a in b"), folder("b in a"), folder("c in a"), folder("x"), folder("d in x"), folder("root")}))
	require.Equal(t, []string{"", "cycle", "", "not-found", "not-found", "not-found"}, []string{
		updated["a"].Code, updated["b"].Code, updated["c"].Code, updated["x"].Code, updated["d"].Code, updated["root"].Code,
	}, "one after the other")
	require.Equal(t, "d b(a(c))", outline(s.tree()))
}

func TestFoldersUpdate_1_NoCircleOfTwoUpdates(t *testing.T) {
	s := begin(t)
	s.folders("a", "b")
	for range 10 {
		codes := make([]string, 2)
		together(2, func(i int) {
			ids := []string{"a", "b"}
			found, err := client.Call[itemsView](s.ctx, s.keyed, updateFolders, acmeWith("folders", []any{folder(ids[i] + " in " + ids[1-i])}))
			if fine(t, err) {
				codes[i] = found.Data[ids[i]].Code
			}
		})
		require.ElementsMatch(t, []string{"", "cycle"}, codes)
		require.Contains(t, []string{"a(b)", "b(a)"}, outline(s.tree()))
		for _, id := range []string{"a", "b"} {
			require.Empty(t, s.changeFolder(id, under("root")))
		}
	}
}

func TestFoldersGet_5_AChainOfTwenty(t *testing.T) {
	s := begin(t)
	texts := []string{"f1"}
	for i := 2; i <= 20; i++ {
		texts = append(texts, fmt.Sprintf("f%d in f%d", i, i-1))
	}
	s.folders(texts...)
	s.folders("side", "below in side")
	level := s.tree(map[string]any{"folderId": "f1"})
	for i := 1; i <= 20; i++ {
		require.Len(t, level, 1)
		require.Equal(t, fmt.Sprint("f", i), level[0].FolderID)
		require.Len(t, level[0].Ancestors, i-1)
		level = level[0].SubFolders
	}
	require.Empty(t, level)
	require.Equal(t, "cycle", s.items(addFolders, acmeWith("folders", []any{folder("f21 in f20")}))["f21"].Code)
	require.Equal(t, "cycle", s.changeFolder("side", under("f19")), "with what is below it")
	require.Empty(t, s.changeFolder("side", under("f18")))
}

func TestFolders_6_IdsAreNoPaths(t *testing.T) {
	s := begin(t)
	ids := append([]string{"a", "b", "a/b", "/", "Root", strings.Repeat("🧑‍🚀", 66)}, slices.DeleteFunc(slices.Clone(oddIDs), func(id string) bool { return id == "a/b" })...)
	elements := make([]any, len(ids))
	for i, id := range ids {
		elements[i] = map[string]any{"folderId": id}
		if i > 0 {
			elements[i] = map[string]any{"folderId": id, "parentFolderId": ids[0]}
		}
	}
	added := s.items(addFolders, acmeWith("folders", elements, map[string]any{"createOrganization": true}))
	own := map[string]bool{}
	for _, id := range ids {
		require.True(t, added[id].Success, id)
		own[added[id].ID] = true
	}
	require.Len(t, own, len(ids))
	require.Len(t, s.tree()[0].SubFolders, len(ids)-1)
	for _, id := range ids[1:] {
		found := s.tree(map[string]any{"folderId": id})
		require.Equal(t, []any{id, "a"}, []any{found[0].FolderID, found[0].ParentFolderID})
		require.Empty(t, s.changeFolder(id, under("root")), id)
		s.call(deleteFolder, acmeWith("folderId", id), nil)
	}
	require.Equal(t, "a", outline(s.tree()))
}

func TestFoldersAccess_HoldsForWhatIsBelow(t *testing.T) {
	s := begin(t)
	s.folders("a", "b in a", "c in b")
	types := func() (all []string) {
		for _, id := range []string{"a", "b", "c"} {
			all = append(all, s.tree(map[string]any{"folderId": id})[0].AccessType)
		}
		return all
	}
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "restricted"}, nil)
	require.Equal(t, []string{"public", "public", "public"}, types(), "a change of the default touches no existing folder")
	entries := s.setAccess([]string{"a", "a", "unknown"}, map[string]any{"accessType": "organizationPrivate"})
	require.Len(t, entries, 2)
	require.Equal(t, folderAccessView{Success: true, AccessType: new("organizationPrivate")}, entries["a"])
	require.Equal(t, folderAccessView{Code: "not-found"}, entries["unknown"])
	require.Equal(t, []string{"organizationPrivate", "organizationPrivate", "organizationPrivate"}, types())
	s.setAccess([]string{"c"}, map[string]any{"accessType": "public"})
	s.setAccess([]string{"b"}, map[string]any{"accessType": "restricted", "inheritFromParent": false})
	require.Equal(t, []string{"organizationPrivate", "restricted", "public"}, types(), "the nearest holds, both ways")
	require.Equal(t, folderAccessView{Success: true, InheritFromParent: true}, s.setAccess([]string{"b"}, map[string]any{"inheritFromParent": true})["b"])
	require.Equal(t, []string{"organizationPrivate", "organizationPrivate", "public"}, types())
	require.True(t, s.tree(map[string]any{"folderId": "b"})[0].InheritAccessFromParent)
	s.folders("new")
	require.Equal(t, "restricted", s.tree(map[string]any{"folderId": "new"})[0].AccessType, "the default of the moment")
	require.Empty(t, s.changeFolder("b", under("new")))
	require.Equal(t, []string{"organizationPrivate", "public", "public"}, types(), "its own default, when nothing above says anything")
}

// A page is of the first level; folders that come meanwhile make no repeats.
func TestFoldersGet_Pages(t *testing.T) {
	s := begin(t)
	var texts []string
	for i := range 30 {
		texts = append(texts, fmt.Sprint("f", i), fmt.Sprintf("g%d in f%d", i, i))
	}
	s.folders(texts...)
	var seen []string
	query := acmeWith("maxDepth", 2, map[string]any{"pageSize": 7})
	for {
		var page client.Wrapped[[]folderView]
		s.call(getFolders, query, &page)
		for _, f := range page.Data {
			seen = append(seen, f.FolderID)
			require.Equal(t, strings.Replace(f.FolderID, "f", "g", 1), outline(f.SubFolders))
		}
		if page.NextPageToken == "" {
			break
		}
		query["pageToken"] = page.NextPageToken
		s.folders(unique("later"))
	}
	require.Len(t, seen, 30)
	require.Equal(t, []string{"f29", "f0"}, []string{seen[0], seen[29]})
	other := maps.Clone(query)
	other["maxDepth"] = 3
	s.refusedAs("INVALID_ARGUMENT", getFolders, other)
	s.refusedAs("INVALID_ARGUMENT", getFolders, acmeWith("pageToken", "damaged"))
	full := acmeWith("maxDepth", 1, map[string]any{"pageSize": 34})
	var page client.Wrapped[[]folderView]
	s.call(getFolders, full, &page)
	require.Len(t, page.Data, 34)
	require.Empty(t, page.NextPageToken, "a full page can be the last one")
}
