package annotation

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"slices"

	"github.com/redline-svc/redline/internal/envelope"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/activity"
	"github.com/redline-svc/redline/models/internal/pg"
)

// recordActivities stores an activity for each changed comment that asks for one, and for
// each act where the call asks for them, as far as the workspace has them written. The action of a comment's is the first of the comment's events, so adding an annotation is one
// activity and not two.
func recordActivities(ctx context.Context, tx *pg.Tx, c *change) error {
	if !slices.ContainsFunc(c.annotations, func(a *annotation) bool { return len(a.records()) > 0 }) {
		return nil
	}
	settings, err := activity.ReadSettings(ctx, tx, c.workspaceID, "")
	if err != nil || !settings.Enabled {
		return err
	}
	if err := readFolder(ctx, tx, c); err != nil {
		return err
	}
	for some := range pg.Portions(c.written(settings), activity.AtOnce) {
		if _, err := activity.Store(ctx, tx, c.workspaceID, c.scope, c.now, some); err != nil {
			return err
		}
	}
	return nil
}

// written are the activities that the workspace has written, with about how many bytes each takes: that of an edit says what a
// comment was and what it is, in JSON, which may be six times as long.
func (c *change) written(settings *activity.Settings) iter.Seq2[activity.Record, int64] {
	return func(yield func(activity.Record, int64) bool) {
		for _, a := range c.annotations {
			for _, r := range a.records() {
				if !settings.Writes(r.action) {
					continue
				}
				record := c.recordOf(a, r)
				record.Immutable = settings.Immutable
				if !yield(record, int64(len(record.EntityData)+len(record.Changes))) {
					return
				}
			}
		}
	}
}

// recordOf is an activity as it is stored.
func (c *change) recordOf(a *annotation, r activityRecord) activity.Record {
	record := activity.Record{
		ID: id.New(id.Activity), FeatureType: envelope.SourceComment, ActionType: r.action, ActionUser: snapshotOrNull(r.actor),
		AnnotationKey: a.key, TargetID: a.id, CommentID: r.commentID,
		Parts: activity.Parts{Changes: r.changes(), EntityData: c.entityOf(a, r.commentID)},
	}
	record.Show()
	return record
}

// entityOf is an annotation as events show it, of its thread only the comment that
// the activity is about, and without what may be large beside it.
func (c *change) entityOf(a *annotation, commentID int64) json.RawMessage {
	one := *a
	one.comments, one.context, one.suggestion, one.agent = nil, nil, nil, nil
	if i := slices.IndexFunc(a.changed, func(comment *comment) bool { return comment.id == commentID }); i >= 0 {
		one.comments = a.changed[i : i+1]
	}
	view := showAnnotation(c, &one, nil, nil)
	view.CommentCount = len(a.comments)
	return shape.Encode(view)
}

// activityRecord is an activity of an annotation, about one of its comments, or
// about none: 0.
type activityRecord struct {
	action    string
	actor     *person.Person
	commentID int64
	// changes writes the fields that were changed.
	changes func() json.RawMessage
}

// records are the activities of an annotation that are asked for.
func (a *annotation) records() (all []activityRecord) {
	for _, c := range a.changed {
		if c.record {
			all = append(all, activityRecord{c.events[0], c.actor, c.id, c.changes})
		}
	}
	for _, done := range a.acts {
		if a.record {
			all = append(all, activityRecord{action: done.event, actor: a.actor, changes: done.encoded})
		}
	}
	return all
}

// isRecorded reports whether an activity of the annotation is asked for.
func (a *annotation) isRecorded() bool { return len(a.records()) > 0 }

// fieldChange is what a field was and what it is.
type fieldChange struct {
	From json.RawMessage `json:"from"`
	To   json.RawMessage `json:"to"`
}

// encoded are the fields that an act changed, nothing where it changed none.
func (done act) encoded() json.RawMessage {
	if len(done.changes) == 0 {
		return nil
	}
	return shape.Encode(done.changes)
}

// changes are the fields of a comment that an edit changed, by the names under which
// events show them, nothing where it was not edited. That it was, and when, the activity itself says.
func (c *comment) changes() json.RawMessage {
	if c.before == nil {
		return nil
	}
	was, is := shownFields(c.before), shownFields(c)
	changes := map[string]fieldChange{}
	for name, value := range is {
		if name != "status" && name != "lastUpdated" && !bytes.Equal(was[name], value) {
			changes[name] = fieldChange{From: was[name], To: value}
		}
	}
	return shape.Encode(changes)
}

func shownFields(comment *comment) (fields map[string]json.RawMessage) {
	_ = json.Unmarshal(shape.Encode(showComment(comment)), &fields) // it was written as an object
	return fields
}
