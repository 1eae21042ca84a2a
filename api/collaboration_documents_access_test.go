package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func setDocumentAccess(env *kit.Env, documentID string, access any) {
	env.T.Helper()
	var result redline.DocumentAccessByIDResult
	env.Call(client.SetAccess, kit.InAcme(map[string]any{"documentIds": []string{documentID}, "accessType": access}), &result)
	require.True(env.T, result.Data[documentID].Success)
}

// accessOf is what a user may do with a document: nothing, read or write. It has to have
// a comment by somebody else.
func accessOf(env *kit.Env, user, documentID string) string {
	env.T.Helper()
	if kit.MayWrite(env, user, documentID) {
		return "write"
	}
	return map[bool]string{true: "read", false: "none"}[kit.Counts(env, user, documentID)[documentID][0] > 0]
}

func TestAccess_TheRowsOfTheTableForDocuments(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "a", "f in a", "g in f")
	kit.AddToFolder(env, "g", "d")
	kit.Annotate(env, kit.Doc("d", map[string]any{"commentAnnotations": []any{kit.Annotated("note", kit.Wrote("filer", "a"))}}))
	for _, kind := range []string{"editor", "viewer"} {
		for name, on := range map[string]map[string]any{
			"organization": kit.Resource("organization", "acme", kit.Role(kind)), "above": kit.Resource("folder", "a", kit.Role(kind)), "on": kit.Resource("folder", "f", kit.Role(kind)),
			"between": kit.Resource("folder", "g", kit.Role(kind)), "document": kit.Resource("document", "d", kit.Role(kind)),
		} {
			kit.Grant(env, name+" "+kind, on)
		}
	}
	kit.Grant(env, "nearest", kit.Resource("folder", "f"), kit.Resource("folder", "g", kit.Role("viewer")), kit.Resource("organization", "acme"))
	want := func(row string, access map[string]string) {
		t.Helper()
		for user, may := range access {
			require.Equal(t, may, accessOf(env, user, "d"), "row %s: %s", row, user)
		}
	}
	none := map[string]string{
		"nobody": "none", "organization editor": "none", "organization viewer": "none", "above editor": "none", "above viewer": "none",
	}
	kit.SetAccess(env, []string{"a"}, map[string]any{"accessType": "organizationPrivate"})
	want("6", map[string]string{
		"above editor": "write", "above viewer": "read", "between editor": "write", "between viewer": "read",
		"document editor": "write", "document viewer": "read", "nobody": "none", "nearest": "read",
	})
	kit.SetAccess(env, []string{"f"}, map[string]any{"accessType": "restricted"})
	want("10", map[string]string{
		"on editor": "write", "on viewer": "read", "between editor": "write", "between viewer": "read",
		"document editor": "write", "document viewer": "read", "nearest": "read",
	})
	want("11", none)
	setDocumentAccess(env, "d", "restricted")
	want("8", none)
	want("8", map[string]string{"on editor": "none", "between editor": "none", "between viewer": "none", "nearest": "none"})
	want("9", map[string]string{"document editor": "write", "document viewer": "read"})
	setDocumentAccess(env, "d", "public")
	want("1 and 2", map[string]string{"nobody": "write", "above viewer": "read", "nearest": "read"})
}

func TestPermissionsGet_4_ADocumentThatInheritsAgain(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "a", "f in a")
	kit.AddToFolder(env, "f", "d")
	kit.SetAccess(env, []string{"a"}, map[string]any{"accessType": "organizationPrivate"})
	setDocumentAccess(env, "d", "restricted")
	require.Equal(t, "permission_denied restricted", kit.OfDocument(env, "ann", "d"))
	setDocumentAccess(env, "d", nil)
	require.Equal(t, "permission_denied organizationPrivate", kit.OfDocument(env, "ann", "d"))
	kit.Grant(env, "ann", kit.Resource("folder", "a", kit.Role("viewer")))
	require.Equal(t, "viewer organizationPrivate", kit.OfDocument(env, "ann", "d"))
	kit.SetAccess(env, []string{"a"}, map[string]any{"inheritFromParent": true})
	require.Equal(t, []string{"viewer public", "editor public"}, []string{kit.OfDocument(env, "ann", "d"), kit.OfDocument(env, "bob", "d")})
}

// A reader finds all documents of a subtree that moves to and fro, or none of them; who
// asks after the answer finds what holds then.
func TestFolders_2_AMovedSubtreeChangesAllAccessAtOnce(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "open", "closed", "f in open", "g in f", "h in g")
	kit.SetAccess(env, []string{"open"}, map[string]any{"accessType": "public"})
	kit.SetAccess(env, []string{"closed"}, map[string]any{"accessType": "restricted"})
	kit.Grant(env, "guest", kit.Resource("folder", "closed"))
	var ids []string
	for _, folderID := range []string{"f", "g", "h"} {
		some := kit.NumberedIDs(folderID, 10)
		kit.AddToFolder(env, folderID, some...)
		ids = append(ids, some...)
		for _, id := range some {
			kit.Annotate(env, kit.Doc(id, map[string]any{"commentAnnotations": []any{kit.Annotated(kit.Unique("note"), kit.Wrote("filer", "a"))}}))
		}
	}
	visible := func(user string) (n int) {
		for _, count := range kit.Counts(env, user, ids...) {
			n += min(count[0], 1)
		}
		return n
	}
	var over atomic.Bool
	var reader sync.WaitGroup
	reader.Go(func() {
		for !over.Load() {
			assert.Contains(t, []int{0, len(ids)}, visible("ann"))
		}
	})
	for _, to := range []string{"closed", "open", "closed", "open", "closed"} {
		require.Empty(t, kit.ChangeFolder(env, "f", kit.Under(to)))
		require.Equal(t, map[string]int{"open": len(ids), "closed": 0}[to], visible("ann"))
		require.Equal(t, len(ids), visible("guest"))
		for _, id := range []string{"f003", "g007", "h009"} {
			require.Equal(t, []bool{to == "open", true}, []bool{kit.MayWrite(env, "ann", id), kit.MayWrite(env, "guest", id)}, id)
			require.Equal(t, map[string]string{"open": "public", "closed": "restricted"}[to], *kit.OneDocument(env, id).AccessType)
		}
	}
	over.Store(true)
	reader.Wait()
}

