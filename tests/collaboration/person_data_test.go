package collaboration

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

// personJob is how a job about the data of people stands.
type personJob struct {
	JobID, Status, DownloadURL string
	IsDeleteCompleted          bool
}

// personJobDone asks for a job about the data of people and waits for its end.
func personJobDone(env *kit.Env, ask, status string, data map[string]any) personJob {
	env.T.Helper()
	var job client.Wrapped[personJob]
	env.Call(ask, data, &job)
	id := job.Data.JobID
	kit.RequireEventually(env.T, ask+" is done", func() bool {
		env.Call(status, map[string]any{"jobId": id}, &job)
		return job.Data.Status == "completed"
	})
	return job.Data
}

func TestUsersData_HandedOutAndForgotten(t *testing.T) {
	env := kit.NewWorkspace(t)
	kit.Annotate(env, kit.Made("d", kit.Annotated("mine", kit.Wrote("bob", "I said so")), kit.Annotated("theirs", kit.Wrote("ann", "Ask {{bob}}"))))
	written := personJobDone(env, client.ExportUserData, client.ExportStatus, kit.InAcme(map[string]any{"userId": "bob"}))
	file, err := env.Keyed.Do(t.Context(), http.MethodGet, written.DownloadURL[len(env.Keyed.BaseURL):], nil, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, file.HTTP)
	require.Equal(t, "PK", string(file.Body[:2]))

	require.True(t, personJobDone(env, client.EraseUserData, client.ErasureStatus, map[string]any{"userIds": []string{"bob"}}).IsDeleteCompleted)
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
