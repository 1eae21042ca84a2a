package annotation

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
)

const insertAnnotation = `
INSERT INTO annotations (workspace_id, annotation_id, document_key, author_id, author, kind, comment_type, status_id, status,
       visibility, visible_to_org, visible_to, location_id, location, target, context, priority, assigned, agent,
       suggestion, kept, created_ms, updated_ms, comment_count, last_seq, last_author, other_seq, thread_bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)
ON CONFLICT ON CONSTRAINT annotations_id DO NOTHING RETURNING key`

// freeIDs takes ids from annotations that are in deleted documents or organizations:
// nobody finds those any more, and they wait for their removal. What stands in their
// stead is no id that a caller can send.
const freeIDs = `
UPDATE annotations SET annotation_id = chr(1) || key WHERE key = ANY(ARRAY(
    SELECT a.key FROM annotations a WHERE a.workspace_id = $1 AND a.annotation_id = ANY($2) AND NOT EXISTS (
        SELECT FROM documents d JOIN organizations o ON o.key = d.organization_key WHERE d.key = a.document_key AND o.organization_id IS NOT NULL)
    ORDER BY a.key FOR UPDATE OF a))`

// takenIDs returns those of the ids that annotations have which are there for somebody.
const takenIDs = `
SELECT a.annotation_id FROM annotations a JOIN documents d ON d.key = a.document_key JOIN organizations o ON o.key = d.organization_key
WHERE a.workspace_id = $1 AND a.annotation_id = ANY($2) AND o.organization_id IS NOT NULL`

// insertAnnotations stores the annotations. An id in use refuses the call; one that
// only something deleted has is free, now or once its removal has ended.
func (a *addCall) insertAnnotations(ctx context.Context, tx *pg.Tx) error {
	used, err := a.insertMissing(ctx, tx)
	for err == nil && len(used) > 0 {
		taken, err := a.freeIDs(ctx, tx, used)
		if err != nil {
			return err
		}
		if len(taken) > 0 {
			refused := fault.AlreadyExists("", "an annotationId is in use in the workspace")
			refused.Details.AnnotationIDs = taken
			return refused
		}
		if used, err = a.insertMissing(ctx, tx); err != nil {
			return err
		}
	}
	return err
}

