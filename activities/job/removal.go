package job

import (
	"context"
	"encoding/json"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/job"
)

const (
	// removedAtOnce is how many rows one transaction removes at most, so that none
	// holds locks for long.
	removedAtOnce = 1000
	// documentsAtOnce is how many deleted documents are dealt with together.
	documentsAtOnce = 100
)

// Deleted are the rows of what was deleted in the directory (*directory.Deleted).
type Deleted interface {
	// Free takes the ids from some documents of deleted folders; 0 when none has one.
	Free(ctx context.Context, workspaceID string, of directory.Removal, limit int) (int64, error)
	// Documents returns some of the deleted documents that are still there, once none has an id.
	Documents(ctx context.Context, of directory.Removal, limit int) ([]int64, error)
	// RemoveDocuments removes some of the grants on documents in which nothing is left, or
	// the documents where there are none.
	RemoveDocuments(ctx context.Context, keys []int64, limit int) (int64, error)
	// RemoveRest removes some of the rows beside documents; 0 when there are none.
	RemoveRest(ctx context.Context, of directory.Removal, limit int) (int64, error)
}

// Contents are rows that belong to documents, or to an organization as a whole
// (*annotation.Annotations).
type Contents interface {
	// RemoveOfDocuments removes some of them; 0 when there are none.
	RemoveOfDocuments(ctx context.Context, documents []int64, limit int) (int64, error)
	// RemoveOfOrganizations removes some that are in no document; 0 when there are none.
	RemoveOfOrganizations(ctx context.Context, organizations []int64, limit int) (int64, error)
}

// Scoped are rows of a workspace that were about what is deleted, or in it
// (*judgment.Judgments, *knowledge.Knowledge, *group.Groups, *execution.Executions).
type Scoped interface {
	// RemoveBatch removes some of them; 0 when there are none.
	RemoveBatch(ctx context.Context, workspaceID string) (int, error)
}

// Remove makes the handler that removes what was deleted. One portion is one batch.
func Remove(deleted Deleted, contents Contents, scoped ...Scoped) Handler {
	return func(ctx context.Context, j *job.Job) (rows int64, more bool, err error) {
		var of directory.Removal
		if err := json.Unmarshal(j.Input, &of); err != nil {
			return 0, false, err
		}
		if rows, err = deleted.Free(ctx, j.WorkspaceID, of, removedAtOnce); err != nil || rows > 0 {
			return rows, true, err
		}
		for _, s := range scoped {
			if n, err := s.RemoveBatch(ctx, j.WorkspaceID); err != nil || n > 0 {
				return int64(n), true, err
			}
		}
		return removeDeleted(ctx, deleted, contents, of)
	}
}

// removeDeleted removes some of the rows of what was deleted in the directory.
func removeDeleted(ctx context.Context, deleted Deleted, contents Contents, of directory.Removal) (rows int64, more bool, err error) {
	documents, err := deleted.Documents(ctx, of, documentsAtOnce)
	if err != nil {
		return 0, false, err
	}
	if len(documents) == 0 {
		return removeRest(ctx, deleted, contents, of)
	}
	rows, err = contents.RemoveOfDocuments(ctx, documents, removedAtOnce)
	if err != nil || rows > 0 {
		return rows, true, err
	}
	rows, err = deleted.RemoveDocuments(ctx, documents, removedAtOnce)
	return rows, true, err
}

// removeRest removes some of what is in no document.
func removeRest(ctx context.Context, deleted Deleted, contents Contents, of directory.Removal) (rows int64, more bool, err error) {
	if len(of.Organizations) > 0 {
		rows, err = contents.RemoveOfOrganizations(ctx, of.Organizations, removedAtOnce)
	}
	if err == nil && rows == 0 {
		rows, err = deleted.RemoveRest(ctx, of, removedAtOnce)
	}
	return rows, rows > 0, err
}
