package workspace

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/cursor"
	"github.com/redline-svc/redline/models/job"
)

type jobStore interface {
	List(ctx context.Context, workspaceID string, f job.Filter, after *job.Position, size int) (*job.Page, error)
}

// Jobs is the operation on jobs: work that a call promised and that takes longer than an answer.
type Jobs struct {
	store   jobStore
	cursors *cursor.Codec
}

// NewJobs makes the operation.
func NewJobs(store jobStore, cursors *cursor.Codec) *Jobs { return &Jobs{store, cursors} }

// ListJobs is the request of jobs/list.
type ListJobs struct {
	Kinds     []string `json:"kinds,omitempty" minItems:"1" maxItems:"10" enum:"migration,recovery,removal,export,erasure"`
	Status    string   `json:"status,omitempty" enum:"pending,in_progress,completed,failed"`
	PageSize  int      `json:"pageSize,omitempty" minimum:"1" maximum:"100" example:"50" doc:"default 50"`
	PageToken string   `json:"pageToken,omitempty" minLength:"1" example:"8mNq2v5yBxE0hKjRlTnZpQ"`
}

// JobView is a job.
type JobView struct {
	JobID     string        `json:"jobId"`
	Kind      string        `json:"kind" enum:"migration,recovery,removal,export,erasure"`
	Status    string        `json:"status" enum:"pending,in_progress,completed,failed"`
	CreatedAt string        `json:"createdAt" format:"date-time"`
	EndedAt   *string       `json:"endedAt" format:"date-time" doc:"null while it has not ended"`
	Counts    JobCounts     `json:"counts"`
	Error     *JobErrorView `json:"error" doc:"null unless it has failed"`
}

// JobCounts are how far a job is.
type JobCounts struct {
	Done int64 `json:"done" doc:"rows dealt with"`
}

// JobErrorView is why a job has failed.
type JobErrorView struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// JobList is a page of jobs, newest first.
type JobList struct {
	Items []JobView `json:"items"`
}

// jobKinds are the kinds that callers have promised to them, by their words. What the service does by
// itself is not listed.
var jobKinds = map[string]string{"migration": job.Migration, "recovery": job.Recovery, "removal": job.Removal, "export": job.Export, "erasure": job.Erasure}

const (
	jobList     = "workspace/jobs/list"
	jobPageSize = 50
)

// List reads a page of the workspace's jobs.
func (j *Jobs) List(ctx context.Context, req *ListJobs) (*rpc.Success[JobList], error) {
	words := req.Kinds
	if words == nil {
		words = slices.Sorted(maps.Keys(jobKinds))
	}
	filter := job.Filter{Kinds: rpc.Each(words, func(word string) string { return jobKinds[word] }), Status: req.Status}
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	pages := rpc.Pages{Codec: j.cursors, Field: "pageToken", WorkspaceID: workspaceID, List: jobList, Filters: filter}
	found, next, err := rpc.List(pages, req.PageToken, viewJob, func(after *job.Position) (*job.Page, error) {
		return j.store.List(ctx, workspaceID, filter, after, cmp.Or(req.PageSize, jobPageSize))
	})
	return rpc.Found("Jobs found.", JobList{found}, next, err)
}

func viewJob(l job.Listed) JobView {
	view := JobView{JobID: l.ID, Status: l.Status, CreatedAt: rpc.FormatTime(l.CreatedAt), Counts: JobCounts{l.Done}}
	for word, kind := range jobKinds {
		if kind == l.Kind {
			view.Kind = word
		}
	}
	if l.EndedAt != nil {
		view.EndedAt = new(rpc.FormatTime(*l.EndedAt))
	}
	if l.Failure != nil {
		view.Error = &JobErrorView{l.Failure.Code, l.Failure.Message}
	}
	return view
}

// ExampleJobs is a page of jobs.
const ExampleJobs = `{"status":"success","message":"Jobs found.","data":{"items":[{"jobId":"mig_01kdvm9w00abcdefghjkmnpqrs","kind":"migration",
	"status":"completed","createdAt":"2026-01-01T00:00:00.000Z","endedAt":"2026-01-01T00:00:01.000Z","counts":{"done":12},"error":null}]}}`
