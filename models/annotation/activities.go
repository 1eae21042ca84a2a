package annotation

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/pg"
)

const insertActivities = `
INSERT INTO activities (id, workspace_id, document_key, feature_type, action_type, action_user, annotation_key, annotation_id, comment_id, changes, created_at)
SELECT n.id, $1, $2, $3, n.action, n.actor::json, n.annotation_key, n.annotation_id, n.comment_id, n.changes::json, $4
FROM unnest($5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[], $10::bigint[], $11::text[])
     AS n (id, action, actor, annotation_key, annotation_id, comment_id, changes)`

// recordActivities stores an activity for each changed comment that asks for one, and for
// each act where the call asks for them. The action of a comment's is the first of the comment's events, so adding an annotation is one
// activity and not two.
func recordActivities(ctx context.Context, tx *pg.Tx, c *change) error {
	var ids, actions, actors, annotations []string
	var keys, comments []int64
	var changes []*string
	for _, a := range c.annotations {
		for _, r := range a.records() {
			ids, actions, actors = append(ids, id.New(id.Activity)), append(actions, r.action), append(actors, string(snapshotOrNull(r.actor)))
			keys, annotations, comments = append(keys, a.key), append(annotations, a.id), append(comments, r.commentID)
			changes = append(changes, pg.Optional(string(r.changes)))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, insertActivities, c.workspaceID, *c.scope.Document, envelope.SourceComment, c.now, ids, actions, actors, keys, annotations, comments, changes)
	return err
}

// activityRecord is an activity of an annotation, about one of its comments, or
// about none: 0.
type activityRecord struct {
	action    string
	actor     *person.Person
	commentID int64
	changes   json.RawMessage
}

// records are the activities of an annotation that are asked for.
func (a *changedAnnotation) records() (all []activityRecord) {
	for _, c := range a.changed {
		if c.record {
			all = append(all, activityRecord{c.events[0], c.actor, c.id, c.changes})
		}
	}
	for _, done := range a.acts {
		if a.record {
			all = append(all, activityRecord{action: done.event, actor: a.actor})
		}
	}
	return all
}

// fieldChange is what a field was and what it is.
type fieldChange struct {
	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`
}

// changesOf are the fields of a comment that an edit changed, by the names under which
// events show them. That it was edited, and when, the activity itself says.
func changesOf(stored, edited *changedComment) json.RawMessage {
	was, is := shownFields(stored), shownFields(edited)
	changes := map[string]fieldChange{}
	for name, value := range is {
		if name != "status" && name != "lastUpdated" && !bytes.Equal(was[name], value) {
			changes[name] = fieldChange{From: was[name], To: value}
		}
	}
	return shape.Encode(changes)
}

func shownFields(comment *changedComment) (fields map[string]json.RawMessage) {
	_ = json.Unmarshal(shape.Encode(showComment(comment)), &fields) // it was written as an object
	return fields
}
