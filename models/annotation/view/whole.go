package view

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/thread"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Rest is what only the newer interface reads of an annotation. Raw parts are as they are
// stored, nil when absent; ids of what is not there are empty.
type Rest struct {
	OrganizationID, DocumentID, FolderID  string
	DocumentName                          string
	Kind, CommentType                     string
	Visibility                            directory.Visibility
	CommentCount                          int64
	Location, Target, Context             json.RawMessage
	Assigned, Priority, Suggestion, Agent json.RawMessage
	Kept                                  json.RawMessage
	ResolvedBy, StatusUpdatedBy           string
	// Mentioned are the users whom the thread tags, in the order of their first tag.
	Mentioned []string
}

// mention notes whom comments tag.
func (r *Rest) mention(comments []CommentView) {
	if r == nil {
		return
	}
	seen := map[string]bool{}
	for i := range comments {
		for _, user := range thread.StoredTags(comments[i].Text, comments[i].HTML) {
			if !seen[user] {
				seen[user], r.Mentioned = true, append(r.Mentioned, user)
			}
		}
	}
}

// wholeAtOnce is how many annotations are read at once: each may bring a hundred kilobytes
// besides its thread.
const wholeAtOnce = 100

const wholeColumns = `
SELECT a.key, a.author, a.status, a.created_ms, a.thread_bytes, a.comment_count, d.document_id, coalesce(f.folder_id, ''), a.kind, a.comment_type,
       a.visibility, coalesce(a.visible_to_org, ''), a.visible_to, a.location, a.target, a.context, a.assigned, a.priority, a.suggestion, a.agent,
       coalesce(a.resolved_by, ''), coalesce(a.status_updated_by, ''), a.kept, d.name
FROM annotations a JOIN documents d ON d.key = a.document_key LEFT JOIN folders f ON f.key = d.folder_key
WHERE a.workspace_id = $1 AND a.key = ANY ($2)`

// readWhole reads all that is known of the annotations, with their threads, in their order
// until they are more than one answer holds.
func readWhole(ctx context.Context, tx *pg.Tx, workspaceID, organizationID string, rows []*storedAnnotation) error {
	read := newThreads(tx)
	for len(rows) > 0 && !read.full() {
		several := rows[:min(wholeAtOnce, len(rows))]
		rows = rows[len(several):]
		keys, byKey := keysOf(several)
		found, err := tx.Query(ctx, wholeColumns, workspaceID, keys)
		if err != nil {
			return err
		}
		if err := scanAllWhole(found, organizationID, byKey); err != nil {
			return err
		}
		if err := read.read(ctx, several); err != nil {
			return err
		}
	}
	return nil
}

// scanAllWhole reads the annotations.
func scanAllWhole(rows pgx.Rows, organizationID string, byKey map[int64]*storedAnnotation) error {
	defer rows.Close()
	for rows.Next() {
		if err := scanWhole(rows, organizationID, byKey); err != nil {
			return err
		}
	}
	return rows.Err()
}

// scanWhole reads one of them.
func scanWhole(row pgx.Row, organizationID string, byKey map[int64]*storedAnnotation) error {
	var a storedAnnotation
	var created int64
	rest := &Rest{OrganizationID: organizationID}
	v := &rest.Visibility
	err := row.Scan(&a.key, (*[]byte)(&a.From), (*[]byte)(&a.Status), &created, &a.bytes, &a.comments, &rest.DocumentID, &rest.FolderID,
		&rest.Kind, &rest.CommentType, &v.Type, &v.OrganizationID, &v.UserIDs, (*[]byte)(&rest.Location), (*[]byte)(&rest.Target),
		(*[]byte)(&rest.Context), (*[]byte)(&rest.Assigned), (*[]byte)(&rest.Priority), (*[]byte)(&rest.Suggestion), (*[]byte)(&rest.Agent),
		&rest.ResolvedBy, &rest.StatusUpdatedBy, (*[]byte)(&rest.Kept), &rest.DocumentName)
	if err != nil {
		return err
	}
	rest.CommentCount = a.comments
	found := byKey[a.key]
	found.From, found.Status, found.bytes, found.comments, found.Rest = a.From, a.Status, a.bytes, a.comments, rest
	found.CreatedAt, found.LastUpdated = time.UnixMilli(created), time.UnixMilli(found.updatedMs)
	return nil
}
