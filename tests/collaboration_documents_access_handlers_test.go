package tests

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// put adds documents to a folder of acme.
func (s *scene) put(folderID string, ids ...string) {
	s.t.Helper()
	data := documents(ids...)
	data["folderId"] = folderID
	for id, entry := range s.items(addDocuments, data) {
		require.True(s.t, entry.Success, id)
	}
}

// ofDocument is what a user may do with a document of acme.
func (s *scene) ofDocument(user, documentID string) string {
	s.t.Helper()
	return s.permitted(user, nil, []string{documentID}).Documents[documentID].String()
}

func (s *scene) setDocumentAccess(documentID string, access any) {
	s.t.Helper()
	var result client.Wrapped[map[string]accessView]
	s.call(setAccess, inAcme(map[string]any{"documentIds": []string{documentID}, "accessType": access}), &result)
	require.True(s.t, result.Data[documentID].Success)
}

// access is what a user may do with a document: nothing, read or write. It has to have
// a comment by somebody else.
func (s *scene) access(user, documentID string) string {
	s.t.Helper()
	if s.mayWrite(user, documentID) {
		return "write"
	}
	return map[bool]string{true: "read", false: "none"}[s.counts(user, documentID)[documentID][0] > 0]
}

func TestAccess_TheRowsOfTheTableForDocuments(t *testing.T) {
	s := begin(t)
	s.folders("a", "f in a", "g in f")
	s.put("g", "d")
	s.annotate(doc("d", map[string]any{"commentAnnotations": []any{annotated("note", wrote("filer", "a"))}}))
	for _, kind := range []string{"editor", "viewer"} {
		for name, on := range map[string]map[string]any{
			"organization": resource("organization", "acme", role(kind)), "above": resource("folder", "a", role(kind)), "on": resource("folder", "f", role(kind)),
			"between": resource("folder", "g", role(kind)), "document": resource("document", "d", role(kind)),
		} {
			s.grants(name+" "+kind, on)
		}
	}
	s.grants("nearest", resource("folder", "f"), resource("folder", "g", role("viewer")), resource("organization", "acme"))
	want := func(row string, access map[string]string) {
		t.Helper()
		for user, may := range access {
			require.Equal(t, may, s.access(user, "d"), "row %s: %s", row, user)
		}
	}
	none := map[string]string{
		"nobody": "none", "organization editor": "none", "organization viewer": "none", "above editor": "none", "above viewer": "none",
	}
	s.setAccess([]string{"a"}, map[string]any{"accessType": "organizationPrivate"})
	want("6", map[string]string{
		"above editor": "write", "above viewer": "read", "between editor": "write", "between viewer": "read",
		"document editor": "write", "document viewer": "read", "nobody": "none", "nearest": "read",
	})
	s.setAccess([]string{"f"}, map[string]any{"accessType": "restricted"})
	want("10", map[string]string{
		"on editor": "write", "on viewer": "read", "between editor": "write", "between viewer": "read",
		"document editor": "write", "document viewer": "read", "nearest": "read",
	})
	want("11", none)
	s.setDocumentAccess("d", "restricted")
	want("8", none)
	want("8", map[string]string{"on editor": "none", "between editor": "none", "between viewer": "none", "nearest": "none"})
	want("9", map[string]string{"document editor": "write", "document viewer": "read"})
	s.setDocumentAccess("d", "public")
	want("1 and 2", map[string]string{"nobody": "write", "above viewer": "read", "nearest": "read"})
}

func TestPermissionsGet_4_ADocumentThatInheritsAgain(t *testing.T) {
	s := begin(t)
	s.folders("a", "f in a")
	s.put("f", "d")
	s.setAccess([]string{"a"}, map[string]any{"accessType": "organizationPrivate"})
	s.setDocumentAccess("d", "restricted")
	require.Equal(t, "permission_denied restricted", s.ofDocument("ann", "d"))
	s.setDocumentAccess("d", nil)
	require.Equal(t, "permission_denied organizationPrivate", s.ofDocument("ann", "d"))
	s.grants("ann", resource("folder", "a", role("viewer")))
	require.Equal(t, "viewer organizationPrivate", s.ofDocument("ann", "d"))
	s.setAccess([]string{"a"}, map[string]any{"inheritFromParent": true})
	require.Equal(t, []string{"viewer public", "editor public"}, []string{s.ofDocument("ann", "d"), s.ofDocument("bob", "d")})
}

