package activity

import (
	"time"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/list"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Filter names an organization and narrows; what is empty does not. A read with a viewer,
// or else one for an actor, leaves out what is about annotations that they may not see, and
// with a viewer what is in documents that they may not read.
type Filter struct {
	OrganizationID string   `json:"organizationId"`
	DocumentID     string   `json:"documentId"`
	TargetID       string   `json:"targetId"`
	Features       []string `json:"features"`
	Actions        []string `json:"actions"`
	Actor          string   `json:"actor"`
	Viewer         string   `json:"viewer"`
	IDs            []string `json:"ids"`
	// After and Before are epoch milliseconds, exclusive, nil for any.
	After  *int64 `json:"after"`
	Before *int64 `json:"before"`
	// Oldest has the oldest first.
	Oldest bool `json:"oldest"`
}

var newest = list.Descending("r.created_at", "r.id")

func (f *Filter) order() list.Order {
	if f.Oldest {
		return newest.Reversed()
	}
	return newest
}

// walks reports whether the records are found by walking an index in their order.
func (f *Filter) walks() bool { return len(f.IDs) == 0 }

// aboutDocument is the document of a record, else that of the annotation it is about, 0
// for none. What is about an annotation of which nothing is known has no document (NULL).
const aboutDocument = `CASE WHEN r.document_key <> 0 OR r.annotation_key = 0 THEN r.document_key
 ELSE coalesce((SELECT a.document_key FROM annotations a WHERE a.key = r.annotation_key),
               (SELECT a.document_key FROM deleted_annotations a WHERE a.annotation_key = r.annotation_key), -1) END`

// seen is the condition for records that users may see by the annotation that they are
// about, as it is or as it was when it was deleted.
const seen = `(r.annotation_key = 0 OR (SELECT ` + directory.VisibleTo + ` FROM annotations a WHERE a.key = r.annotation_key)
 OR (SELECT ` + directory.VisibleTo + ` FROM deleted_annotations a WHERE a.annotation_key = r.annotation_key))`

// there is the condition for records whose document is there. What stands between
// brackets is looked up row by row, so that nothing takes the rows from their order.
const there = `(r.document_key = 0 OR (SELECT d.document_id FROM documents d WHERE d.key = r.document_key) IS NOT NULL)`

// ofDocument reports whether the records are found by their document alone.
func (r *reading) ofDocument() bool {
	return r.at.document != 0 && r.walks() && r.TargetID == "" && r.Actor == ""
}

// conditions are those of the filter. The first of them is what an index is entered with;
// it is chosen here, since Postgres cannot know how many records an id has.
func (r *reading) conditions() *pg.Conditions {
	q := pg.NewConditions(r.workspaceID)
	switch {
	case len(r.IDs) > 0:
		q.And("r.id = ANY(%s)", r.IDs)
		q.And("r.organization_key = %s", r.at.organization)
	case r.ofDocument():
		q.And("r.document_key = %s", r.at.document)
	default:
		q.And("r.organization_key = %s", r.at.organization)
	}
	switch {
	case r.at.document == 0:
		q.And(there)
	case !r.ofDocument():
		q.And("r.document_key + 0 = %s", r.at.document) // by no index
	default:
	}
	if r.TargetID != "" {
		q.And("hashtextextended(r.annotation_id, 0) = hashtextextended(%[1]s::text COLLATE \"C\", 0) AND r.annotation_id = %[1]s", r.TargetID)
	}
	r.narrowActor(q)
	if len(r.Features) > 0 {
		q.And("r.feature_type = ANY(%s)", r.Features)
	}
	if len(r.Actions) > 0 {
		q.And("r.action_type = ANY(%s)", r.Actions)
	}
	if r.After != nil {
		q.And("r.created_at >= %s", time.UnixMilli(*r.After+1))
	}
	if r.Before != nil {
		q.And("r.created_at < %s", time.UnixMilli(*r.Before))
	}
	return q
}

// narrowActor adds who acted, and what the users for whom the records are read may see.
func (r *reading) narrowActor(q *pg.Conditions) {
	switch {
	case r.Viewer != "":
		q.And(seen, []string{r.Viewer})
	case r.Actor != "":
		q.And(seen, []string{r.Actor})
	default:
	}
	const actor = "r.action_user->>'userId'"
	if r.Actor != "" && (r.TargetID != "" || !r.walks()) {
		q.And(actor+" = %s", r.Actor)
	} else if r.Actor != "" {
		q.And("hashtextextended("+actor+", 0) = hashtextextended(%[1]s::text, 0) AND "+actor+" = %[1]s", r.Actor)
	}
}

// search is the statement of some records from a position on, and one more.
func (r *reading) search(after *Position, some int) (string, []any) {
	q := r.conditions()
	if after != nil {
		r.order().After(q, after.Values()...)
	}
	return r.order().First(q, `SELECT r.id, r.created_at, `+aboutDocument+` FROM activities r WHERE r.workspace_id = $1`, some), q.Args
}

const columns = `
SELECT r.id, r.feature_type, r.action_type, r.action_user, nullif(r.annotation_id, '') AS target, coalesce(r.target_sub, nullif(r.comment_id, 0)::text) AS sub,
       r.changes, r.entity_data, r.entity_target, r.immutable, r.template, r.template_data, r.message, r.icon, r.created_at,
       (SELECT d.document_id FROM documents d WHERE d.key = r.document_key) AS document_id,
       (SELECT f.folder_id FROM documents d JOIN folders f ON f.key = d.folder_key WHERE d.key = r.document_key) AS folder_id
FROM activities r WHERE r.workspace_id = $1`

// bytes is about how large a record is in an answer.
const bytes = `600 + octet_length(p.id) + octet_length(p.action_user::text) + coalesce(octet_length(p.target), 0) + coalesce(octet_length(p.sub), 0)
 + coalesce(octet_length(p.changes::text), 0) + coalesce(octet_length(p.entity_data::text), 0) + coalesce(octet_length(p.entity_target::text), 0)
 + octet_length(p.template)
 + coalesce(octet_length(p.template_data::text), 0) + octet_length(p.message) + octet_length(p.icon)
 + coalesce(octet_length(p.document_id), 0) + coalesce(octet_length(p.folder_id), 0)`

// query is the statement of a page.
func (r *reading) query() (string, []any) {
	q := r.conditions()
	if r.readable != nil {
		q = pg.NewConditions(r.workspaceID)
		q.And("r.id = ANY(%s)", r.readable)
	} else if r.after != nil {
		r.order().After(q, r.after.Values()...)
	}
	return r.order().Fit(q, r.order().First(q, columns, r.size), bytes, r.size), q.Args
}
