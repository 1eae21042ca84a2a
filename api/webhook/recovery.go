package webhook

import (
	"context"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/delivery"
)

// RecoverEndpoint is the request of endpoints/recover.
type RecoverEndpoint struct {
	EndpointRef
	Since rpc.Instant `json:"since" doc:"messages made from then on; as long ago as payloads are kept"`
	Until rpc.Instant `json:"until,omitempty" doc:"up to then; default now"`
}

// Validate wants the window to have a beginning before its end.
func (r *RecoverEndpoint) Validate() []fault.Issue {
	if since, until := r.Since.Time(), r.Until.Time(); since != nil && until != nil && since.After(*until) {
		return []fault.Issue{{Code: shape.Conflict, Path: []string{"since"}, Message: "must not be after until"}}
	}
	return nil
}

// CheckRecover wants the window to begin while its payloads are kept, and not later than
// now.
func (e *Endpoints) CheckRecover(_ context.Context, req *RecoverEndpoint) error {
	now, since := time.Now(), req.Since.Time()
	switch {
	case since == nil || since.Before(now.Add(-e.kept)):
		return fault.InvalidArgument(fault.Issue{Code: shape.Range, Path: []string{"since"}, Message: "is longer ago than payloads are kept"})
	case since.After(now):
		return fault.InvalidArgument(fault.Issue{Code: shape.Range, Path: []string{"since"}, Message: "must not be in the future"})
	default:
		return nil
	}
}

// StartedRecovery is what endpoints/recover answers.
type StartedRecovery struct {
	RecoveryID string `json:"recoveryId" doc:"ask endpoints/recover/get about it"`
	EndpointID string `json:"endpointId"`
	Since      string `json:"since" format:"date-time"`
	Until      string `json:"until" format:"date-time"`
	Status     string `json:"status" enum:"running,completed,failed" doc:"completed when all is queued"`
}

func viewStarted(r delivery.Recovery) StartedRecovery {
	return StartedRecovery{r.ID, r.EndpointID, rpc.FormatTime(r.Since), rpc.FormatTime(r.Until), r.State()}
}

// Recover queues again what an endpoint missed, soon.
func (e *Endpoints) Recover(ctx context.Context, req *RecoverEndpoint) (*rpc.Success[StartedRecovery], error) {
	caller := rpc.CallerFrom(ctx)
	made, err := e.store.Recover(ctx, caller.WorkspaceID, caller, req.EndpointID, *req.Since.Time(), req.Until.Time())
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Recovery accepted.", viewStarted(made)), nil
}

// GetRecovery is the request of endpoints/recover/get.
type GetRecovery struct {
	RecoveryID string `json:"recoveryId" minLength:"1" maxLength:"200"`
}

// RecoveryView is how a recovery stands.
type RecoveryView struct {
	StartedRecovery
	Examined int64 `json:"examined" doc:"messages of the window that were looked at"`
	Requeued int64 `json:"requeued" doc:"those of them that were queued again"`
}

// Recovery returns how a recovery stands.
func (e *Endpoints) Recovery(ctx context.Context, req *GetRecovery) (*rpc.Success[RecoveryView], error) {
	found, err := e.store.Recovery(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.RecoveryID)
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Recovery found.", RecoveryView{viewStarted(found), found.Examined, found.Requeued}), nil
}
