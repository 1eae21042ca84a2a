package job

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/job"
	"github.com/redline-svc/redline/models/knowledge"
	"github.com/redline-svc/redline/models/person"
	"github.com/redline-svc/redline/models/quota"
)

// Exports are files with what is kept of people (*person.Persons).
type Exports interface {
	// WriteArchive writes one, unless the person is gone.
	WriteArchive(ctx context.Context, exportID string, to io.Writer) (counts person.Counts, there bool, err error)
	// FinishExport and AbandonExport end the job.
	FinishExport(ctx context.Context, j *job.Job, c person.Counts, bytes int64) error
	AbandonExport(ctx context.Context, j *job.Job, why *job.Failure) error
}

// FileQuotas say how many bytes more workspaces may keep (*quota.Quotas).
type FileQuotas interface {
	Room(ctx context.Context, workspaceID string, kind quota.Kind) (int64, error)
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
func Export(rows Exports, quotas FileQuotas, noted NotedFiles, files KeptFiles) Handler {
	e := exporter{rows, quotas, noted, files}
	return func(ctx context.Context, j *job.Job) (int64, bool, error) { return 0, false, e.export(ctx, j) }
}

type exporter struct {
	rows   Exports
	quotas FileQuotas
	noted  NotedFiles
	files  KeptFiles
}

func (e exporter) export(ctx context.Context, j *job.Job) error {
	room, err := e.quotas.Room(ctx, j.WorkspaceID, quota.Files)
	if err != nil {
		return err
	}
	file, err := os.CreateTemp("", "redline-export-*") // the snapshot shall not wait for the store
	if err != nil {
		return err
	}
	defer func() { _, _ = file.Close(), os.Remove(file.Name()) }()
	// It counts as what is reserved for it already; where nothing limits it, nothing is added.
	archive := &bounded{to: file, room: max(room, room+person.ReservedForExport)}
	counts, there, err := e.rows.WriteArchive(ctx, j.ID, archive)
	switch {
	case errors.Is(err, errNoRoom):
		return e.rows.AbandonExport(ctx, j, person.NoRoom)
	case err != nil:
		return err
	case !there:
		return e.rows.AbandonExport(ctx, j, person.Gone)
	}
	if err := e.keep(ctx, j, person.FileKey(j), file); err != nil {
		return err
	}
	return e.rows.FinishExport(ctx, j, counts, archive.written)
}

var errNoRoom = errors.New("a file has more bytes than there is room for")

// bounded passes so many bytes on, and fails where there are more.
type bounded struct {
	to            io.Writer
	room, written int64
}

func (b *bounded) Write(p []byte) (int, error) {
	if int64(len(p)) > b.room-b.written {
		return 0, errNoRoom
	}
	n, err := b.to.Write(p)
	b.written += int64(n)
	return n, err
}

// keep puts an archive into the store.
func (e exporter) keep(ctx context.Context, j *job.Job, key string, archive io.ReadSeeker) error {
	if _, err := archive.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := e.noted.NoteFile(ctx, knowledge.UnclaimedFile{WorkspaceID: j.WorkspaceID, BlobKey: key}); err != nil {
		return err
	}
	if err := e.files.Write(ctx, key, "application/zip", archive); err != nil {
		return fault.Unavailable(err)
	}
	return nil
}
