package person

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/activity"
	"github.com/redline-svc/redline/models/annotation/view"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/notification"
)

// The lines of an export: names as in the interface, times as a person reads them.

// instant is how a time is written.
const instant = "2006-01-02T15:04:05.000Z"

func written(t *time.Time) *string {
	if t == nil {
		return nil
	}
	return new(t.UTC().Format(instant))
}

func grantLine(g directory.PersonGrant) any {
	return struct {
		Type       string  `json:"type"`
		ID         string  `json:"id"`
		AccessRole string  `json:"accessRole"`
		ExpiresAt  *string `json:"expiresAt,omitempty"`
	}{g.Type, g.ID, g.Role, written(g.ExpiresAt)}
}

func commentLine(c *view.PersonComment) any {
	created := time.UnixMilli(c.Rest.CreatedMs)
	return withKept(struct {
		Relation     string          `json:"relation"`
		DocumentID   string          `json:"documentId"`
		AnnotationID string          `json:"annotationId"`
		CommentID    int64           `json:"commentId"`
		CreatedAt    *string         `json:"createdAt"`
		LastUpdated  *string         `json:"lastUpdated"`
		From         json.RawMessage `json:"from"`
		Text         string          `json:"commentText"`
		HTML         string          `json:"commentHtml,omitempty"`
		Context      json.RawMessage `json:"context,omitempty"`
		Contacts     json.RawMessage `json:"taggedUserContacts,omitempty"`
		Agent        json.RawMessage `json:"agent,omitempty"`
	}{
		c.Relation, c.DocumentID, c.AnnotationID, c.CommentID, written(&created), written(&c.LastUpdated), c.From, c.Text, c.HTML,
		c.Rest.Context, c.Rest.Contacts, c.Rest.Agent,
	}, c.Rest.Kept)
}

// withKept is a line with the fields that are only kept.
func withKept(line any, kept json.RawMessage) any {
	if len(kept) < len(`{"":0}`) {
		return line
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(line) != nil {
		return line
	}
	text.Truncate(text.Len() - len("}\n"))
	return json.RawMessage(text.String() + "," + string(kept[1:]))
}

func notificationLine(n *notification.View) any {
	line := struct {
		ID           string          `json:"id"`
		At           *string         `json:"timestamp"`
		Reason       string          `json:"reason"`
		ReadAt       *string         `json:"readAt"`
		ActionUser   json.RawMessage `json:"actionUser"`
		DocumentID   string          `json:"documentId"`
		AnnotationID string          `json:"annotationId"`
		CommentID    int64           `json:"commentId"`
		Headline     string          `json:"displayHeadlineMessage,omitempty"`
		Text         string          `json:"displayBodyMessage"`
	}{ID: n.ID, At: written(&n.At), Reason: n.Reason(), ActionUser: n.Actor, DocumentID: n.DocumentID, AnnotationID: n.AnnotationID, CommentID: n.CommentID, Text: n.Text}
	if n.Custom != nil {
		line.Headline, line.Text = n.Custom.Shown(n.Actor)
	}
	if len(n.Recipients) > 0 {
		line.ReadAt = written(n.Recipients[0].ReadAt)
	}
	return line
}

func activityLine(v activity.View) any {
	return struct {
		ID          string          `json:"id"`
		At          *string         `json:"timestamp"`
		Feature     string          `json:"featureType"`
		Action      string          `json:"actionType"`
		Message     string          `json:"displayMessage,omitempty"`
		DocumentID  *string         `json:"documentId,omitempty"`
		TargetID    *string         `json:"targetEntityId,omitempty"`
		TargetSubID *string         `json:"targetSubEntityId,omitempty"`
		ActionUser  json.RawMessage `json:"actionUser"`
		Changes     json.RawMessage `json:"changes,omitempty"`
		EntityData  json.RawMessage `json:"entityData,omitempty"`
		Target      json.RawMessage `json:"entityTargetData,omitempty"`
	}{
		v.ID, written(&v.At), v.FeatureType, v.ActionType, v.Message, v.DocumentID, v.TargetID, v.TargetSub, v.ActionUser, v.Changes, v.EntityData,
		v.EntityTarget,
	}
}

// ReadMark is up to which comment a person has read an annotation; nil for one whose comment has gone.
type ReadMark struct {
	DocumentID   string `json:"documentId"`
	AnnotationID string `json:"annotationId"`
	CommentID    *int64 `json:"readUpToCommentId"`
}

// markPosition is where a page of read marks ended.
type markPosition struct{ Document, Annotation int64 }

type markPage = list.Page[ReadMark, markPosition]

var markOrder = list.Ascending("m.document_key", "m.annotation_key")

// marksOf are the read marks of the person $2 in the organization $1; of two the later one counts.
const marksOf = `
SELECT m.document_key, m.annotation_key, d.document_id, a.annotation_id,
       (SELECT c.comment_id FROM comments c WHERE c.annotation_key = m.annotation_key AND c.seq <= m.seq ORDER BY c.seq DESC LIMIT 1)
FROM (SELECT document_key, annotation_key, max(seq) AS seq FROM (
          SELECT r.* FROM documents o JOIN read_marks r ON r.document_key = o.key WHERE o.organization_key = $1 AND r.user_id = $2
          UNION ALL
          SELECT r.* FROM documents o JOIN document_read_marks r ON r.document_key = o.key WHERE o.organization_key = $1 AND r.user_id = $2) r
      GROUP BY 1, 2) m
JOIN documents d ON d.key = m.document_key JOIN annotations a ON a.key = m.annotation_key`

// readMarks reads a page of the person's read marks.
func (r *reader) readMarks(ctx context.Context, after *markPosition) (*markPage, error) {
	q := &pg.Conditions{Args: []any{r.organization, r.of.UserID}}
	if after != nil {
		markOrder.After(q, after.Document, after.Annotation)
	}
	rows, err := r.tx.Query(ctx, markOrder.First(q, marksOf, r.size), q.Args...)
	if err != nil {
		return nil, err
	}
	var found list.Found[ReadMark, markPosition]
	err = found.Collect(func(row pgx.CollectableRow) (m ReadMark, at markPosition, err error) {
		return m, at, row.Scan(&at.Document, &at.Annotation, &m.DocumentID, &m.AnnotationID, &m.CommentID)
	})(rows)
	found.Cut(r.size)
	return found.Page(), err
}
