package job

import (
	"context"

	"github.com/redline-svc/redline/models/deletion"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/knowledge"
)

// Doomed are the rows of a workspace that is deleted (*deletion.Deletions).
type Doomed interface {
	// Cancel ends some executions.
	Cancel(ctx context.Context, workspaceID string) (int64, error)
	NextSchedules(ctx context.Context, workspaceID string, limit int) ([]deletion.ScheduleRef, error)
	ScheduleRemoved(ctx context.Context, workspaceID string, s deletion.ScheduleRef) error
	Organizations(ctx context.Context, workspaceID string, limit int) ([]int64, error)
	// Remove removes some rows; 0 when none are left but those of files and of the workspace as such.
	Remove(ctx context.Context, workspaceID string) (int64, error)
	// RemovingFiles lets files be removed until release is called, unless they are held: then
	// others remove them later.
	RemovingFiles(ctx context.Context) (release func(), held bool, err error)
	NextFiles(ctx context.Context, workspaceID string, limit int) ([]string, error)
	FilesRemoved(ctx context.Context, workspaceID string, keys []string) error
	// Finish removes the workspace itself, with the job.
	Finish(ctx context.Context, workspaceID, jobID string) error
}

// Runs is what Temporal has of a workspace.
type Runs interface {
	DeleteSchedule(ctx context.Context, workspaceID string, s deletion.ScheduleRef) error
	// EndOpen ends some of its open runs but one, and returns how many.
	EndOpen(ctx context.Context, workspaceID, but string) (ended int, err error)
}

// Tenants is the index (*vector.Index).
type Tenants interface {
	DeleteWorkspace(ctx context.Context, suffix, workspaceID string) error
}

// Generations are those of the index (*knowledge.Knowledge).
type Generations interface {
	Standing(ctx context.Context) ([]knowledge.Generation, error)
}

// Files is the store of files (*blob.Store).
type Files interface {
	Delete(ctx context.Context, key string) error
}

// WorkspaceRemoval removes workspaces that were deleted. What it calls outside the rows may be called
// again.
type WorkspaceRemoval struct {
	Rows        Doomed
	Runs        Runs
	Index       Tenants
	Generations Generations
	Files       Files
	Deleted     Deleted
	Contents    Contents
}

// filesAtOnce is how many files, and how many schedules, one portion removes.
const filesAtOnce = 100

// Remove is the handler. One portion is what is left of the first that has something left.
func (w *WorkspaceRemoval) Remove(ctx context.Context, j *job.Job) (rows int64, more bool, err error) {
	for _, portion := range []func(context.Context, *job.Job) (int64, error){w.cancel, w.schedules, w.organizations, w.rows, w.files, w.runs} {
		if rows, err = portion(ctx, j); err != nil || rows > 0 {
			return rows, true, err
		}
	}
	if err := w.leaveIndex(ctx, j.WorkspaceID); err != nil {
		return 0, false, err
	}
	return 0, false, w.Rows.Finish(ctx, j.WorkspaceID, j.ID)
}

// cancel ends executions, and what Temporal and the index have: before any row of them goes.
func (w *WorkspaceRemoval) cancel(ctx context.Context, j *job.Job) (int64, error) {
	ended, err := w.Rows.Cancel(ctx, j.WorkspaceID)
	if err != nil || ended == 0 {
		return 0, err
	}
	_, err = w.runs(ctx, j)
	return ended, err
}

func (w *WorkspaceRemoval) runs(ctx context.Context, j *job.Job) (int64, error) {
	ended, err := w.Runs.EndOpen(ctx, j.WorkspaceID, workflowID(j))
	return int64(ended), err
}

func (w *WorkspaceRemoval) schedules(ctx context.Context, j *job.Job) (int64, error) {
	found, err := w.Rows.NextSchedules(ctx, j.WorkspaceID, filesAtOnce)
	for _, s := range found {
		if err == nil {
			err = w.Runs.DeleteSchedule(ctx, j.WorkspaceID, s)
		}
		if err == nil {
			err = w.Rows.ScheduleRemoved(ctx, j.WorkspaceID, s)
		}
	}
	return int64(len(found)), err
}

// organizations removes what is in organizations, and these, as of any that was deleted.
func (w *WorkspaceRemoval) organizations(ctx context.Context, j *job.Job) (int64, error) {
	keys, err := w.Rows.Organizations(ctx, j.WorkspaceID, filesAtOnce)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	_, _, err = removeDeleted(ctx, w.Deleted, w.Contents, directory.Removal{Organizations: keys})
	return 1, err // some are there, so this portion is not the last
}

func (w *WorkspaceRemoval) rows(ctx context.Context, j *job.Job) (int64, error) {
	return w.Rows.Remove(ctx, j.WorkspaceID)
}

func (w *WorkspaceRemoval) files(ctx context.Context, j *job.Job) (int64, error) {
	release, held, err := w.Rows.RemovingFiles(ctx)
	if err != nil || held {
		return 0, err
	}
	defer release()
	keys, err := w.Rows.NextFiles(ctx, j.WorkspaceID, filesAtOnce)
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	for _, key := range keys {
		if err := w.Files.Delete(ctx, key); err != nil {
			return 0, err
		}
	}
	return int64(len(keys)), w.Rows.FilesRemoved(ctx, j.WorkspaceID, keys)
}

// leaveIndex removes what the index has of the workspace.
func (w *WorkspaceRemoval) leaveIndex(ctx context.Context, workspaceID string) error {
	standing, err := w.Generations.Standing(ctx)
	for _, g := range standing {
		if err == nil {
			err = w.Index.DeleteWorkspace(ctx, g.Suffix, workspaceID)
		}
	}
	return err
}
