package judgment

import (
	"encoding/json"
	"time"

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
	Agent     json.RawMessage
	CreatedAt time.Time
}

// insertCommentJudgment goes with the batch of the comment: no trip of its own. A
// document that is deleted at this moment takes the judgment along.
var insertCommentJudgment = owing(`
INSERT INTO judgments (workspace_id, record_id, origin, origin_id, decision, reasoning, content, content_type, confidence, judge_type,
       user_id, user_name, user_email, agent, organization_key, document_key, annotation_id, created_at)
SELECT $1, $2, $19, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, s.organization_key, s.document_key, $14, $15
FROM comment_subjects($1, $16, $17, $18) s
ON CONFLICT DO NOTHING`)

// originComment is the origin of the judgments of comments.
const originComment = "comment"

// Queue adds the judgment to the transaction of the comment.
func (c Comment) Queue(b *pgx.Batch) {
	c.queue(b, id.New(id.Judgment), originComment, judgment.Comment)
}

func (c Comment) queue(b *pgx.Batch, recordID, origin, decision string) {
	judgeType := "human"
	if c.Agent != nil {
		judgeType = "agent"
	}
	b.Queue(insertCommentJudgment, c.WorkspaceID, recordID, c.Origin, decision, c.Reasoning, shortened(c.Content, maxContent),
		shortened(c.ContentType, maxContentType), c.Confidence, judgeType, c.UserID, c.UserName, c.UserEmail, pg.JSONOrNil(c.Agent), c.AnnotationID, c.CreatedAt,
		c.OrganizationID, c.DocumentID, c.DocumentKey, origin)
}
