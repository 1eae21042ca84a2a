package collaboration

import (
	"context"
	"time"

	"github.com/redline-svc/redline/api/rpc"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
)

type migrationStore interface {
	Migrate(ctx context.Context, workspaceID string, p directory.Pair) (migrationID string, err error)
	Status(ctx context.Context, workspaceID, organizationID, migrationID string) (*directory.Migration, error)
}

// Migrations are the operations that give documents other ids.
type Migrations struct{ store migrationStore }

// NewMigrations makes the operations.
func NewMigrations(store migrationStore) *Migrations { return &Migrations{store: store} }

// MigrateDocument is the request of documents/migrate.
type MigrateDocument struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	DocumentID     string `json:"documentId" minLength:"1" maxLength:"200" format:"caller-id"`
	NewDocumentID  string `json:"newDocumentId" minLength:"1" maxLength:"200" format:"caller-id" doc:"no document may have it; it is reserved from the answer on"`
}

// Validate checks that the ids differ.
func (r *MigrateDocument) Validate() []fault.Issue {
	if r.DocumentID == r.NewDocumentID {
		return []fault.Issue{{Code: shape.Conflict, Path: []string{"newDocumentId"}, Message: "must differ from documentId"}}
	}
	return nil
}

// MigrationID is the answer of documents/migrate.
type MigrationID struct {
	MigrationID string `json:"migrationId" doc:"ask documents/migrate/status about it"`
}

// Migrate queues that a document gets another id.
func (m *Migrations) Migrate(ctx context.Context, req *MigrateDocument) (*rpc.Success[MigrationID], error) {
	id, err := m.store.Migrate(ctx, rpc.CallerFrom(ctx).WorkspaceID, directory.Pair{
		OrganizationID: req.OrganizationID, DocumentID: req.DocumentID, NewDocumentID: req.NewDocumentID,
	})
	if err != nil {
		return nil, err
	}
	return rpc.Succeed("Document migration accepted.", MigrationID{id}), nil
}

// MigrationStatus is the request of documents/migrate/status.
type MigrationStatus struct {
	OrganizationID string `json:"organizationId" minLength:"1" maxLength:"200" format:"caller-id"`
	MigrationID    string `json:"migrationId" minLength:"1" maxLength:"200" format:"caller-id"`
}

// MigrationView is how a migration stands.
type MigrationView struct {
	MigrationID   string      `json:"migrationId"`
	Status        string      `json:"status" enum:"pending,in_progress,completed,failed"`
	DocumentID    string      `json:"documentId"`
	NewDocumentID string      `json:"newDocumentId"`
	CreatedAt     int64       `json:"createdAt" doc:"epoch milliseconds"`
	CompletedAt   *int64      `json:"completedAt" doc:"epoch milliseconds, null until it has ended"`
	Error         *JobFailure `json:"error,omitempty" doc:"why it has failed; nothing was changed then"`
}

// Status returns how a migration stands.
func (m *Migrations) Status(ctx context.Context, req *MigrationStatus) (*rpc.Success[MigrationView], error) {
	at, err := m.store.Status(ctx, rpc.CallerFrom(ctx).WorkspaceID, req.OrganizationID, req.MigrationID)
	if err != nil {
		return nil, err
	}
	view := MigrationView{
		MigrationID: req.MigrationID, Status: at.State(), DocumentID: at.DocumentID, NewDocumentID: at.NewDocumentID,
		CreatedAt: at.CreatedAt.UnixMilli(), CompletedAt: millis(at.EndedAt),
	}
	if at.Failure != nil {
		view.Error = &JobFailure{at.Failure.Code, at.Failure.Message}
	}
	return rpc.Succeed("Migration read.", view), nil
}

func millis(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	return new(t.UnixMilli())
}
