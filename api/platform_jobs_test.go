package api_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit"
	"github.com/redline-svc/redline/tests/kit/client"
)

func listJobs(env *kit.Env, data map[string]any) redline.JobListResult {
	env.T.Helper()
	answer, err := client.Call[redline.JobListResult](env.Ctx, env.Keyed, client.ListJobs, data)
	require.NoError(env.T, err)
	return answer
}

func TestJobs_AreListedNewestFirst(t *testing.T) {
	env := newWorkspace(t)
	definition := kit.SignOff(env)
	for range 3 { // each leaves a job that removes what the execution had
		r := kit.Dispatch(env, definition)
		require.True(t, r.Cancel())
		env.Call(client.DeleteExecutions, map[string]any{"executionIds": []string{r.ID}}, nil)
	}
	var seen []string
	query := map[string]any{"pageSize": 2, "status": "pending"}
	for {
		found := listJobs(env, query)
		for _, job := range found.Data.Items {
			require.Equal(t, []any{redline.JobKindRemoval, redline.JobStatusPending}, []any{job.Kind, job.Status})
			require.Nil(t, job.EndedAt)
			require.Nil(t, job.Error)
			require.NotEmpty(t, job.CreatedAt)
			seen = append(seen, job.JobID)
		}
		if found.NextPageToken == "" {
			break
		}
		query["pageToken"] = found.NextPageToken
	}
	require.Len(t, seen, 3)
	require.IsDecreasing(t, seen)
	for _, none := range []map[string]any{{"kinds": []string{"migration", "recovery"}}, {"status": "completed"}} {
		require.Empty(t, listJobs(env, none).Data.Items)
	}
	other := kit.Elsewhere(env)
	require.Empty(t, listJobs(other, map[string]any{}).Data.Items)
	token := listJobs(env, map[string]any{"pageSize": 1}).NextPageToken
	other.RefusedAs("INVALID_ARGUMENT", client.ListJobs, map[string]any{"pageSize": 1, "pageToken": token})
	env.RefusedAs("INVALID_ARGUMENT", client.ListJobs, map[string]any{"pageToken": token, "status": "failed"})
	for _, data := range []map[string]any{{"kinds": []string{}}, {"kinds": []string{"detection"}}, {"status": "done"}, {"pageSize": 0}, {"pageSize": 101}} {
		env.RefusedAs("INVALID_ARGUMENT", client.ListJobs, data)
	}
}
