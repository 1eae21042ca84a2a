package ingestion

import (
	"context"
	"errors"
	"slices"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// removeBatch is how much waste one look finds.
const removeBatch = 100

// idleBatch is how many workspaces the index releases at once. While it does so, no
// other workspace gets into its memory: that waits for as long as a batch lasts.
const idleBatch = 20

// Waste are the rows of what is left over.
type Waste interface {
	ExpiredUploads(ctx context.Context, limit int) ([]knowledge.ExpiredUpload, error)
	DropUpload(ctx context.Context, u knowledge.ExpiredUpload, remove func() error) error
	ForgetUploads(ctx context.Context, limit int) error
	// RemovingFiles lets files be removed until release is called, unless they are held.
	RemovingFiles(ctx context.Context) (release func(), held bool, err error)
	UnclaimedFiles(ctx context.Context, limit int) ([]knowledge.UnclaimedFile, error)
	DropFile(ctx context.Context, f knowledge.UnclaimedFile, remove func() error) error
	HiddenVersions(ctx context.Context, limit int) ([]knowledge.VersionRef, error)
	// Purge holds a version, unless it is brought in again, until remove has removed it
	// from the index.
	Purge(ctx context.Context, v knowledge.VersionRef, remove func() error) error
	// RemovedVersions are those of sources that were removed, of which the index holds
	// nothing any more; DropVersion removes the rows of one whose files are gone.
	RemovedVersions(ctx context.Context, limit int) ([]knowledge.RemovedVersion, error)
	// FormerVersions are those that a later one has replaced or overtaken.
	FormerVersions(ctx context.Context, limit int) ([]knowledge.RemovedVersion, error)
	DropVersion(ctx context.Context, v knowledge.VersionRef) error
	// Standing are the generations that may hold objects, Dropped those that are
	// to be removed with all they hold.
	Standing(ctx context.Context) ([]knowledge.Generation, error)
	Dropped(ctx context.Context) ([]knowledge.Generation, error)
	Forget(ctx context.Context, g knowledge.Generation) error
	// IdleWorkspaces are those that the index may release from its memory.
	IdleWorkspaces(ctx context.Context, limit int) ([]string, error)
	Released(ctx context.Context, workspaceIDs []string) error
}

// RemoveLeftovers removes files that were uploaded and never ingested, or written and never
// named by a row, objects of versions that nobody may see, what is left of former
// versions and of sources that were removed, and generations of the index that serve no more. It has the
// index release workspaces that nobody uses. What cannot be removed keeps nothing else
// from it; the next call tries it again.
func (i *Activities) RemoveLeftovers(ctx context.Context) error {
	var faults []error
	for _, part := range []func(context.Context) error{i.removeVersions, i.removeWithFiles, i.removeGenerations, i.releaseIdle} {
		faults = append(faults, part(ctx))
	}
	return errors.Join(faults...)
}

// removeWithFiles removes what has files, unless a backup copies these.
func (i *Activities) removeWithFiles(ctx context.Context) error {
	release, held, err := i.Rows.RemovingFiles(ctx)
	if err != nil || held {
		return err
	}
	defer release()
	var faults []error
	for _, part := range []func(context.Context) error{i.removeUploads, i.removeFiles, i.removeFormer, i.removeSources} {
		faults = append(faults, part(ctx))
	}
	return errors.Join(faults...)
}

// removeVersions takes hidden versions out of the index.
func (i *Activities) removeVersions(ctx context.Context) error {
	return each(ctx, i.Rows.HiddenVersions, func(v knowledge.VersionRef) error {
		standing, err := i.Rows.Standing(ctx)
		if err != nil {
			return err
		}
		return i.Rows.Purge(ctx, v, func() error { return i.unindex(ctx, v, standing) })
	})
}

// unindex removes a version from all generations of the index.
func (i *Activities) unindex(ctx context.Context, v knowledge.VersionRef, standing []knowledge.Generation) error {
	for _, g := range standing {
		for _, corpus := range vector.Corpora {
			p := vector.Partition{Suffix: g.Suffix, Workspace: v.WorkspaceID, Corpus: corpus}
			if err := i.Index.DeleteVersion(ctx, p, knowledge.VersionKey(v.SourceID, v.Version)); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeSources removes files and rows of removed sources.
func (i *Activities) removeSources(ctx context.Context) error {
	return i.removeVersionsOf(ctx, i.Rows.RemovedVersions)
}

// removeFormer removes files and rows of former versions.
func (i *Activities) removeFormer(ctx context.Context) error {
	return i.removeVersionsOf(ctx, i.Rows.FormerVersions)
}

// removeVersionsOf removes versions, the files of each before its rows. The canonical
// markdown has its file before a row names it.
func (i *Activities) removeVersionsOf(ctx context.Context, find finder[knowledge.RemovedVersion]) error {
	return each(ctx, find, func(v knowledge.RemovedVersion) error {
		if err := i.dropFiles(ctx, v); err != nil {
			return err
		}
		return i.Rows.DropVersion(ctx, v.VersionRef)
	})
}

func (i *Activities) dropFiles(ctx context.Context, v knowledge.RemovedVersion) error {
	for _, key := range slices.Compact([]string{v.OriginalKey, canonicalKey(v.VersionRef), v.CanonicalKey}) {
		if key == "" {
			continue
		}
		if err := i.Files.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

func (i *Activities) removeGenerations(ctx context.Context) error {
	dropped, err := i.Rows.Dropped(ctx)
	faults := []error{err}
	for _, g := range dropped {
		faults = append(faults, i.dropGeneration(ctx, g))
	}
	return errors.Join(faults...)
}

func (i *Activities) dropGeneration(ctx context.Context, g knowledge.Generation) error {
	if err := i.Index.Drop(ctx, g.Suffix); err != nil {
		return err
	}
	if err := i.Judgments.ForgetVectors(ctx, g.ID, g.Model); err != nil {
		return err
	}
	return i.Rows.Forget(ctx, g)
}

func (i *Activities) removeUploads(ctx context.Context) error {
	err := each(ctx, i.Rows.ExpiredUploads, func(u knowledge.ExpiredUpload) error {
		return i.Rows.DropUpload(ctx, u, func() error { return i.Files.Delete(ctx, u.BlobKey) })
	})
	return errors.Join(err, i.Rows.ForgetUploads(ctx, removeBatch))
}

func (i *Activities) removeFiles(ctx context.Context) error {
	return each(ctx, i.Rows.UnclaimedFiles, func(f knowledge.UnclaimedFile) error {
		return i.Rows.DropFile(ctx, f, func() error { return i.Files.Delete(ctx, f.BlobKey) })
	})
}

// releaseIdle releases workspaces that nobody uses. Their next use brings them back.
func (i *Activities) releaseIdle(ctx context.Context) error {
	return batches(ctx, idleBatch, i.Rows.IdleWorkspaces, func(idle []string, left *leavings[string]) {
		left.note(i.release(ctx, idle), idle...)
	})
}

func (i *Activities) release(ctx context.Context, idle []string) error {
	standing, err := i.Rows.Standing(ctx)
	if err != nil {
		return err
	}
	for _, g := range standing {
		if err := i.Index.Release(ctx, g.Suffix, idle); err != nil {
			return err
		}
	}
	return i.Rows.Released(ctx, idle)
}
