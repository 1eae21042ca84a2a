package view

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/thread"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// What a person has to do with a comment.
const (
	RelationAuthor    = "author"
	RelationMentioned = "mentioned"
)

// PersonComment is a comment that a person wrote, or in which somebody else tagged them.
type PersonComment struct {
	CommentView
	AnnotationID, DocumentID, Relation string

	document int64
	at       PersonPosition
}

// PersonPosition is where a page of such comments ended: they come from the newest annotation to
// the oldest, and of one from its last comment to its first.
type PersonPosition struct {
	Annotation int64 `json:"a"`
	Comment    int64 `json:"c"`
}

// PersonPage is a page of them.
type PersonPage = list.Page[*PersonComment, PersonPosition]

// taggedAtOnce is how many comments with tags are looked through at once for those of a person.
const taggedAtOnce = 500

var newestComment = list.Descending("c.annotation_key", "c.seq")

const personColumns = `SELECT c.comment_id, c.comment_text, c.comment_html, c.author, c.status, c.updated_ms,
       c.annotation_key, c.seq, a.annotation_id, d.document_id, d.key,
       c.text_available, c.resolver_used, c.context, c.contacts, c.agent, c.created_ms, c.kept `

const (
	writtenBy = personColumns + `
FROM comments c JOIN annotations a ON a.key = c.annotation_key JOIN documents d ON d.key = a.document_key
WHERE c.workspace_id = $1`
	// Only comments that may have a tag at all are read; HTML may write one in entities.
	taggingPerson = personColumns + `
FROM annotation_mentions m JOIN comments c ON c.annotation_key = m.annotation_key JOIN annotations a ON a.key = m.annotation_key
JOIN documents d ON d.key = a.document_key
WHERE m.workspace_id = $1 AND (position('{{' in c.comment_text) > 0 OR c.comment_html ~ '\{\{|&')`
)

// walkInOrder makes Postgres walk an index from annotation to annotation and sort at most the comments of one,
// whatever it thinks of how many a person has.
const walkInOrder = `SELECT set_config('enable_sort', 'off', true)`

// ofPerson is one read of comments of a person in an organization.
type ofPerson struct {
	workspaceID, userID string
	organization        int64
	after               *PersonPosition
	size                int
}

// OfPerson reads a page of the comments of a person in an organization: their own, and those of
// others that tag them in annotations that they may see.
func OfPerson(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64, userID string, after *PersonPosition, size int) (*PersonPage, error) {
	r := &ofPerson{workspaceID, userID, organization, after, size}
	own, err := r.own(ctx, tx)
	if err != nil {
		return nil, err
	}
	tagged, err := r.tagged(ctx, tx)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(own, tagged)
	slices.SortFunc(all, func(a, b *PersonComment) int { return b.at.compare(a.at) })
	var found list.Found[*PersonComment, PersonPosition]
	for _, c := range all {
		found.Add(c, c.at)
	}
	measured := newMeasure()
	found.Cut(size)
	found.CutBytes(func(c *PersonComment) int64 { return measured.comment(&c.CommentView) })
	return found.Page(), nil
}

func (p PersonPosition) compare(other PersonPosition) int {
	if p.Annotation != other.Annotation {
		return int(max(-1, min(1, p.Annotation-other.Annotation)))
	}
	return int(max(-1, min(1, p.Comment-other.Comment)))
}

// own reads what the person wrote.
func (r *ofPerson) own(ctx context.Context, tx *pg.Tx) ([]*PersonComment, error) {
	q := pg.NewConditions(r.workspaceID)
	q.And("hashtextextended(c.author_id, 0) = hashtextextended(%[1]s, 0) AND c.author_id = %[1]s", r.userID)
	q.And("d.organization_key = %s", r.organization)
	return r.read(ctx, tx, writtenBy, q, r.after, r.size)
}

// tagged reads what tags the person, one more than the page has. Postgres does not know what is a
// tag, and not all is theirs to see, so it may take more than one look.
func (r *ofPerson) tagged(ctx context.Context, tx *pg.Tx) (kept []*PersonComment, err error) {
	measured, total := newMeasure(), int64(0)
	for after := r.after; ; {
		q := pg.NewConditions(r.workspaceID)
		q.And("hashtextextended(m.user_id, 0) = hashtextextended(%[1]s, 0) AND m.user_id = %[1]s AND c.author_id <> %[1]s", r.userID)
		q.And("d.organization_key = %s", r.organization)
		q.And(directory.VisibleTo, []string{r.userID})
		some, err := r.read(ctx, tx, taggingPerson, q, after, taggedAtOnce)
		if err != nil {
			return nil, err
		}
		readable, err := r.readable(ctx, tx, some)
		if err != nil {
			return nil, err
		}
		for _, c := range some {
			c.Relation = RelationMentioned
			if readable[c.document] && slices.Contains(thread.StoredTags(c.Text, c.HTML), r.userID) {
				kept, total = append(kept, c), total+measured.comment(&c.CommentView)
			}
		}
		if len(some) == 0 || len(kept) > r.size || total > list.AnswerLimit {
			return kept, nil
		}
		after = &some[len(some)-1].at
	}
}

// readable reports of the documents of comments whether the person may read them.
func (r *ofPerson) readable(ctx context.Context, tx *pg.Tx, some []*PersonComment) (map[int64]bool, error) {
	reads, documents := map[int64]bool{}, []int64{}
	for _, c := range some {
		documents = append(documents, c.document)
	}
	if len(documents) == 0 {
		return reads, nil
	}
	documents = pg.Distinct(documents)
	access, err := directory.ReadAccess(ctx, tx, r.organization, documents, []string{r.userID})
	if err != nil {
		return nil, err
	}
	for _, key := range documents {
		reads[key] = access.Decide(key, r.userID).Read
	}
	return reads, nil
}

// read reads comments behind a position, as many as are wanted and one more, or fewer where these are
// more than one answer holds.
func (r *ofPerson) read(ctx context.Context, tx *pg.Tx, query string, q *pg.Conditions, after *PersonPosition, size int) (all []*PersonComment, err error) {
	if after != nil {
		newestComment.After(q, after.Annotation, after.Comment)
	}
	b := &pgx.Batch{}
	b.Queue(walkInOrder)
	b.Queue(newestComment.First(q, query, size), q.Args...).Query(func(rows pgx.Rows) error {
		all, err = collectOfPerson(rows)
		return err
	})
	return all, tx.SendBatch(ctx, b).Close()
}

// collectOfPerson keeps rows until they are more than one answer holds.
func collectOfPerson(rows pgx.Rows) (all []*PersonComment, err error) {
	defer rows.Close()
	measured := newMeasure()
	for total := int64(0); (len(all) < 2 || total <= list.AnswerLimit) && rows.Next(); {
		c, rest := &PersonComment{Relation: RelationAuthor}, &CommentRest{}
		more := []any{&c.at.Annotation, &c.at.Comment, &c.AnnotationID, &c.DocumentID, &c.document}
		if c.CommentView, err = scanComment(rows, append(more, rest.columns()...)...); err != nil {
			return nil, err
		}
		c.Rest = rest
		total += measured.comment(&c.CommentView)
		all = append(all, c)
	}
	return all, rows.Err()
}
