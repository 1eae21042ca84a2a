package annotation

import (
	"context"
	"encoding/json"
	"iter"
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
	for some := range pg.Portions(a.missing(), pg.PortionRows) {
		err := tx.Send(ctx, func(b *pgx.Batch) {
			for _, annotation := range some {
				queueAnnotation(b, &a.change, annotation)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	for _, annotation := range a.change.annotations {
		if annotation.key == 0 {
			used = append(used, annotation.id)
		}
	}
	return used, nil
}

// missing are the annotations that are not stored yet, in the order of their ids, with about how many bytes each takes.
func (a *addCall) missing() iter.Seq2[*annotation, int64] {
	sorted := slices.SortedFunc(slices.Values(a.change.annotations), func(x, y *annotation) int { return strings.Compare(x.id, y.id) })
	return func(yield func(*annotation, int64) bool) {
		for _, annotation := range sorted {
			if annotation.key == 0 && !yield(annotation, annotation.ownBytes()) {
				return
			}
		}
	}
}

// queueAnnotation stores one annotation; its key stays 0 where the id is in use.
func queueAnnotation(b *pgx.Batch, c *change, a *annotation) {
	toOrganization, to := a.storedVisibility()
	b.Queue(insertAnnotation, c.workspaceID, a.id, *c.scope.Document, a.author, string(a.from), a.kind, a.commentType, a.statusID,
		string(a.status), a.visibility.Type, toOrganization, to, pg.Optional(a.locationID), pg.JSONOrNil(a.location), pg.JSONOrNil(a.target),
		pg.JSONOrNil(a.context), pg.JSONOrNil(a.priority), pg.JSONOrNil(a.storedAssignee()), pg.JSONOrNil(a.agent), pg.JSONOrNil(a.suggestion),
		pg.JSONOrNil(a.kept), a.createdMs, a.updatedMs, len(a.comments), a.lastSeq, a.lastAuthor, a.otherSeq, a.bytes).
		QueryRow(func(row pgx.Row) error {
			if err := row.Scan(&a.key); !pg.IsNoRow(err) {
				return err
			}
			return nil
		})
}

// placed is a comment in its annotation.
type placed struct {
	*comment

	in *annotation
}

// changedComments are the changed comments of a change in their places, with about how many bytes each takes.
func (c *change) changedComments() iter.Seq2[placed, int64] {
	return func(yield func(placed, int64) bool) {
		for _, a := range c.annotations {
			for _, comment := range a.changed {
				if !yield(placed{comment, a}, comment.bytes()) {
					return
				}
			}
		}
	}
}

// insertComments stores comments and moves their authors' own marks, never back.
const insertComments = `
WITH made AS (
    INSERT INTO comments (annotation_key, seq, comment_id, workspace_id, comment_text, comment_html, text_available, resolver_used,
           author_id, author, context, kept, contacts, agent, created_ms, updated_ms, judged)
    SELECT n.annotation_key, n.seq, n.comment_id, $1, n.comment_text, n.comment_html, n.text_available, n.resolver_used,
           n.author_id, n.author::json, n.context::json, n.kept::json, n.contacts::json, n.agent::json, n.created_ms, n.updated_ms, n.judged
    FROM json_to_recordset($3) AS n (annotation_key bigint, seq bigint, comment_id bigint, comment_text text, comment_html text,
         text_available boolean, resolver_used boolean, author_id text, author text, context text, kept text, contacts text, agent text,
         created_ms bigint, updated_ms bigint, judged boolean)
    RETURNING annotation_key, author_id, seq
)
INSERT INTO read_marks AS m (annotation_key, user_id, workspace_id, document_key, seq)
SELECT annotation_key, author_id, $1, $2, max(seq) FROM made GROUP BY 1, 2 ORDER BY 1, 2
ON CONFLICT (annotation_key, user_id) DO UPDATE SET seq = greatest(m.seq, excluded.seq)`

// insertedComment is a comment by its columns. JSON is text there: it stays as it was sent.
type insertedComment struct {
	AnnotationKey int64  `json:"annotation_key"`
	Seq           int64  `json:"seq"`
	CommentID     int64  `json:"comment_id"`
	CommentText   string `json:"comment_text"`
	CommentHTML   string `json:"comment_html"`
	TextAvailable bool   `json:"text_available"`
	ResolverUsed  bool   `json:"resolver_used"`
	AuthorID      string `json:"author_id"`
	Author        string `json:"author"`
	Context       string `json:"context,omitempty"`
	Kept          string `json:"kept,omitempty"`
	Contacts      string `json:"contacts,omitempty"`
	Agent         string `json:"agent,omitempty"`
	CreatedMs     int64  `json:"created_ms"`
	UpdatedMs     int64  `json:"updated_ms"`
	Judged        bool   `json:"judged"`
}

// insertComments stores the comments of the change, all of which are new, with whom they mention.
func (a *authorship) insertComments(ctx context.Context, tx *pg.Tx) error {
	c := &a.change
	for some := range pg.Portions(c.changedComments(), pg.PortionRows) {
		inserted := make([]insertedComment, len(some))
		for i, p := range some {
			inserted[i] = p.inserted()
		}
		text, err := json.Marshal(inserted)
		if err != nil {
			return err
		}
		err = tx.Send(ctx, func(b *pgx.Batch) {
			addMentions(b, c.workspaceID, mentionsIn(some))
			b.Queue(insertComments, c.workspaceID, *c.scope.Document, text)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (p placed) inserted() insertedComment {
	return insertedComment{
		AnnotationKey: p.in.key, Seq: p.seq, CommentID: p.id, CommentText: p.Text, CommentHTML: p.HTML, TextAvailable: p.TextAvailable,
		ResolverUsed: p.ResolverUsed, AuthorID: p.From.UserID, Author: string(p.From.Snapshot()), Context: string(p.Context), Kept: string(p.Kept),
		Contacts: string(storedContacts(p.Contacts)), Agent: string(p.Agent.block()), CreatedMs: p.createdMs, UpdatedMs: p.updatedMs,
		Judged: p.reasoning() != "",
	}
}

// insertMentions notes whom annotations mention, with their places in lists; later changes
// of these are followed by the rows themselves.
const insertMentions = `
INSERT INTO annotation_mentions (annotation_key, user_id, workspace_id, document_key, updated_ms, annotation_id)
SELECT n.annotation_key, n.user_id, $1, n.document_key, n.updated_ms, n.annotation_id
FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::text[]) AS n (annotation_key, user_id, document_key, updated_ms, annotation_id)
ON CONFLICT (annotation_key, user_id) DO NOTHING`

// mention is a user whom an annotation mentions.
type mention struct {
	in   *annotation
	user string
}

// mentionsIn are those whom comments tag, each once for an annotation.
func mentionsIn(some []placed) (all []mention) {
	for _, p := range some {
		for _, user := range p.Tags {
			all = append(all, mention{p.in, user})
		}
	}
	return pg.Distinct(all)
}

// addMentions notes that annotations mention users.
func addMentions(b *pgx.Batch, workspaceID string, all []mention) {
	if len(all) == 0 {
		return
	}
	var keys, documents, times []int64
	var users, ids []string
	for _, m := range all {
		keys, documents, times = append(keys, m.in.key), append(documents, m.in.document), append(times, m.in.updatedMs)
		users, ids = append(users, m.user), append(ids, m.in.id)
	}
	b.Queue(insertMentions, workspaceID, keys, users, documents, times, ids)
}

// keepMentions notes that an annotation mentions those whom its thread tags and nobody else.
func keepMentions(b *pgx.Batch, workspaceID string, a *annotation) {
	users := append([]string{}, a.mentioned()...)
	b.Queue(`DELETE FROM annotation_mentions WHERE annotation_key = $1 AND user_id <> ALL ($2)`, a.key, users)
	all := make([]mention, len(users))
	for i, user := range users {
		all[i] = mention{a, user}
	}
	addMentions(b, workspaceID, all)
}
