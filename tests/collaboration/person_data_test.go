package collaboration

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
	"github.com/redline-svc/redline/tests/kit/proxy"
	"github.com/redline-svc/redline/tests/kit/stack"
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
	var left redline.WholeAnnotationListResult
	env.Call(client.GetAnnotations, kit.InAcme(kit.InDocument("d")), &left)
	require.Len(t, left.Data, 1)
	require.Equal(t, "Ask [deleted user]", left.Data[0].Comments[0].CommentText)
	gone, err := env.Keyed.Do(t.Context(), http.MethodGet, written.DownloadURL[len(env.Keyed.BaseURL):], nil, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, gone.HTTP)
}

// underFire kills a worker where it sends a statement, and starts it again.
type underFire struct {
	*kit.IsolatedStack

	worker *stack.Service
}

// at restarts the worker and kills it where it sends the statement.
func (f *underFire) at(statement string) {
	f.T.Helper()
	held := f.Rows.HoldRequest(proxy.Says(statement))
	f.Restart(f.worker) // a new process sends the text of each statement once
	kit.RequireReached(f.T, statement, held.Reached())
	f.worker.Kill()
	held.Drop()
}

func TestUsersDataExport_3andDelete_4_AWorkerKilledInTheMidst(t *testing.T) {
	isolated := kit.NewIsolatedStack(t)
	env := isolated.NewWorkspace(isolated.StartProcess("api"))
	f := &underFire{isolated, isolated.StartProcess("worker")}
	f.worker.Kill()
	who := kit.NewPerson()
	kit.TakesPart(env, who, "ann") // it asks for an export
	var exporting client.Wrapped[kit.PersonJob]
	env.Call(client.ExportUserData, kit.InAcme(map[string]any{"userId": who.ID}), &exporting)
	for _, statement := range []string{"UPDATE exports SET open = false"} {
		f.at(statement)
	}
	f.Restart(f.worker)
	require.NotEmpty(t, kit.PersonJobEnds(env, client.ExportStatus, exporting.Data.JobID).DownloadURL)

	f.worker.Kill()
	var erasing, again client.Wrapped[kit.PersonJob]
	env.Call(client.EraseUserData, map[string]any{"userIds": []string{who.ID}}, &erasing)
	for _, statement := range []string{"UPDATE step_reviewers", "DELETE FROM erased_marks"} {
		f.at(statement)
		env.Call(client.EraseUserData, map[string]any{"userIds": []string{who.ID}}, &again)
		require.Equal(t, erasing.Data.JobID, again.Data.JobID)
	}
	f.Restart(f.worker)
	require.True(t, kit.PersonJobEnds(env, client.ErasureStatus, erasing.Data.JobID).IsDeleteCompleted)
	require.Empty(t, kit.RowsWith(env, who.Marks()))
	f.AtRest()
}
