package person

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/workspace"
)

// FileKept is for how long the file of an export is kept.
const FileKept = 24 * time.Hour

// Export promises a file with all that is kept of a person in an organization, and returns its job: the
// open one, if there is one for this person. Error: NOT_FOUND of somebody of whom nothing is kept.
func (s *Persons) Export(ctx context.Context, workspaceID string, of Of) (jobID string, err error) {
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		organization, err := findOrganization(ctx, tx, workspaceID, of.OrganizationID)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock(hashtextextended('export/' || $2, $1))`, organization, of.UserID); err != nil {
			return err
		}
		err = tx.QueryRow(ctx, `SELECT id FROM exports WHERE organization_key = $1 AND user_id = $2 AND open`, organization, of.UserID).Scan(&jobID)
		if !pg.IsNoRow(err) {
			return err
		}
		return s.acceptExport(ctx, tx, &jobID, exportRow{WorkspaceID: workspaceID, OrganizationKey: organization, UserID: of.UserID, Open: true})
	})
	return jobID, err
}

// isKnown reports whether anything is kept of the person $3 in the organization $2 of the workspace $1.
const isKnown = `
SELECT EXISTS (SELECT FROM profiles WHERE organization_key = $2 AND user_id = $3)
    OR EXISTS (SELECT FROM comments c JOIN annotations a ON a.key = c.annotation_key JOIN document_rows d ON d.key = a.document_key
               WHERE c.workspace_id = $1 AND hashtextextended(c.author_id, 0) = hashtextextended($3, 0) AND c.author_id = $3 AND d.organization_key = $2)
    OR EXISTS (SELECT FROM annotation_mentions m JOIN document_rows d ON d.key = m.document_key
               WHERE m.workspace_id = $1 AND hashtextextended(m.user_id, 0) = hashtextextended($3, 0) AND m.user_id = $3 AND d.organization_key = $2)
    OR EXISTS (SELECT FROM notification_recipients WHERE organization_key = $2 AND user_id = $3)
    OR EXISTS (SELECT FROM activities WHERE organization_key = $2
               AND hashtextextended(action_user->>'userId', 0) = hashtextextended($3::text, 0) AND action_user->>'userId' = $3)`

// acceptExport queues the job of an export.
func (s *Persons) acceptExport(ctx context.Context, tx *pg.Tx, jobID *string, row exportRow) error {
	var known bool
	if err := tx.QueryRow(ctx, isKnown, row.WorkspaceID, row.OrganizationKey, row.UserID).Scan(&known); err != nil {
		return err
	}
	if !known {
		return fault.NotFoundResource("user", row.UserID)
	}
	row.ID = id.New(id.Export)
	*jobID = row.ID
	if err := job.Queue(ctx, tx, job.Job{WorkspaceID: row.WorkspaceID, ID: row.ID, Kind: job.Export, Input: []byte("{}")}); err != nil {
		return err
	}
	return gorm.G[exportRow](tx.Gorm()).Create(ctx, &row)
}

// Counts are how much of each kind an export has.
type Counts struct{ Comments, Notifications, Activities, Grants int64 }

// ExportStatus is how an export stands. FileUntil is nil while there is no file, or none any more.
type ExportStatus struct {
	job.Status

	Counts    Counts
	FileUntil *time.Time
}

// ExportStatus returns how an export stands. Error: NOT_FOUND.
func (s *Persons) ExportStatus(ctx context.Context, workspaceID, jobID string) (*ExportStatus, error) {
	e := &ExportStatus{}
	c := &e.Counts
	err := s.readStatus(ctx, workspaceID, jobID, `SELECT comments, notifications, activities, grants,
       CASE WHEN blob_key IS NOT NULL THEN ready_at END FROM exports WHERE id = $2 AND workspace_id = $1`,
		&e.Status, &c.Comments, &c.Notifications, &c.Activities, &c.Grants, &e.FileUntil)
	if err != nil {
		return nil, err
	}
	if e.FileUntil != nil {
		e.FileUntil = new(e.FileUntil.Add(FileKept))
	}
	return e, nil
}

// readStatus reads how a job stands, and into the columns of a statement about it, in one snapshot. Error: NOT_FOUND.
func (s *Persons) readStatus(ctx context.Context, workspaceID, jobID, statement string, into *job.Status, columns ...any) error {
	var status *job.Status
	found := false
	err := s.db.ReadBatch(ctx, func(b *pgx.Batch) {
		b.Queue(statement, workspaceID, jobID).Query(func(rows pgx.Rows) error {
			_, err := pgx.ForEachRow(rows, columns, func() error {
				found = true
				return nil
			})
			return err
		})
		job.StatusOf(b, workspaceID, jobID, &status)
	})
	if err != nil {
		return err
	}
	if !found || status == nil {
		return fault.NotFoundResource("job", jobID)
	}
	*into = *status
	return nil
}

// ExportFile returns the key of the file of an export. Errors: NOT_FOUND, also once the file is too old; PERMISSION_DENIED while the
// workspace is suspended.
func (s *Persons) ExportFile(ctx context.Context, workspaceID, jobID string) (key string, err error) {
	closed := false
	err = s.db.Pool.QueryRow(ctx, `SELECT e.blob_key, w.suspended_at IS NOT NULL FROM exports e JOIN workspaces w ON w.id = e.workspace_id
WHERE e.id = $2 AND e.workspace_id = $1 AND e.blob_key IS NOT NULL AND e.ready_at > clock_timestamp() - make_interval(secs => $3)`,
		workspaceID, jobID, FileKept.Seconds()).Scan(&key, &closed)
	if pg.IsNoRow(err) {
		return "", fault.NotFound("file")
	}
	if closed {
		return "", workspace.Suspended()
	}
	return key, pg.Translate(err)
}

// FileKey is the key of the file of an export.
func FileKey(j *job.Job) string { return "exports/" + j.WorkspaceID + "/" + j.ID + ".zip" }

func fileOf(j *job.Job) knowledge.UnclaimedFile {
	return knowledge.UnclaimedFile{WorkspaceID: j.WorkspaceID, BlobKey: FileKey(j)}
}

// FinishExport notes the file of an export, of so many bytes, that is written, and ends its job. Of an export that is gone meanwhile
// nobody names the file, which goes at once: the person may have been erased.
func (s *Persons) FinishExport(ctx context.Context, j *job.Job, c Counts, bytes int64) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		changed, err := tx.Exec(ctx, `UPDATE exports SET open = false, blob_key = $2, ready_at = clock_timestamp(), comments = $3, notifications = $4,
       activities = $5, grants = $6, file_size = $7 WHERE id = $1 AND open`, j.ID, FileKey(j), c.Comments, c.Notifications, c.Activities, c.Grants, bytes)
		if err != nil {
			return err
		}
		if changed.RowsAffected() == 0 {
			return abandon(ctx, tx, j, Gone)
		}
		if err := knowledge.ClaimFile(ctx, tx, fileOf(j)); err != nil {
			return err
		}
		return job.End(ctx, tx, j.ID, nil)
	})
}

// Why an export fails.
var (
	// Gone is that of one whose person or organization went before it was written.
	Gone = &job.Failure{Code: string(fault.StatusNotFound), Message: "the user or the organization was deleted"}
	// NoRoom is that of one whose file is larger than what the workspace may keep besides.
	NoRoom = &job.Failure{
		Code:    string(fault.StatusResourceExhausted),
		Message: "the workspace would keep more bytes of files than it may; delete sources, wait until older exports have gone after their day, or have the quota raised, and export again",
	}
)

// ReservedForExport is how many bytes an open export counts as, of the files of its workspace.
const ReservedForExport = 1 << 20

// AbandonExport ends the job of an export that has no file, and says why.
func (s *Persons) AbandonExport(ctx context.Context, j *job.Job, why *job.Failure) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `UPDATE exports SET open = false WHERE id = $1`, j.ID); err != nil {
			return err
		}
		return abandon(ctx, tx, j, why)
	})
}

// abandon ends the job and gives up the file that somebody may have written who died.
func abandon(ctx context.Context, tx *pg.Tx, j *job.Job, why *job.Failure) error {
	if err := knowledge.AbandonFile(ctx, tx, fileOf(j)); err != nil {
		return err
	}
	return job.End(ctx, tx, j.ID, why)
}

// ExpireExports gives up files that are older than they are kept, so many at once, and returns how many.
func (s *Persons) ExpireExports(ctx context.Context, atOnce int) (int64, error) {
	return s.db.Exec(ctx, `UPDATE exports SET blob_key = NULL WHERE id = ANY (ARRAY(
    SELECT id FROM exports WHERE blob_key IS NOT NULL AND ready_at < clock_timestamp() - make_interval(secs => $1)
    ORDER BY ready_at LIMIT $2 FOR UPDATE SKIP LOCKED))`, FileKept.Seconds(), atOnce)
}
