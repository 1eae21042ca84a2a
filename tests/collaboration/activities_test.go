package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestActivities_5_RecordsFollowAMigratedDocument(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Folders(env, "f")
	kit.Items(env, client.AddDocuments, kit.Document("old", nil))
	kit.Annotate(env, kit.Made("old", kit.VisibleTo(kit.Annotated("n", kit.Wrote("ann", "hello", kit.TriggerActivities)), "eve")))
	kit.AddActivities(env, "old", kit.Activity("ann", "x", kit.Identified("one")), kit.Activity("bob", "y", kit.Identified("two")), kit.Activity("bob", "z", kit.Identified("three")))
	of := func(id string) []redline.Activity { return kit.Log(env, map[string]any{"documentId": id}) }
	before := underOne(t, of, "old", "new")
	require.Len(t, before, 4)
	var first redline.ActivityListResult
	env.Call(client.GetActivities, kit.Doc("old", map[string]any{"pageSize": 2}), &first)
	require.NotEmpty(t, first.NextPageToken)

	kit.Follows(env, "old", "new")
	env.Call(client.MoveDocuments, kit.Move("f", "new"), nil)
	after := underOne(t, of, "new", "old")
	require.Len(t, after, 4)
	for i, a := range after {
		require.NotNil(t, a.Metadata.FolderID)
		require.Equal(t, []any{"new", "f"}, []any{*a.Metadata.DocumentID, *a.Metadata.FolderID}, "where it is now")
		before[i].Metadata = a.Metadata
	}
	require.Equal(t, before, after)
	require.Equal(t, []string{"x", "y", "z"}, kit.SeenBy(env, "bob", map[string]any{"documentId": "new"}))
	require.Len(t, kit.Log(env), 4)
	var rest redline.ActivityListResult
	env.Call(client.GetActivities, kit.Doc("old", map[string]any{"pageSize": 2, "pageToken": first.NextPageToken}), &rest)
	require.Empty(t, rest.Data)
	require.Empty(t, rest.NextPageToken)
}
