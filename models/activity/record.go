package activity

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/template"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// AtOnce is how many records one statement stores: each may be as large as an annotation can
// be, and a call may make thousands.
const AtOnce = 100

// Record is an activity to be stored. Raw parts are JSON as it is kept, nil when absent.
type Record struct {
	ID                      string
	FeatureType, ActionType string
	// ActionUser is the snapshot of who acted, null for nobody.
	ActionUser json.RawMessage
	// AnnotationKey and CommentID are 0 where it is about none.
	AnnotationKey, CommentID int64
	// TargetID is what it is about, TargetSub what in that, where it is no comment.
	TargetID, TargetSub string
	Parts
	// Immutable is one that nobody changes or deletes.
	Immutable bool
	// At is when it was; the zero time is now.
	At time.Time
}

// Parts are what a record says. Raw ones are JSON as it is kept, nil when absent.
type Parts struct {
	Changes, EntityData, EntityTarget json.RawMessage
	Template                          string
	TemplateData                      json.RawMessage
	Icon                              string
}

// Message is the template with its places filled from its data, and from who acted where
// the data does not say that. It reports false where that is too large.
func (r *Record) Message() (string, bool) {
	roots := template.Roots{"actionUser": r.ActionUser}
	var data map[string]json.RawMessage
	_ = json.Unmarshal(r.TemplateData, &data) // it is an object or absent
	maps.Copy(roots, data)
	return template.Fill(r.Template, roots, template.Text)
}

// insertRecords stores records in the order of their ids, so that two calls with the same
// ones wait for one another instead of each other.
const insertRecords = `
INSERT INTO activities (id, workspace_id, organization_key, document_key, feature_type, action_type, action_user, annotation_key, annotation_id,
       comment_id, target_sub, changes, entity_data, entity_target, immutable, template, template_data, message, icon, created_at)
SELECT n.id, $1, $2, $3, n.feature, n.action, n.actor::json, n.annotation, n.target, n.comment, n.sub, n.changes::json, n.entity::json,
       n.entity_target::json, n.immutable, n.template, n.data::json, n.message, n.icon, coalesce(n.at, $4)
FROM unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[], $10::text[], $11::bigint[], $12::text[], $13::text[], $14::text[],
            $15::text[], $16::boolean[], $17::text[], $18::text[], $19::text[], $20::text[], $21::timestamptz[])
     AS n (id, feature, action, actor, annotation, target, comment, sub, changes, entity, entity_target, immutable, template, data, message, icon, at)
ORDER BY n.id ON CONFLICT ON CONSTRAINT activities_pkey DO NOTHING RETURNING id`

// Store stores records of the organization, or the document, of a scope and returns the ids
// of those whose ids were free. now is for those without a time.
func Store(ctx context.Context, tx *pg.Tx, workspaceID string, in directory.Scope, now time.Time, records []Record) (stored []string, err error) {
	sorted := slices.SortedFunc(slices.Values(records), func(a, b Record) int { return strings.Compare(a.ID, b.ID) })
	var document int64
	if in.Document != nil {
		document = *in.Document
	}
	for several := range slices.Chunk(sorted, AtOnce) {
		args := append([]any{workspaceID, in.Organization, document, now}, columnsOf(several)...)
		rows, err := tx.Query(ctx, insertRecords, args...)
		if err != nil {
			return nil, err
		}
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, err
		}
		stored = append(stored, ids...)
	}
	return stored, nil
}

// columnsOf are the records column by column.
func columnsOf(records []Record) []any {
	texts := func(of func(r *Record) string) []string {
		all := make([]string, len(records))
		for i := range records {
			all[i] = of(&records[i])
		}
		return all
	}
	optional := func(of func(r *Record) string) []*string {
		all := make([]*string, len(records))
		for i := range records {
			all[i] = pg.Optional(of(&records[i]))
		}
		return all
	}
	annotations, comments, times := make([]int64, len(records)), make([]int64, len(records)), make([]*time.Time, len(records))
	immutable := make([]bool, len(records))
	for i, r := range records {
		annotations[i], comments[i], immutable[i] = r.AnnotationKey, r.CommentID, r.Immutable
		if !r.At.IsZero() {
			times[i] = &records[i].At
		}
	}
	return []any{
		texts(func(r *Record) string { return r.ID }), texts(func(r *Record) string { return r.FeatureType }),
		texts(func(r *Record) string { return r.ActionType }), texts(func(r *Record) string { return string(r.ActionUser) }),
		annotations, texts(func(r *Record) string { return r.TargetID }), comments, optional(func(r *Record) string { return r.TargetSub }),
		optional(func(r *Record) string { return string(r.Changes) }), optional(func(r *Record) string { return string(r.EntityData) }),
		optional(func(r *Record) string { return string(r.EntityTarget) }), immutable,
		texts(func(r *Record) string { return r.Template }), optional(func(r *Record) string { return string(r.TemplateData) }),
		texts(func(r *Record) string {
			message, _ := r.Message() // one that is too large was refused
			return message
		}), texts(func(r *Record) string { return r.Icon }), times,
	}
}
