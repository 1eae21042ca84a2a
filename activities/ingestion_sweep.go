package activities

import (
	"context"

	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/vector"
)

// sweepBatch is how much waste one sweep takes away; more waits for the next.
const sweepBatch = 100

// IngestionWaste are the rows of what is left over.
type IngestionWaste interface {
	ExpiredUploads(ctx context.Context, limit int) ([]models.ExpiredUpload, error)
	DropUpload(ctx context.Context, u models.ExpiredUpload) error
	HiddenVersions(ctx context.Context, limit int) ([]models.OwedVersion, error)
	Purged(ctx context.Context, v models.OwedVersion) error
}

// Sweep removes files that were uploaded and never ingested, and objects of
// versions that nobody may see from the index. The first fault ends it; the
// next sweep goes on.
func (i *Ingestion) Sweep(ctx context.Context) error {
	if err := i.sweepUploads(ctx); err != nil {
		return err
	}
	hidden, err := i.Rows.HiddenVersions(ctx, sweepBatch)
	if err != nil {
		return err
	}
	for _, v := range hidden {
		for _, corpus := range vector.Corpora {
			if err := i.Index.DeleteVersion(ctx, v.WorkspaceID, corpus, models.VersionKey(v.SourceID, v.Version)); err != nil {
				return err
			}
		}
		if err := i.Rows.Purged(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

func (i *Ingestion) sweepUploads(ctx context.Context) error {
	expired, err := i.Rows.ExpiredUploads(ctx, sweepBatch)
	if err != nil {
		return err
	}
	for _, u := range expired {
		if u.BlobKey != "" {
			if err := i.Files.Delete(ctx, u.BlobKey); err != nil {
				return err
			}
		}
		if err := i.Rows.DropUpload(ctx, u); err != nil {
			return err
		}
	}
	return nil
}