// freeIDs frees ids and returns those that are in use.
func (a *addCall) freeIDs(ctx context.Context, tx *pg.Tx, used []string) (taken []string, err error) {
	b := &pgx.Batch{}
	b.Queue(freeIDs, a.change.workspaceID, used)
	b.Queue(takenIDs, a.change.workspaceID, used).Query(func(rows pgx.Rows) (err error) {
		taken, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	return taken, tx.SendBatch(ctx, b).Close()
}

// insertMissing stores those annotations that are not stored yet, in the order of
// their ids, so that two calls with the same ids wait for one another instead of
// each other. It returns the ids that are in use.
func (a *addCall) insertMissing(ctx context.Context, tx *pg.Tx) (used []string, err error) {
	sorted := slices.Clone(a.change.annotations)
	slices.SortFunc(sorted, func(x, y *annotation) int { return strings.Compare(x.id, y.id) })
	b := &pg.Parts{}
	for _, annotation := range sorted {
		if annotation.key == 0 {
			queueAnnotation(&b.Batch, &a.change, annotation)
		}
		if err := b.SendFull(ctx, tx); err != nil {
			return nil, err
		}
	}
	if err := b.Send(ctx, tx); err != nil {
		return nil, err
	}
	for _, annotation := range a.change.annotations {
		if annotation.key == 0 {
			used = append(used, annotation.id)
		}
	}
	return used, nil
}

// queueAnnotation stores one annotation; its key stays 0 where the id is in use.
func queueAnnotation(b *pgx.Batch, c *change, a *annotation) {
	toOrganization, to := a.storedVisibility()
	b.Queue(insertAnnotation, c.workspaceID, a.id, *c.scope.Document, a.author, string(a.from), a.kind, a.commentType, a.statusID,
		string(a.status), a.visibility.Type, toOrganization, to, pg.Optional(a.locationID), pg.JSONOrNil(a.location), pg.JSONOrNil(a.target),
		pg.JSONOrNil(a.context), pg.JSONOrNil(a.priority), a.storedAssignee(), pg.JSONOrNil(a.agent), pg.JSONOrNil(a.suggestion),
		pg.JSONOrNil(a.kept), a.createdMs, a.updatedMs, len(a.comments), a.lastSeq, a.lastAuthor, a.otherSeq, a.bytes).
		QueryRow(func(row pgx.Row) error {
			if err := row.Scan(&a.key); !pg.IsNoRow(err) {
				return err
			}
			return nil
		})
}

const insertComment = `
INSERT INTO comments (annotation_key, seq, comment_id, workspace_id, comment_text, comment_html, text_available, resolver_used,
       author_id, author, context, kept, contacts, agent, created_ms, updated_ms, judged)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`

// moveMark never moves a mark back.
const moveMark = `
INSERT INTO read_marks (annotation_key, user_id, workspace_id, document_key, seq) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (annotation_key, user_id) DO UPDATE SET seq = greatest(read_marks.seq, excluded.seq)`

// insertComments stores the comments of the change, all of which are new, and moves their
// authors' own marks.
func (a *authorship) insertComments(ctx context.Context, tx *pg.Tx) error {
	b := &pg.Parts{}
	for _, annotation := range a.change.annotations {
		read := map[string]int64{}
		var users []string
		addMentions(&b.Batch, annotation.key, mentionedIn(annotation.changed))
		for _, c := range annotation.changed {
			queueComment(&b.Batch, a.change.workspaceID, annotation.key, c)
			if err := b.SendFull(ctx, tx); err != nil {
				return err
			}
			if read[c.From.UserID] == 0 {
				users = append(users, c.From.UserID)
			}
			read[c.From.UserID] = c.seq
		}
		for _, user := range users {
			b.Queue(moveMark, annotation.key, user, a.change.workspaceID, *a.change.scope.Document, read[user])
		}
	}
	return b.Send(ctx, tx)
}

func queueComment(b *pgx.Batch, workspaceID string, annotationKey int64, comment *comment) {
	b.Queue(insertComment, annotationKey, comment.seq, comment.id, workspaceID, comment.Text, comment.HTML, comment.TextAvailable,
		comment.ResolverUsed, comment.From.UserID, string(comment.From.Snapshot()), pg.JSONOrNil(comment.Context), pg.JSONOrNil(comment.Kept),
		contactsOrNil(comment.Contacts), pg.JSONOrNil(comment.Agent.block()), comment.createdMs, comment.updatedMs, comment.reasoning() != "")
}

// insertMentions notes whom an annotation mentions, with its place in lists; later changes
// of that place are followed by the rows themselves.
const insertMentions = `
INSERT INTO annotation_mentions (annotation_key, user_id, workspace_id, document_key, updated_ms, annotation_id)
SELECT a.key, u.id, a.workspace_id, a.document_key, a.updated_ms, a.annotation_id FROM annotations a CROSS JOIN unnest($2::text[]) u (id)
WHERE a.key = $1 ON CONFLICT (annotation_key, user_id) DO NOTHING`

// addMentions notes that an annotation mentions users.
func addMentions(b *pgx.Batch, annotationKey int64, users []string) {
	if len(users) > 0 {
		b.Queue(insertMentions, annotationKey, users)
	}
}

// keepMentions notes that an annotation mentions these users and nobody else.
func keepMentions(b *pgx.Batch, annotationKey int64, users []string) {
	b.Queue(`DELETE FROM annotation_mentions WHERE annotation_key = $1 AND user_id <> ALL ($2)`, annotationKey, append([]string{}, users...))
	addMentions(b, annotationKey, users)
}
