package collaboration

import (
	"context"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/api/signed"
	"github.com/redline-svc/redline/models/person"
)

// ExportPersonData is the request of users/data/export.
type ExportPersonData struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	UserID         string `json:"userId" minLength:"1" maxLength:"200" format:"caller-id"`
}

// ExportAccepted is the answer of users/data/export.
type ExportAccepted struct {
	JobID  string `json:"jobId" doc:"ask users/data/export/status about it"`
	Status string `json:"status" enum:"pending"`
}

// Export promises a file with what is kept of a person.
func (p *Persons) Export(ctx context.Context, req *ExportPersonData) (*rpc.Success[ExportAccepted], error) {
	id, err := p.store.Export(ctx, rpc.CallerFrom(ctx).WorkspaceID, person.Of{OrganizationID: req.OrganizationID, UserID: req.UserID})
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Export accepted.", ExportAccepted{id, "pending"}), nil
}

// PersonJob names a job about the data of people.
type PersonJob struct {
	JobID string `json:"jobId" minLength:"1" maxLength:"200" format:"caller-id"`
}

// ExportView is how an export stands.
type ExportView struct {
	JobID       string       `json:"jobId"`
	Status      string       `json:"status" enum:"pending,in_progress,completed,failed"`
	Counts      ExportCounts `json:"counts"`
	DownloadURL string       `json:"downloadUrl,omitempty" doc:"an archive; good for 15 minutes, each call makes another one"`
	ExpiresAt   *int64       `json:"expiresAt,omitempty" doc:"epoch milliseconds; until then the file is kept"`
	Error       *JobFailure  `json:"error,omitempty" doc:"why it has failed"`
}

// ExportCounts are how much of each kind an export has.
type ExportCounts struct {
	Comments      int64 `json:"comments"`
	Notifications int64 `json:"notifications"`
	Activities    int64 `json:"activities"`
	Grants        int64 `json:"grants"`
}

// JobFailure is why a job has failed.
type JobFailure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// ExportStatus returns how an export stands, and where its file is.
func (p *Persons) ExportStatus(ctx context.Context, req *PersonJob) (*rpc.Success[ExportView], error) {
	workspaceID := rpc.CallerFrom(ctx).WorkspaceID
	at, err := p.store.ExportStatus(ctx, workspaceID, req.JobID)
	if err != nil {
		return nil, err
	}
	view := ExportView{JobID: req.JobID, Status: at.State(), Counts: ExportCounts(at.Counts)}
	if at.FileUntil != nil {
		view.DownloadURL = p.signer.URL(signed.Download{WorkspaceID: workspaceID, ExportID: req.JobID})
		view.ExpiresAt = millis(at.FileUntil)
	}
	if at.Failure != nil {
		view.Error = &JobFailure{at.Failure.Code, at.Failure.Message}
	}
	return rpc.Succeed("Export read.", view), nil
}

// Open finds the file of an export.
func (p *Persons) Open(ctx context.Context, d signed.Download) (*rpc.File, error) {
	key, err := p.store.ExportFile(ctx, d.WorkspaceID, d.ExportID)
	if err != nil {
		return nil, err
	}
	content, err := signed.Content(ctx, p.files, key)
	if err != nil {
		return nil, err
	}
	return &rpc.File{Name: d.ExportID + ".zip", MimeType: "application/zip", Content: content}, nil
}
