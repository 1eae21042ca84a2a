package deletion

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/workspace"
)

// requestsEnd is after how long no request that was let in before is under way: an answer takes 30 s
// at most.
const requestsEnd = 35 * time.Second

// Deletions deletes workspaces.
type Deletions struct{ db *pg.DB }

// New makes the store.
func New(db *pg.DB) *Deletions { return &Deletions{db} }

// Accept deletes a workspace for a person and returns the job that removes what it has. The error is
// NOT_FOUND, also for one that is deleted already.
func (d *Deletions) Accept(ctx context.Context, workspaceID, person string) (jobID string, err error) {
	j := job.Job{WorkspaceID: workspaceID, ID: id.New(id.WorkspaceRemoval), Kind: job.WorkspaceRemoval, Input: []byte(`{}`), After: requestsEnd}
	err = d.db.InTx(ctx, func(tx *pg.Tx) error {
		if err := workspace.Close(ctx, tx, workspaceID); err != nil {
			return err
		}
		row := workspace.Audit{
			WorkspaceID: workspaceID, Actor: person, Operation: "admin workspace delete", TargetID: workspaceID,
			ChangedFields: []string{"deleted_at"}, Outcome: workspace.AuditSuccess,
		}
		b := &pgx.Batch{}
		row.Queue(b)
		tx.SendLast(b)
		return job.Queue(ctx, tx, j)
	})
	return j.ID, err
}
