package directory

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/access"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Unexpired is the condition for grants g that count at this instant.
const Unexpired = `(g.expires_at IS NULL OR g.expires_at > clock_timestamp())`

// Access is what is needed to decide about users' access to documents of one
// organization: the settings of the documents and the grants of the users.
type Access struct {
	documents map[int64]*documentSettings
	grants    map[string][]grantAt
}

// documentSettings is what is set for a document and above it, and the level of each
// folder above it.
type documentSettings struct {
	access.Settings
	folders map[int64]int
}

// grantAt is a grant that has not expired; without folder and document it is on
// the organization.
type grantAt struct {
	folder, document *int64
	role             access.Role
}

// The statements go together in one trip.
const readDocumentSettings = `
SELECT d.key, coalesce(d.access, ''), coalesce(o.access, ''), d.default_access
FROM documents d JOIN organizations o ON o.key = d.organization_key WHERE d.organization_key = $1 AND d.key = ANY($2)`

// above walks from documents up to the top; levels begin at 1.
const above = `
WITH RECURSIVE above (document, level, key, parent_key, access) AS (
    SELECT d.key, 1, f.key, f.parent_key, f.access FROM documents d JOIN folders f ON f.key = d.folder_key
    WHERE d.organization_key = $1 AND d.key = ANY($2)
    UNION ALL
    SELECT a.document, a.level + 1, f.key, f.parent_key, f.access FROM above a JOIN folders f ON f.key = a.parent_key
) `

const readAbove = above + `SELECT document, key, coalesce(access, '') FROM above ORDER BY document, level`

const readLevels = above + `
SELECT g.user_id, g.folder_key, g.document_key, g.role FROM grants g
WHERE g.organization_key = $1 AND g.user_id = ANY($3) AND ` + Unexpired + `
  AND (g.document_key = ANY($2) OR g.folder_key IN (SELECT key FROM above) OR (g.folder_key IS NULL AND g.document_key IS NULL))`

// ReadAccess loads what is needed to decide about these users and documents.
func ReadAccess(ctx context.Context, tx pg.Batcher, organization int64, documents []int64, users []string) (*Access, error) {
	r := &Access{documents: map[int64]*documentSettings{}, grants: map[string][]grantAt{}}
	b := &pgx.Batch{}
	b.Queue(readDocumentSettings, organization, documents).Query(r.scanStandings)
	b.Queue(readAbove, organization, documents).Query(r.scanAbove)
	b.Queue(readLevels, organization, documents, users).Query(r.scanGrants)
	return r, tx.SendBatch(ctx, b).Close()
}

func (r *Access) scanStandings(rows pgx.Rows) error {
	for rows.Next() {
		s := &documentSettings{folders: map[int64]int{}}
		var document int64
		if err := rows.Scan(&document, &s.Document, &s.Organization, &s.Default); err != nil {
			return err
		}
		r.documents[document] = s
	}
	return rows.Err()
}

func (r *Access) scanAbove(rows pgx.Rows) error {
	for rows.Next() {
		var document, folder int64
		var set access.Type
		if err := rows.Scan(&document, &folder, &set); err != nil {
			return err
		}
		s := r.documents[document]
		s.Folders = append(s.Folders, set)
		s.folders[folder] = len(s.Folders)
	}
	return rows.Err()
}

func (r *Access) scanGrants(rows pgx.Rows) error {
	for rows.Next() {
		var user string
		var g grantAt
		if err := rows.Scan(&user, &g.folder, &g.document, &g.role); err != nil {
			return err
		}
		r.grants[user] = append(r.grants[user], g)
	}
	return rows.Err()
}

// Effective is the access type that holds for a document; Unset for one that does
// not exist.
func (r *Access) Effective(document int64) access.Type {
	s := r.documents[document]
	if s == nil {
		return access.Unset
	}
	effective, _ := s.Settings.Effective()
	return effective
}

// Decide gives what a user may do with a document; with one that does not exist
// nobody may do anything.
func (r *Access) Decide(document int64, user string) access.Decision {
	s := r.documents[document]
	if s == nil {
		return access.Decision{}
	}
	var counted []access.Grant
	for _, g := range r.grants[user] {
		switch {
		case g.document != nil && *g.document == document:
			counted = append(counted, access.Grant{Level: access.Document, Role: g.role})
		case g.folder != nil && s.folders[*g.folder] > 0:
			counted = append(counted, access.Grant{Level: s.folders[*g.folder], Role: g.role})
		case g.folder == nil && g.document == nil:
			counted = append(counted, access.Grant{Level: s.OrganizationLevel(), Role: g.role})
		default:
		}
	}
	return access.Decide(s.Settings, counted)
}