func TestFolders_3_ExplicitAccessSurvivesEveryFolderChange(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "a", "b", "f in a", "g in f")
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("member")...))
	all := []string{"public", "organizationPrivate", "restricted"}
	kit.AddToFolder(env, "g", append(slices.Clone(all), "inherits")...)
	for _, access := range all {
		setDocumentAccess(env, access, access)
	}
	kit.Grant(env, "guest", kit.Resource("document", "restricted"))
	holds := func(after, inherited string) {
		t.Helper()
		for _, access := range all {
			got := kit.OneDocument(env, access)
			require.Equal(t, []any{access, false}, []any{*got.AccessType, got.InheritAccess}, after)
		}
		require.Equal(t, inherited, *kit.OneDocument(env, "inherits").AccessType, after)
		require.Equal(t, []string{"editor public", "permission_denied organizationPrivate", "editor organizationPrivate", "editor restricted"},
			[]string{kit.OfDocument(env, "nobody", "public"), kit.OfDocument(env, "nobody", "organizationPrivate"), kit.OfDocument(env, "member", "organizationPrivate"), kit.OfDocument(env, "guest", "restricted")}, after)
		require.Equal(t, "permission_denied restricted", kit.OfDocument(env, "member", "restricted"), after)
	}
	holds("at first", "public")
	for _, change := range []struct {
		operation string
		data      map[string]any
		inherited string
	}{
		{client.FolderAccess, kit.AcmeWith("folderIds", []string{"a"}, map[string]any{"accessType": "restricted"}), "restricted"},
		{client.FolderAccess, kit.AcmeWith("folderIds", []string{"g"}, map[string]any{"accessType": "organizationPrivate"}), "organizationPrivate"},
		{client.FolderAccess, kit.AcmeWith("folderIds", []string{"g", "a"}, map[string]any{"inheritFromParent": true}), "public"},
		{client.FolderAccess, kit.AcmeWith("folderIds", []string{"b"}, map[string]any{"accessType": "organizationPrivate"}), "public"},
		{client.UpdateFolders, kit.AcmeWith("folders", []any{kit.Folder("f in b")}), "organizationPrivate"},
		{client.UpdateFolders, kit.AcmeWith("folders", []any{kit.Folder("g in root", map[string]any{"folderName": "Gee"})}), "public"},
		{client.MoveDocuments, kit.Move("b", append(slices.Clone(all), "inherits")...), "organizationPrivate"},
		{client.DeleteFolder, kit.AcmeWith("folderId", "a"), "organizationPrivate"},
		{client.MoveDocuments, kit.Move("root", append(slices.Clone(all), "inherits")...), "public"},
		{client.UpdateOrganizations, kit.Organization("acme", map[string]any{"accessType": "restricted"}), "restricted"},
	} {
		env.Call(change.operation, change.data, nil)
		holds(fmt.Sprint(change.operation, " ", change.data), change.inherited)
	}
}

// Documents that are moved into a folder which is being deleted go with it, or stay
// where they are and the move is refused.
func TestFolders_4_DeletedWhileDocumentsAreMovedIntoIt(t *testing.T) {
	env := newWorkspace(t)
	kit.Folders(env, "home")
	gone := 0
	for round := range 20 {
		ids := kit.NumberedIDs(fmt.Sprint("d", round, "-"), 4)
		kit.AddToFolder(env, "home", ids...)
		for _, id := range ids {
			kit.Annotate(env, kit.Doc(id, map[string]any{"commentAnnotations": []any{kit.Annotated("of "+id, kit.Wrote("ann", "a"))}}))
		}
		kit.Folders(env, "f", "g in f")
		moved := make([]bool, len(ids))
		kit.Concurrently(len(ids)+1, func(i int) {
			if i == len(ids) {
				_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.DeleteFolder, kit.AcmeWith("folderId", "f"))
				kit.NoError(t, err)
				return
			}
			_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.MoveDocuments, kit.Move([]string{"f", "g"}[i%2], ids[i]))
			if moved[i] = err == nil; err != nil {
				assert.Equal(t, redline.ProblemStatusNotFound, redline.AsError(err).Status)
			}
		})
		var stay []string
		for i, id := range ids {
			if moved[i] {
				kit.SeesNothing(env, id)
				gone++
				continue
			}
			require.Equal(t, [2]int{1, 1}, kit.Counts(env, "bob", id)[id])
			stay = append(stay, id)
		}
		require.ElementsMatch(t, stay, kit.In(env, "home"))
		kit.Folders(env, "f", "g in f") // the ids are free, and name empty folders
		require.Empty(t, append(kit.In(env, "f"), kit.In(env, "g")...))
		env.Call(client.DeleteFolder, kit.AcmeWith("folderId", "f"), nil)
		if len(stay) > 0 {
			kit.Items(env, client.DeleteDocuments, kit.TheseDocuments(stay...))
		}
	}
	t.Logf("%d of 80 documents were moved in time", gone)
}
