package api_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestDocumentsMove_1to3and5(t *testing.T) {
	env := newWorkspace(t)
	kit.TopFolders(env, "acme", "f", "a/b")
	kit.TopFolders(env, "other", "theirs")
	ids := kit.NumberedIDs("d", 29)
	kit.Items(env, client.AddDocuments, kit.Documents(ids...))
	reply, err := env.Keyed.Send(env.Ctx, "/v2/"+client.MoveDocuments, fitting(t, kit.Move("f", ids...)), nil)
	require.NoError(t, err)
	var answer struct {
		Result map[string]any `json:"result"`
	}
	require.NoError(t, json.Unmarshal(reply.Body, &answer))
	require.ElementsMatch(t, []string{"status", "message"}, keysOf(answer.Result))
	require.ElementsMatch(t, ids, kit.In(env, "f"))

	before := kit.OneDocument(env, "d003")
	env.Call(client.MoveDocuments, kit.Move("f", "d003"), nil)
	require.Equal(t, before, kit.OneDocument(env, "d003"), "it is there already: no change")
	require.Equal(t, map[string]any{"reason": "not-found", "documentIds": []any{"x", "y"}},
		kit.Details(env, client.MoveDocuments, kit.Move("root", append([]string{"x", "y", "x"}, ids[:27]...)...)))
	require.Len(t, kit.In(env, "f"), 29, "none was moved")
	env.Call(client.MoveDocuments, kit.Move("a/b", "d001", "d001"), nil)
	require.Equal(t, []string{"d001"}, kit.In(env, "a/b"))
	for _, unknown := range []string{"theirs", "unknown"} {
		require.Equal(t, map[string]any{"reason": "not-found", "resource": "folder", "id": unknown}, kit.Details(env, client.MoveDocuments, kit.Move(unknown, "d001", "x")))
	}
	env.Call(client.MoveDocuments, kit.Move("root", "d001", "d002"), nil)
	require.ElementsMatch(t, []string{"d001", "d002"}, kit.In(env, "root"))
	require.Nil(t, kit.OneDocument(env, "d001").FolderID)
	kit.Elsewhere(env).RefusedAs("NOT_FOUND", client.MoveDocuments, kit.Move("root", "d001"))
}

// A document that inherits its access takes that of where it is moved at once; grants on
// it stay, and its annotations do not count as changed.
func TestDocumentsMove_AccessFollowsTheFolder(t *testing.T) {
	env := newWorkspace(t)
	env.Call(client.UpdateSettings, map[string]any{"defaultDocumentAccessType": "organizationPrivate"}, nil)
	kit.Items(env, client.AddUsers, kit.Acme(map[string]any{"folderId": "f", "createFolder": true}, kit.Users("guest")...))
	kit.Items(env, client.AddUsers, kit.Acme(map[string]any{"documentId": "d", "createDocument": true}, kit.Users("owner")...))
	kit.Items(env, client.AddUsers, kit.Acme(nil, kit.Users("member")...))
	kit.Annotate(env, kit.Made("d", kit.Annotated("a", kit.Wrote("ann", "a"))))
	read := kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d", map[string]any{"annotationIds": []string{"a"}})).Data
	require.Equal(t, []bool{true, false, true}, []bool{kit.MayWrite(env, "owner", "d"), kit.MayWrite(env, "guest", "d"), kit.MayWrite(env, "member", "d")})
	env.Call(client.MoveDocuments, kit.Move("f", "d"), nil)
	require.Equal(t, []bool{true, true, true}, []bool{kit.MayWrite(env, "owner", "d"), kit.MayWrite(env, "guest", "d"), kit.MayWrite(env, "member", "d")})
	require.Equal(t, read, kit.Older[[]redline.Annotation](env, kit.GetAnnotations, kit.Doc("d", map[string]any{"annotationIds": []string{"a"}})).Data)
	env.Call(client.MoveDocuments, kit.Move("root", "d"), nil)
	require.False(t, kit.MayWrite(env, "guest", "d"), "the grant on the folder does not reach it any more")
}

func TestDocumentsMove_4_TwoConcurrentMoves(t *testing.T) {
	env := newWorkspace(t)
	kit.TopFolders(env, "acme", "f", "g")
	kit.Items(env, client.AddDocuments, kit.Documents("d", "e"))
	for range 20 {
		kit.Concurrently(2, func(i int) {
			ids := [][]string{{"d", "e"}, {"e", "d"}}[i]
			_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.MoveDocuments, kit.Move([]string{"f", "g"}[i], ids...))
			kit.NoError(t, err)
		})
		require.ElementsMatch(t, []string{"d", "e"}, append(kit.In(env, "f"), kit.In(env, "g")...))
		require.Contains(t, []int{0, 2}, len(kit.In(env, "f")), "both went to the folder of the later move")
	}
}

func TestDocumentsMove_ManyMovesBetweenTenFolders(t *testing.T) { movesBetweenFolders(t, 150) }

func TestLong_DocumentsMove_ThousandMovesBetweenTenFolders(t *testing.T) {
	movesBetweenFolders(t, 1000)
}

// movesBetweenFolders requires that so many moves at once of thirty documents between ten
// folders all succeed, and that each document is in exactly one folder then.
func movesBetweenFolders(t *testing.T, moves int) {
	t.Helper()
	env := newWorkspace(t)
	folders, ids := kit.NumberedIDs("f", 10), kit.NumberedIDs("d", 30)
	kit.TopFolders(env, "acme", folders...)
	kit.Items(env, client.AddDocuments, kit.Documents(ids...))
	kit.Concurrently(moves, func(i int) {
		var some []string
		for k := range 1 + i%30 {
			some = append(some, ids[(i*7+k*13)%30])
		}
		_, err := client.Call[json.RawMessage](env.Ctx, env.Keyed, client.MoveDocuments, kit.Move(folders[i*3%10], some...))
		kit.NoError(t, err)
	})
	var found []string
	for _, folder := range folders {
		for _, id := range kit.In(env, folder) {
			require.Equal(t, folder, *kit.OneDocument(env, id).FolderID)
			found = append(found, id)
		}
	}
	require.ElementsMatch(t, ids, found, fmt.Sprint("outside of all folders: ", kit.In(env, "root")))
}

// fitting is a request of this data.
func fitting(t *testing.T, data map[string]any) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{"data": data})
	require.NoError(t, err)
	return body
}
