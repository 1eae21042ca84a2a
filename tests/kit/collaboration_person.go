package kit

import "github.com/redline-svc/redline/tests/kit/client"

// PersonJob is how a job about the data of people stands.
type PersonJob struct {
	JobID, Status, DownloadURL string
	IsDeleteCompleted          bool
}

// PersonJobDone asks for a job about the data of people and waits for its end.
func PersonJobDone(env *Env, ask, status string, data map[string]any) PersonJob {
	env.T.Helper()
	var job client.Wrapped[PersonJob]
	env.Call(ask, data, &job)
	return PersonJobEnds(env, status, job.Data.JobID)
}

// PersonJobEnds waits for the end of such a job.
func PersonJobEnds(env *Env, status, id string) PersonJob {
	env.T.Helper()
	var job client.Wrapped[PersonJob]
	RequireWithin(env.T, Patience, status+" says that it is done", func() bool {
		env.Call(status, map[string]any{"jobId": id}, &job)
		return job.Data.Status == "completed"
	})
	return job.Data
}
