package view

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Count is how many annotations of a document a user may see, and how many of
// them have a comment by somebody else that the user has not read.
type Count struct{ Total, Unread int64 }

// CountFilter names documents of one organization and the user who asks; empty
// StatusIDs do not narrow.
type CountFilter struct {
	OrganizationID string
	DocumentIDs    []string
	UserID         string
	StatusIDs      []string
}

const readDocuments = `
SELECT d.key, d.document_id, d.organization_key FROM documents d JOIN organizations o ON o.key = d.organization_key
WHERE o.workspace_id = $1 AND o.organization_id = $2 AND d.document_id = ANY($3)`

// hasMore reports of documents whether they have more than $2 annotations.
const hasMore = `SELECT count(*) > $2 FROM (SELECT FROM annotations WHERE document_key = ANY($1) LIMIT $2 + 1) a`

// Count counts for each distinct document, in their order; one that is not
// there, or that the user may not read, has none. Where there are many annotations one count
// of the workspace is made after the other.
func (v *Views) Count(ctx context.Context, workspaceID string, f CountFilter) ([]string, map[string]Count, error) {
	counts := map[string]Count{}
	many, err := v.count(ctx, workspaceID, f, &v.many, counts)
	if many {
		err = v.db.CountMany(ctx, workspaceID, func() error {
			_, err := v.count(ctx, workspaceID, f, nil, counts)
			return err
		})
	}
	return pg.Distinct(f.DocumentIDs), counts, err
}

// count counts all at once, unless there are more than so many: nil is no limit.
func (v *Views) count(ctx context.Context, workspaceID string, f CountFilter, limit *int64, counts map[string]Count) (many bool, err error) {
	err = v.db.Read(ctx, func(tx *pg.Tx) error {
		documents, err := readableDocuments(ctx, tx, workspaceID, f)
		if err != nil || len(documents) == 0 {
			return err
		}
		keys := slices.Collect(maps.Keys(documents))
		if limit != nil {
			if err := tx.QueryRow(ctx, hasMore, keys, *limit).Scan(&many); err != nil || many {
				return err
			}
		}
		return countAnnotations(ctx, tx, workspaceID, f, documents, counts)
	})
	return many, err
}

// readableDocuments returns the ids, by key, of the documents that the user may
// read.
func readableDocuments(ctx context.Context, tx *pg.Tx, workspaceID string, f CountFilter) (map[int64]string, error) {
	rows, err := tx.Query(ctx, readDocuments, workspaceID, f.OrganizationID, f.DocumentIDs)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	documents := map[int64]string{}
	var keys []int64
	var organization int64
	for rows.Next() {
		var key int64
		var documentID string
		if err := rows.Scan(&key, &documentID, &organization); err != nil {
			return nil, err
		}
		documents[key] = documentID
		keys = append(keys, key)
	}
	if rows.Err() != nil || len(keys) == 0 {
		return nil, rows.Err()
	}
	known, err := directory.ReadAccess(ctx, tx, organization, keys, []string{f.UserID})
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if !known.Decide(key, f.UserID).Read {
			delete(documents, key)
		}
	}
	return documents, nil
}

func countAnnotations(ctx context.Context, tx *pg.Tx, workspaceID string, f CountFilter, documents map[int64]string, counts map[string]Count) error {
	q := pg.NewConditions(workspaceID)
	user, in := q.Value(f.UserID), q.Value(slices.Collect(maps.Keys(documents)))
	q.And(directory.VisibleTo, []string{f.UserID})
	if len(f.StatusIDs) > 0 {
		q.And("a.status_id = ANY(%s)", f.StatusIDs)
	}
	b := &pgx.Batch{}
	b.Queue(pg.BySets)
	b.Queue(`SELECT a.document_key, count(*),
       count(*) FILTER (WHERE CASE WHEN a.last_author = `+user+` THEN a.other_seq ELSE a.last_seq END > greatest(m.seq, d.seq, 0))
FROM annotations a LEFT JOIN read_marks m ON m.document_key = ANY(`+in+`) AND m.user_id = `+user+` AND m.annotation_key = a.key
LEFT JOIN document_read_marks d ON d.document_key = ANY(`+in+`) AND d.user_id = `+user+` AND d.annotation_key = a.key
WHERE a.workspace_id = $1 AND a.document_key = ANY(`+in+`)`+q.Text()+` GROUP BY a.document_key`, q.Args...).Query(func(rows pgx.Rows) error {
		var key int64
		var c Count
		_, err := pgx.ForEachRow(rows, []any{&key, &c.Total, &c.Unread}, func() error {
			counts[documents[key]] = c
			return nil
		})
		return err
	})
	return tx.SendBatch(ctx, b).Close()
}
