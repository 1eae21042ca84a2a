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

// recordActivities stores an activity for each changed comment that asks for one.
// Its action is the first of the comment's events, so adding an annotation is one
// activity and not two.
func recordActivities(ctx context.Context, tx *pg.Tx, c *change) error {
	var ids, actions, actors, annotations []string
	var keys, comments []int64
	for _, a := range c.annotations {
		for _, comment := range a.changed {
			if !comment.record {
				continue
			}
			ids, actions, actors = append(ids, id.New(id.Activity)), append(actions, comment.events[0]), append(actors, string(snapshotOrNull(comment.actor)))
			keys, annotations, comments = append(keys, a.key), append(annotations, a.id), append(comments, comment.id)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, insertActivities, c.workspaceID, *c.scope.Document, envelope.SourceComment, c.now, ids, actions, actors, keys, annotations, comments)
	return err
}
