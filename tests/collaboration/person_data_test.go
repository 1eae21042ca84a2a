package collaboration

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func TestUsersData_HandedOutAndForgotten(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("mine", kit.Wrote("bob", "I said so")), kit.Annotated("theirs", kit.Wrote("ann", "Ask {{bob}}"))))
	written := kit.PersonJobDone(env, client.ExportUserData, client.ExportStatus, kit.InAcme(map[string]any{"userId": "bob"}))
	file, err := env.Keyed.Do(t.Context(), http.MethodGet, written.DownloadURL[len(env.Keyed.BaseURL):], nil, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, file.HTTP)
	require.Equal(t, "PK", string(file.Body[:2]))

	require.True(t, kit.PersonJobDone(env, client.EraseUserData, client.ErasureStatus, map[string]any{"userIds": []string{"bob"}}).IsDeleteCompleted)
	var left client.Wrapped[[]struct {
		AnnotationID string
		Comments     []struct{ CommentText string }
	}]
	env.Call(client.GetAnnotations, kit.InAcme(kit.InDocument("d")), &left)
	require.Len(t, left.Data, 1)
	require.Equal(t, "Ask [deleted user]", left.Data[0].Comments[0].CommentText)
	gone, err := env.Keyed.Do(t.Context(), http.MethodGet, written.DownloadURL[len(env.Keyed.BaseURL):], nil, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, gone.HTTP)
}
