package judgment

import (
	_ "embed"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/judgment"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Comment is a comment that says something about a document.
type Comment struct {
	WorkspaceID, OrganizationID, DocumentID, AnnotationID string
	// DocumentKey is the document's in the directory, where the transaction holds it.
	DocumentKey int64
	// Edit is what an edit of the comment may change.
	Edit
	// Content is what the comment is about.
	Content, ContentType string
	// Confidence is between 0 and 1.
	Confidence float64
	// Agent is who wrote the comment as judgments show it, nil for a person.
	Agent json.RawMessage
}

// insertComment goes with the batch of the comment: no trip of its own. A
// document that is deleted at this moment takes the judgment along.
//
//go:embed insert_comment.sql
var insertComment string

// originComment is the origin of the judgments of comments.
const originComment = "comment"

// Queue adds the judgment to the transaction of the comment.
func (c Comment) Queue(tx *pg.Tx, b *pgx.Batch) {
	c.queue(tx, b, id.New(id.Judgment), originComment, judgment.Comment)
}

func (c Comment) queue(tx *pg.Tx, b *pgx.Batch, recordID, origin, decision string) {
	judgeType := "human"
	if c.Agent != nil {
		judgeType = "agent"
	}
	b.Queue(insertComment, pgx.NamedArgs{
		"workspace": c.WorkspaceID, "record": recordID, "origin": origin, "origin_id": c.Origin, "decision": decision, "reasoning": c.Reasoning,
		"content": shortened(c.Content, maxContent), "content_type": shortened(c.ContentType, maxContentType), "confidence": c.Confidence,
		"judge_type": judgeType, "user": c.UserID, "user_name": c.UserName, "user_email": c.UserEmail, "agent": pg.JSONOrNil(c.Agent),
		"annotation": c.AnnotationID, "created": c.CreatedAt, "organization": c.OrganizationID, "document": c.DocumentID, "document_key": c.DocumentKey,
	})
	bringIn(tx, c.WorkspaceID, recordID)
}
