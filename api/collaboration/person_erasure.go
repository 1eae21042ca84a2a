package collaboration

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/person"
)

// ErasePersons is the request of users/data/delete.
type ErasePersons struct {
	UserIDs         []string `json:"userIds" minItems:"1" maxItems:"100" minLength:"1" maxLength:"200" format:"caller-id" doc:"the ids, names, addresses and pictures that these people were ever known by are 1,000 at most together"`
	OrganizationIDs []string `json:"organizationIds,omitempty" selector:"true" maxItems:"30" minLength:"1" maxLength:"200" format:"caller-id" doc:"in these only; absent means all"`
}

// ErasureAccepted is the answer of users/data/delete.
type ErasureAccepted struct {
	JobID      string `json:"jobId" doc:"ask users/data/delete/status about it"`
	TasksCount int    `json:"tasksCount"`
}

// Erase ends the access of people and promises that what is kept of them goes.
func (p *Persons) Erase(ctx context.Context, req *ErasePersons) (*rpc.Success[ErasureAccepted], error) {
	accepted, err := p.store.Erase(ctx, rpc.CallerFrom(ctx).WorkspaceID, person.Erasure{UserIDs: req.UserIDs, OrganizationIDs: req.OrganizationIDs})
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Erasure accepted.", ErasureAccepted{accepted.JobID, accepted.Tasks}), nil
}

// ErasureView is how an erasure stands.
type ErasureView struct {
	JobID                 string      `json:"jobId"`
	Status                string      `json:"status" enum:"pending,in_progress,completed,failed"`
	IsDeleteCompleted     bool        `json:"isDeleteCompleted"`
	TasksLeft             int         `json:"tasksLeft"`
	LastTaskCompletedTime *int64      `json:"lastTaskCompletedTime" doc:"epoch milliseconds, null before the first"`
	Error                 *JobFailure `json:"error,omitempty" doc:"why it has failed"`
}

// ErasureStatus returns how an erasure stands.
func (p *Persons) ErasureStatus(ctx context.Context, req *PersonJob) (*rpc.Success[ErasureView], error) {
	at, err := p.store.ErasureStatus(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.JobID)
	if err != nil {
		return nil, err
	}
	view := ErasureView{
		JobID: req.JobID, Status: at.State(), IsDeleteCompleted: at.State() == job.Completed, TasksLeft: at.TasksLeft, LastTaskCompletedTime: millis(at.LastTaskAt),
	}
	if at.Failure != nil {
		view.Error = &JobFailure{at.Failure.Code, at.Failure.Message}
	}
	return rpc.Succeed("Erasure read.", view), nil
}
