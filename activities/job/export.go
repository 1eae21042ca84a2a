package job

import (
	"context"
	"io"
	"os"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/person"
)

// Exports are files with what is kept of people (*person.Persons).
type Exports interface {
	// WriteArchive writes one, unless the person is gone.
	WriteArchive(ctx context.Context, exportID string, to io.Writer) (counts person.Counts, there bool, err error)
	// FinishExport and AbandonExport end the job.
	FinishExport(ctx context.Context, j *job.Job, c person.Counts) error
	AbandonExport(ctx context.Context, j *job.Job) error
}

// KeptFiles is the store of files (*blob.Store).
type KeptFiles interface {
	Write(ctx context.Context, key, contentType string, content io.Reader) error
}

// NotedFiles are files that are about to be written (*knowledge.Knowledge).
type NotedFiles interface {
	NoteFile(ctx context.Context, f knowledge.UnclaimedFile) error
}

// Export makes the handler that writes the file of an export. Who repeats it writes the same key once more.
func Export(rows Exports, noted NotedFiles, files KeptFiles) Handler {
	return func(ctx context.Context, j *job.Job) (int64, bool, error) {
		archive, err := os.CreateTemp("", "redline-export-*") // the snapshot shall not wait for the store
		if err != nil {
			return 0, false, err
		}
		defer func() { _, _ = archive.Close(), os.Remove(archive.Name()) }()
		counts, there, err := rows.WriteArchive(ctx, j.ID, archive)
		if err != nil {
			return 0, false, err
		}
		if !there {
			return 0, false, rows.AbandonExport(ctx, j)
		}
		if err := keep(ctx, j, person.FileKey(j), archive, noted, files); err != nil {
			return 0, false, err
		}
		return 0, false, rows.FinishExport(ctx, j, counts)
	}
}

// keep puts an archive into the store.
func keep(ctx context.Context, j *job.Job, key string, archive io.ReadSeeker, noted NotedFiles, files KeptFiles) error {
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := noted.NoteFile(ctx, knowledge.UnclaimedFile{WorkspaceID: j.WorkspaceID, BlobKey: key}); err != nil {
		return err
	}
	if err := files.Write(ctx, key, "application/zip", archive); err != nil {
		return fault.Unavailable(err)
	}
	return nil
}