// A reader finds all documents of a subtree that moves to and fro, or none of them; who
// asks after the answer finds what holds then.
func TestFolders_2_AMovedSubtreeChangesAllAccessAtOnce(t *testing.T) {
	s := begin(t)
	s.folders("open", "closed", "f in open", "g in f", "h in g")
	s.setAccess([]string{"open"}, map[string]any{"accessType": "public"})
	s.setAccess([]string{"closed"}, map[string]any{"accessType": "restricted"})
	s.grants("guest", resource("folder", "closed"))
	var ids []string
	for _, folderID := range []string{"f", "g", "h"} {
		some := numberedIDs(folderID, 10)
		s.put(folderID, some...)
		ids = append(ids, some...)
		for _, id := range some {
			s.annotate(doc(id, map[string]any{"commentAnnotations": []any{annotated(unique("note"), wrote("filer", "a"))}}))
		}
	}
	visible := func(user string) (n int) {
		for _, count := range s.counts(user, ids...) {
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
		require.Empty(t, s.changeFolder("f", under(to)))
		require.Equal(t, map[string]int{"open": len(ids), "closed": 0}[to], visible("ann"))
		require.Equal(t, len(ids), visible("guest"))
		for _, id := range []string{"f003", "g007", "h009"} {
			require.Equal(t, []bool{to == "open", true}, []bool{s.mayWrite("ann", id), s.mayWrite("guest", id)}, id)
			require.Equal(t, map[string]string{"open": "public", "closed": "restricted"}[to], *s.oneDocument(id).AccessType)
		}
	}
	over.Store(true)
	reader.Wait()
}

func TestFolders_3_ExplicitAccessSurvivesEveryFolderChange(t *testing.T) {
	s := begin(t)
	s.folders("a", "b", "f in a", "g in f")
	s.items("users/add", acme(nil, users("member")...))
	all := []string{"public", "organizationPrivate", "restricted"}
	s.put("g", append(slices.Clone(all), "inherits")...)
	for _, access := range all {
		s.setDocumentAccess(access, access)
	}
	s.grants("guest", resource("document", "restricted"))
	holds := func(after, inherited string) {
		t.Helper()
		for _, access := range all {
			got := s.oneDocument(access)
			require.Equal(t, []any{access, false}, []any{*got.AccessType, got.InheritAccess}, after)
		}
		require.Equal(t, inherited, *s.oneDocument("inherits").AccessType, after)
		require.Equal(t, []string{"editor public", "permission_denied organizationPrivate", "editor organizationPrivate", "editor restricted"},
			[]string{s.ofDocument("nobody", "public"), s.ofDocument("nobody", "organizationPrivate"), s.ofDocument("member", "organizationPrivate"), s.ofDocument("guest", "restricted")}, after)
		require.Equal(t, "permission_denied restricted", s.ofDocument("member", "restricted"), after)
	}
	holds("at first", "public")
	for _, change := range []struct {
		operation string
		data      map[string]any
		inherited string
	}{
		{folderAccess, acmeWith("folderIds", []string{"a"}, map[string]any{"accessType": "restricted"}), "restricted"},
		{folderAccess, acmeWith("folderIds", []string{"g"}, map[string]any{"accessType": "organizationPrivate"}), "organizationPrivate"},
		{folderAccess, acmeWith("folderIds", []string{"g", "a"}, map[string]any{"inheritFromParent": true}), "public"},
		{folderAccess, acmeWith("folderIds", []string{"b"}, map[string]any{"accessType": "organizationPrivate"}), "public"},
		{updateFolders, acmeWith("folders", []any{folder("f in b")}), "organizationPrivate"},
		{updateFolders, acmeWith("folders", []any{folder("g in root", map[string]any{"folderName": "Gee"})}), "public"},
		{moveDocuments, move("b", append(slices.Clone(all), "inherits")...), "organizationPrivate"},
		{deleteFolder, acmeWith("folderId", "a"), "organizationPrivate"},
		{moveDocuments, move("root", append(slices.Clone(all), "inherits")...), "public"},
		{updateOrganizations, organization("acme", map[string]any{"accessType": "restricted"}), "restricted"},
	} {
		s.call(change.operation, change.data, nil)
		holds(fmt.Sprint(change.operation, " ", change.data), change.inherited)
	}
}

// Documents that are moved into a folder which is being deleted go with it, or stay
// where they are and the move is refused.
func TestFolders_4_DeletedWhileDocumentsAreMovedIntoIt(t *testing.T) {
	s := begin(t)
	s.folders("home")
	gone := 0
	for round := range 20 {
		ids := numberedIDs(fmt.Sprint("d", round, "-"), 4)
		s.put("home", ids...)
		for _, id := range ids {
			s.annotate(doc(id, map[string]any{"commentAnnotations": []any{annotated("of "+id, wrote("ann", "a"))}}))
		}
		s.folders("f", "g in f")
		moved := make([]bool, len(ids))
		together(len(ids)+1, func(i int) {
			if i == len(ids) {
				_, err := client.Call[json.RawMessage](s.ctx, s.keyed, deleteFolder, acmeWith("folderId", "f"))
				fine(t, err)
				return
			}
			_, err := client.Call[json.RawMessage](s.ctx, s.keyed, moveDocuments, move([]string{"f", "g"}[i%2], ids[i]))
			if moved[i] = err == nil; err != nil {
				assert.Equal(t, "NOT_FOUND", client.Refusal(err).Status)
			}
		})
		var stay []string
		for i, id := range ids {
			if moved[i] {
				s.seesNothing(id)
				gone++
				continue
			}
			require.Equal(t, [2]int{1, 1}, s.counts("bob", id)[id])
			stay = append(stay, id)
		}
		require.ElementsMatch(t, stay, s.in("home"))
		s.folders("f", "g in f") // the ids are free, and name empty folders
		require.Empty(t, append(s.in("f"), s.in("g")...))
		s.call(deleteFolder, acmeWith("folderId", "f"), nil)
		if len(stay) > 0 {
			s.items(deleteDocuments, theseDocuments(stay...))
		}
	}
	t.Logf("%d of 80 documents were moved in time", gone)
}
