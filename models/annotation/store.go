package annotation

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

const insertAnnotation = `
INSERT INTO annotations (workspace_id, annotation_id, document_key, author_id, author, kind, comment_type, status_id, status,
       visibility, visible_to_org, visible_to, location_id, location, target, context, priority, assigned_id, assigned, agent,
       suggestion, created_ms, updated_ms, comment_count, last_seq, last_author, other_seq, thread_bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)
ON CONFLICT ON CONSTRAINT annotations_id DO NOTHING RETURNING key`

// insert stores the annotations in the order of their ids, so that two calls
// with the same ids wait for one another instead of each other. An id in use
// refuses the call.
func (a *change) insert(ctx context.Context, tx *pg.Tx) error {
	sorted := slices.Clone(a.rows)
	slices.SortFunc(sorted, func(x, y *annotationRow) int { return strings.Compare(x.id, y.id) })
	b := &pgx.Batch{}
	for _, row := range sorted {
		a.queue(b, row)
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return err
	}
	var used []string
	for _, row := range a.rows {
		if row.key == 0 {
			used = append(used, row.id)
		}
	}
	if len(used) == 0 {
		return nil
	}
	taken := fault.Exists("", "an annotationId is in use in the workspace")
	taken.Details.AnnotationIDs = used
	return taken
}

func (a *change) queue(b *pgx.Batch, r *annotationRow) {
	root := r.comments[0]
	assignedID, assigned := a.assigned(r)
	var toOrganization *string
	var to []string
	switch r.Visibility.Type {
	case directory.VisibleOrganization:
		toOrganization = &r.Visibility.OrganizationID
	case directory.VisibleRestricted:
		to = r.Visibility.UserIDs
	default:
	}
	b.Queue(insertAnnotation, a.workspaceID, r.id, *a.at.Document, r.author, a.snapshot(root.From), r.Kind, r.CommentType, r.StatusID,
		string(r.Status), r.Visibility.Type, toOrganization, to, pg.Optional(r.LocationID), pg.JSONOrNil(r.Location), pg.JSONOrNil(r.Target),
		pg.JSONOrNil(r.Context), pg.JSONOrNil(r.Priority), assignedID, assigned, pg.JSONOrNil(root.Agent.block()), pg.JSONOrNil(r.Suggestion),
		r.createdMs, r.updatedMs, len(r.comments), r.lastSeq, r.lastAuthor, r.otherSeq, r.bytes).
		QueryRow(func(row pgx.Row) error {
			if err := row.Scan(&r.key); !pg.IsNoRow(err) {
				return err
			}
			return nil // in use; insert tells
		})
}

const insertComment = `
INSERT INTO comments (annotation_key, seq, comment_id, workspace_id, comment_text, comment_html, text_available, resolver_used,
       author_id, author, context, contacts, agent, created_ms, updated_ms)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`

// moveMark never moves a mark back.
const moveMark = `
INSERT INTO read_marks (annotation_key, user_id, workspace_id, seq) VALUES ($1, $2, $3, $4)
ON CONFLICT (annotation_key, user_id) DO UPDATE SET seq = greatest(read_marks.seq, excluded.seq)`

// insertThreads stores the comments and moves their authors' own marks.
func (a *change) insertThreads(ctx context.Context, tx *pg.Tx) error {
	b := &pgx.Batch{}
	for _, r := range a.rows {
		read := map[string]int64{}
		var users []string
		for _, c := range r.comments {
			b.Queue(insertComment, r.key, c.seq, c.id, a.workspaceID, c.Text, c.HTML, c.TextAvailable, c.ResolverUsed, c.From.UserID,
				a.snapshot(c.From), pg.JSONOrNil(c.Context), contactsOrNil(c.contacts), pg.JSONOrNil(c.Agent.block()), c.createdMs, c.updatedMs)
			if read[c.From.UserID] == 0 {
				users = append(users, c.From.UserID)
			}
			read[c.From.UserID] = c.seq
		}
		for _, user := range users {
			b.Queue(moveMark, r.key, user, a.workspaceID, read[user])
		}
	}
	return tx.SendBatch(ctx, b).Close()
}
