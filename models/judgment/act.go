package judgment

import (
	_ "embed"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Kinds of acts.
const (
	ActComment    = "comment"
	ActStatus     = "status"
	ActSuggestion = "suggestion"
)

// Act is a comment that says something about a document, or what was done with an annotation: its
// status was changed, or what it suggests was decided.
type Act struct {
	// Kind is one of the kinds above, Decision the word for what was done.
	Kind, Decision string
	AnnotationID   string
	// Edit is what an edit of a comment may change. The origin of what was done with an annotation is
	// that: each such act is another one, also where the same is done again.
	Edit
	// Content is what the act is about.
	Content, ContentType string
	// Confidence is between 0 and 1.
	Confidence float64
	// Agent is who wrote a comment as judgments show it, nil for a person.
	Agent json.RawMessage
}

// Bytes is about how many bytes the judgment takes.
func (a *Act) Bytes() int64 { return int64(len(a.Reasoning) + len(a.Content) + len(a.Agent)) }

// origin is that of the judgment with this id.
func (a *Act) origin(recordID string) string {
	if a.Kind == ActComment {
		return a.Origin
	}
	return a.Origin + "/" + recordID
}

// Document is where acts were done.
type Document struct {
	WorkspaceID, OrganizationID, DocumentID string
	// Key is the document's in the directory, where the transaction holds it.
	Key int64
}

// insertActs goes with the batch of the acts: no trip of its own. A
// document that is deleted at this moment takes the judgments along.
//
//go:embed insert_acts.sql
var insertActs string

// insertedAct is the judgment of an act by its columns. JSON is text there: it stays as it was.
type insertedAct struct {
	Place       int       `json:"place"`
	RecordID    string    `json:"record_id"`
	Origin      string    `json:"origin"`
	OriginID    string    `json:"origin_id"`
	Decision    string    `json:"decision"`
	Reasoning   string    `json:"reasoning"`
	Content     string    `json:"content"`
	ContentType string    `json:"content_type"`
	Confidence  float64   `json:"confidence"`
	UserID      string    `json:"user_id"`
	UserName    string    `json:"user_name"`
	UserEmail   *string   `json:"user_email"`
	Agent       string    `json:"agent,omitempty"`
	Annotation  string    `json:"annotation_id"`
	CreatedAt   time.Time `json:"created_at"`
}

// QueueActs adds judgments to the transaction of the acts, in their order.
func (d Document) QueueActs(tx *pg.Tx, b *pgx.Batch, acts []*Act) error {
	rows, ids := make([]insertedAct, len(acts)), make([]string, len(acts))
	for i, a := range acts {
		ids[i] = id.New(id.Judgment)
		rows[i] = insertedAct{
			Place: i, RecordID: ids[i], Origin: a.Kind, OriginID: a.origin(ids[i]), Decision: a.Decision, Reasoning: a.Reasoning,
			Content: shortened(a.Content, maxContent), ContentType: shortened(a.ContentType, maxContentType), Confidence: a.Confidence,
			UserID: a.UserID, UserName: a.UserName, UserEmail: a.UserEmail, Agent: string(a.Agent), Annotation: a.AnnotationID,
			CreatedAt: a.CreatedAt.UTC(),
		}
	}
	text, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	b.Queue(insertActs, pgx.NamedArgs{
		"workspace": d.WorkspaceID, "organization": d.OrganizationID, "document": d.DocumentID, "document_key": d.Key, "acts": text,
	})
	bringIn(tx, d.WorkspaceID, ids...)
	return nil
}
