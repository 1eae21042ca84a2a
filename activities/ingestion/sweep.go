package ingestion

import (
	"context"
	"slices"

	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/vector"
)

// sweepBatch is how much waste one look finds.
const sweepBatch = 100

// idleBatch is how many workspaces the index releases at once. While it does so, no
// other workspace gets into its memory: that waits for as long as a batch lasts.
const idleBatch = 20

// Waste are the rows of what is left over.
type Waste interface {
	ExpiredUploads(ctx context.Context, limit int) ([]knowledge.ExpiredUpload, error)
	DropUpload(ctx context.Context, u knowledge.ExpiredUpload, remove func() error) error
	ForgetUploads(ctx context.Context, limit int) error
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

// Sweep removes files that were uploaded and never ingested, or written and never
// named by a row, objects of versions that nobody may see, what is left of former
// versions and of sources that were removed, and generations of the index that serve no more. It has the
// index release workspaces that nobody uses. The first fault ends it; the next sweep
// goes on.
func (i *Activities) Sweep(ctx context.Context) error {
	for _, part := range []func(context.Context) error{i.sweepUploads, i.sweepFiles, i.sweepVersions, i.sweepFormer, i.sweepSources, i.sweepGenerations, i.sweepIdle} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// sweepVersions goes on until there are none, since what is deleted shall be gone soon.
func (i *Activities) sweepVersions(ctx context.Context) error {
	for {
		hidden, err := i.Rows.HiddenVersions(ctx, sweepBatch)
		if err != nil || len(hidden) == 0 {
			return err
		}
		if err := i.purge(ctx, hidden); err != nil {
			return err
		}
	}
}

func (i *Activities) purge(ctx context.Context, hidden []knowledge.VersionRef) error {
	standing, err := i.Rows.Standing(ctx)
	if err != nil {
		return err
	}
	for _, v := range hidden {
		if err := i.Rows.Purge(ctx, v, func() error { return i.unindex(ctx, v, standing) }); err != nil {
			return err
		}
	}
	return nil
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

// sweepSources removes files and rows of removed sources.
func (i *Activities) sweepSources(ctx context.Context) error {
	return i.sweepRemoved(ctx, i.Rows.RemovedVersions)
}

// sweepFormer removes files and rows of former versions.
func (i *Activities) sweepFormer(ctx context.Context) error {
	return i.sweepRemoved(ctx, i.Rows.FormerVersions)
}

// sweepRemoved removes versions until there are none, the files of each before its rows.
// The canonical markdown has its file before a row names it.
func (i *Activities) sweepRemoved(ctx context.Context, find func(ctx context.Context, limit int) ([]knowledge.RemovedVersion, error)) error {
	for {
		removed, err := find(ctx, sweepBatch)
		if err != nil || len(removed) == 0 {
			return err
		}
		for _, v := range removed {
			if err := i.dropFiles(ctx, v); err != nil {
				return err
			}
			if err := i.Rows.DropVersion(ctx, v.VersionRef); err != nil {
				return err
			}
		}
	}
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

func (i *Activities) sweepGenerations(ctx context.Context) error {
	dropped, err := i.Rows.Dropped(ctx)
	if err != nil {
		return err
	}
	for _, g := range dropped {
		if err := i.Index.Drop(ctx, g.Suffix); err != nil {
			return err
		}
		if err := i.Judgments.ForgetVectors(ctx, g.ID, g.Model); err != nil {
			return err
		}
		if err := i.Rows.Forget(ctx, g); err != nil {
			return err
		}
	}
	return nil
}

func (i *Activities) sweepUploads(ctx context.Context) error {
	expired, err := i.Rows.ExpiredUploads(ctx, sweepBatch)
	if err != nil {
		return err
	}
	for _, u := range expired {
		if err := i.Rows.DropUpload(ctx, u, func() error { return i.Files.Delete(ctx, u.BlobKey) }); err != nil {
			return err
		}
	}
	return i.Rows.ForgetUploads(ctx, sweepBatch)
}

func (i *Activities) sweepFiles(ctx context.Context) error {
	unclaimed, err := i.Rows.UnclaimedFiles(ctx, sweepBatch)
	if err != nil {
		return err
	}
	for _, f := range unclaimed {
		if err := i.Rows.DropFile(ctx, f, func() error { return i.Files.Delete(ctx, f.BlobKey) }); err != nil {
			return err
		}
	}
	return nil
}

// sweepIdle releases workspaces that nobody uses, batch by batch until there are none.
// Their next use brings them back.
func (i *Activities) sweepIdle(ctx context.Context) error {
	for {
		idle, err := i.Rows.IdleWorkspaces(ctx, idleBatch)
		if err != nil || len(idle) == 0 {
			return err
		}
		standing, err := i.Rows.Standing(ctx)
		if err != nil {
			return err
		}
		for _, g := range standing {
			if err := i.Index.Release(ctx, g.Suffix, idle); err != nil {
				return err
			}
		}
		if err := i.Rows.Released(ctx, idle); err != nil {
			return err
		}
	}
}
