package collaboration

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestFoldersDelete_TakesAllBelowAndFreesTheIds(t *testing.T) {
	env := kit.NewWorkspace(t)
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
