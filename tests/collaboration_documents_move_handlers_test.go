package tests

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/client"
)

// topFolders makes folders at the top of an organization.
func (s *scene) topFolders(organizationID string, ids ...string) {
	s.t.Helper()
	for _, id := range ids {
		level := map[string]any{"organizationId": organizationID, "folderId": id, "createFolder": true, "users": users("keeper")}
		require.True(s.t, s.items("users/add", level)["keeper"].Success)
	}
}

// move is a call that moves documents of acme.
func move(folderID string, ids ...string) map[string]any {
	return inAcme(map[string]any{"folderId": folderID, "documentIds": ids})
}

// in are the ids of the documents in a folder of acme.
func (s *scene) in(folderID string) []string {
	s.t.Helper()
	return idsIn(s.walked(getDocuments, inAcme(map[string]any{"folderId": folderID})))
}

func TestDocumentsMove_1to3and5(t *testing.T) {
	s := begin(t)
	s.topFolders("acme", "f", "a/b")
	s.topFolders("other", "theirs")
	ids := numberedIDs("d", 29)
	s.items(addDocuments, documents(ids...))
	reply, err := s.keyed.Send(s.ctx, "/v2/"+moveDocuments, fitting(t, move("f", ids...)), nil)
	require.NoError(t, err)
	var answer struct {
		Result map[string]any `json:"result"`
	}
	require.NoError(t, json.Unmarshal(reply.Body, &answer))
	require.ElementsMatch(t, []string{"status", "message"}, keysOf(answer.Result))
	require.ElementsMatch(t, ids, s.in("f"))

	before := s.oneDocument("d003")
	s.call(moveDocuments, move("f", "d003"), nil)
	require.Equal(t, before, s.oneDocument("d003"), "it is there already: no change")
	require.Equal(t, map[string]any{"reason": "not-found", "documentIds": []any{"x", "y"}},
		s.details(moveDocuments, move("root", append([]string{"x", "y", "x"}, ids[:27]...)...)))
	require.Len(t, s.in("f"), 29, "none was moved")
	s.call(moveDocuments, move("a/b", "d001", "d001"), nil)
	require.Equal(t, []string{"d001"}, s.in("a/b"))
	for _, unknown := range []string{"theirs", "unknown"} {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": "folder", "id": unknown}, s.details(moveDocuments, move(unknown, "d001", "x")))
	}
	s.call(moveDocuments, move("root", "d001", "d002"), nil)
	require.ElementsMatch(t, []string{"d001", "d002"}, s.in("root"))
	require.Nil(t, s.oneDocument("d001").FolderID)
	s.elsewhere().refusedAs("NOT_FOUND", moveDocuments, move("root", "d001"))
}

// A document that inherits its access takes that of where it is moved at once; grants on
// it stay, and its annotations do not count as changed.
func TestDocumentsMove_AccessFollowsTheFolder(t *testing.T) {
	s := begin(t)
	s.call(updateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate"}, nil)
	s.items("users/add", acme(map[string]any{"folderId": "f", "createFolder": true}, users("guest")...))
	s.items("users/add", acme(map[string]any{"documentId": "d", "createDocument": true}, users("owner")...))
	s.items("users/add", acme(nil, users("member")...))
	s.annotate(made("d", annotated("a", wrote("ann", "a"))))
	read := older[[]annotationView](s, getAnnotations, doc("d", map[string]any{"annotationIds": []string{"a"}})).Data
	require.Equal(t, []bool{true, false, true}, []bool{s.mayWrite("owner", "d"), s.mayWrite("guest", "d"), s.mayWrite("member", "d")})
	s.call(moveDocuments, move("f", "d"), nil)
	require.Equal(t, []bool{true, true, true}, []bool{s.mayWrite("owner", "d"), s.mayWrite("guest", "d"), s.mayWrite("member", "d")})
	require.Equal(t, read, older[[]annotationView](s, getAnnotations, doc("d", map[string]any{"annotationIds": []string{"a"}})).Data)
	s.call(moveDocuments, move("root", "d"), nil)
	require.False(t, s.mayWrite("guest", "d"), "the grant on the folder does not reach it any more")
}

func TestDocumentsMove_4_TwoConcurrentMoves(t *testing.T) {
	s := begin(t)
	s.topFolders("acme", "f", "g")
	s.items(addDocuments, documents("d", "e"))
	for range 20 {
		together(2, func(i int) {
			ids := [][]string{{"d", "e"}, {"e", "d"}}[i]
			_, err := client.Call[json.RawMessage](s.ctx, s.keyed, moveDocuments, move([]string{"f", "g"}[i], ids...))
			fine(t, err)
		})
		require.ElementsMatch(t, []string{"d", "e"}, append(s.in("f"), s.in("g")...))
		require.Contains(t, []int{0, 2}, len(s.in("f")), "both went to the folder of the later move")
	}
}

// A thousand moves at once of thirty documents between ten folders all succeed, and each
// document is in exactly one folder.
func TestDocumentsMove_ThousandMovesBetweenTenFolders(t *testing.T) {
	s := begin(t)
	folders, ids := numberedIDs("f", 10), numberedIDs("d", 30)
	s.topFolders("acme", folders...)
	s.items(addDocuments, documents(ids...))
	together(1000, func(i int) {
		var some []string
		for k := range 1 + i%30 {
			some = append(some, ids[(i*7+k*13)%30])
		}
		_, err := client.Call[json.RawMessage](s.ctx, s.keyed, moveDocuments, move(folders[i*3%10], some...))
		fine(t, err)
	})
	var found []string
	for _, folder := range folders {
		for _, id := range s.in(folder) {
			require.Equal(t, folder, *s.oneDocument(id).FolderID)
			found = append(found, id)
		}
	}
	require.ElementsMatch(t, ids, found, fmt.Sprint("outside of all folders: ", s.in("root")))
}

// fitting is a request of this data.
func fitting(t *testing.T, data map[string]any) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(t, err)
	return body
}
