package subject

import "github.com/redline-svc/redline/models/internal/pg"

// Within adds a condition on the columns of a list that have the keys: a row is about
// nothing, or about what was asked for. With an organization alone that is the
// organization and all its documents; with a document as well it is this one, and the
// organization as a whole. Without ids nothing is left out. Rows of all keys of an id
// are kept, see Filter; those of removed subjects too, which the list leaves out by Shown.
func Within(q *pg.Conditions, organization, document, organizationID, documentID string) {
	if organizationID == "" {
		return
	}
	id := q.Value(organizationID)
	q.Parts = append(q.Parts, `(`+organization+` IS NULL OR `+organization+` = ANY (ARRAY(
SELECT o.key FROM subjects o WHERE o.workspace_id = $1 AND o.id = `+id+` AND o.parent_key IS NULL)))`)
	if documentID != "" {
		q.Parts = append(q.Parts, `(`+document+` IS NULL OR `+document+` = ANY (ARRAY(
SELECT d.key FROM subjects d JOIN subjects o ON o.key = d.parent_key
WHERE d.workspace_id = $1 AND o.id = `+id+` AND d.id = `+q.Value(documentID)+`)))`)
	}
}
