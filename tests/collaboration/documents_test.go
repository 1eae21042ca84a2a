package collaboration

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// The answer does not wait for what is inside, however much that is: nothing of it is
// read or changed by the delete.
func TestDocumentsDelete_4_AllIsGoneAtOnceAndTheIdIsNew(t *testing.T) {
	env := kit.NewWorkspace(t)
	holds(env, "d", 1000)
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
	env := kit.NewWorkspace(t)
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
