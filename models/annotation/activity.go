package annotation

import (
	"context"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/id"

	"github.com/redline-svc/redline/models/internal/pg"
)

const insertActivities = `
INSERT INTO activities (id, workspace_id, document_key, feature_type, action_type, action_user, annotation_key, annotation_id, comment_id, created_at)
SELECT n.id, $1, $2, $3, n.action, n.actor::json, n.annotation_key, n.annotation_id, n.comment_id, $4
FROM unnest($5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::bigint[])
     AS n (id, action, actor, annotation_key, annotation_id, comment_id)`

// record stores an activity for each comment that asks for one. The first
// comment of an annotation is the annotation's.
func (a *change) record(ctx context.Context, tx *pg.Tx) error {
	var ids, actions, actors, annotations []string
	var keys, comments []int64
	for _, r := range a.rows {
		for i := range r.comments {
			c := &r.comments[i]
			if !c.Record {
				continue
			}
			action := envelope.CommentAdd
			if i == 0 {
				action = envelope.AnnotationAdd
			}
			ids, actions, actors = append(ids, id.New(id.Activity)), append(actions, action), append(actors, a.snapshot(c.From))
			keys, annotations, comments = append(keys, r.key), append(annotations, r.id), append(comments, c.id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, insertActivities, a.workspaceID, *a.at.Document, envelope.SourceComment, a.now, ids, actions, actors, keys, annotations, comments)
	return err
}
