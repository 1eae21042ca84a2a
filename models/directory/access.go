package directory

import (
	"context"
	"fmt"
	"slices"
	"time"

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
	grants    map[place]grantAt
}

// documentSettings is what is set for a document and above it, and the folders above it, nearest first.
type documentSettings struct {
	access.Settings
	folders []int64
}

// place is where a user has a grant, of which there is one at most: a document or a folder, and the organization where both are 0.
type place struct {
	user             string
	folder, document int64
}

// grantAt is a grant that has not expired.
type grantAt struct {
	role      access.Role
	expiresAt *time.Time
}

// accessStatement reads settings and grants in one statement, so that a decision
// follows one state of the rows, however many folders stand above. It walks from
// what is asked about (the first text: rows with key, organization_key, folder_key,
// access, default_access and disabled) up to the top. The second text is the condition for
// grants on what is asked about itself.
//
// It is planned once: lists in a subquery look equally long to the planner whatever
// is in them, and OFFSET 0 keeps it from reading a whole table for a few keys.
const accessStatement = `
WITH RECURSIVE asked AS (
    SELECT d.* FROM unnest((SELECT $2::bigint[])) AS sent (key)
    CROSS JOIN LATERAL (SELECT d.key, d.folder_key, d.access, d.default_access, d.disabled FROM %s d WHERE d.key = sent.key AND d.organization_key = $1 OFFSET 0) d
), above (asked, level, key, parent_key, access) AS (
    SELECT d.key, 1, f.* FROM asked d
    CROSS JOIN LATERAL (SELECT key, parent_key, access FROM folders WHERE key = d.folder_key OFFSET 0) f
    UNION ALL
    SELECT a.asked, a.level + 1, f.* FROM above a
    CROSS JOIN LATERAL (SELECT key, parent_key, access FROM folders WHERE key = a.parent_key OFFSET 0) f
), paths AS (
    SELECT asked, array_agg(key ORDER BY level) AS folders, array_agg(coalesce(access, '') ORDER BY level) AS settings FROM above GROUP BY asked
)
SELECT 0 AS kind, d.key, NULL::bigint, p.folders, p.settings, coalesce(d.access, ''), coalesce(o.access, ''), d.default_access,
       '', '', NULL::timestamptz, d.disabled OR o.disabled
FROM asked d JOIN organizations o ON o.key = $1 LEFT JOIN paths p ON p.asked = d.key
UNION ALL
SELECT 1, g.document_key, g.folder_key, NULL::bigint[], NULL::text[], '', '', '', g.user_id, g.role, g.expires_at, false FROM grants g
WHERE g.organization_key = $1 AND g.user_id = ANY((SELECT $3::text[])::text[]) AND ` + Unexpired + `
  AND (%s OR g.folder_key IN (SELECT key FROM above) OR (g.folder_key IS NULL AND g.document_key IS NULL))`

// Access to a folder, or to the organization itself, follows the same rules: it is
// that to a document which stands in it and has neither a setting nor grants.
var (
	readDocumentAccess = fmt.Sprintf(accessStatement, `document_rows`, `g.document_key IN (SELECT key FROM asked)`)
	readFolderAccess   = fmt.Sprintf(accessStatement,
		`(SELECT f.key, f.organization_key, f.key AS folder_key, NULL::text AS access, f.default_access, false AS disabled FROM folders f)`, `false`)
	readOrganizationAccess = fmt.Sprintf(accessStatement,
		`(SELECT o.key, o.key AS organization_key, NULL::bigint AS folder_key, NULL::text AS access, w.default_access, false AS disabled
          FROM organizations o JOIN workspaces w ON w.id = o.workspace_id)`, `false`)
)

// ReadAccess loads what is needed to decide about these users and documents, each of
// which is named once.
func ReadAccess(ctx context.Context, q pg.Queryer, organization int64, documents []int64, users []string) (*Access, error) {
	return readAccess(ctx, q, readDocumentAccess, organization, documents, users)
}

// ReadOrganizationAccess is ReadAccess about what is in the organization and in no
// document: the key to decide about is that of the organization.
func ReadOrganizationAccess(ctx context.Context, q pg.Queryer, organization int64, users []string) (*Access, error) {
	return readAccess(ctx, q, readOrganizationAccess, organization, []int64{organization}, users)
}

func readAccess(ctx context.Context, q pg.Queryer, statement string, organization int64, asked []int64, users []string) (*Access, error) {
	rows, err := q.Query(ctx, statement, organization, asked, users)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	r := &Access{documents: map[int64]*documentSettings{}, grants: map[place]grantAt{}}
	for rows.Next() {
		if err := r.scan(rows); err != nil {
			return nil, err
		}
	}
	return r, rows.Err()
}

// grantedRow is the kind of the rows of accessStatement that are grants; the others
// are what is asked about.
const grantedRow = 1

// scan takes over one row of accessStatement.
func (r *Access) scan(row pgx.Row) error {
	var kind int
	var document, folder *int64
	var folders []int64
	var s access.Settings
	var user string
	var role access.Role
	var expires *time.Time
	if err := row.Scan(&kind, &document, &folder, &folders, &s.Folders, &s.Document, &s.Organization, &s.Default, &user, &role, &expires, &s.Shut); err != nil {
		return err
	}
	if kind == grantedRow {
		r.grants[place{user, keyOf(folder), keyOf(document)}] = grantAt{role, expires}
		return nil
	}
	r.documents[*document] = &documentSettings{s, folders}
	return nil
}

// keyOf is a key, 0 for none.
func keyOf(key *int64) int64 {
	if key == nil {
		return 0
	}
	return *key
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

// Decide returns what a user may do with a document; with one that does not exist
// nobody may do anything.
func (r *Access) Decide(document int64, user string) access.Decision {
	s := r.documents[document]
	if s == nil {
		return access.Decision{}
	}
	return access.Decide(s.Settings, r.counted(document, user))
}

// Type returns the type that holds for a document that exists.
func (r *Access) Type(document int64) access.Type {
	effective, _ := r.documents[document].Effective()
	return effective
}

// shut reports whether nobody may enter a document that exists.
func (r *Access) shut(document int64) bool { return r.documents[document].Shut }

// ends returns when the grant expires whose role holds for a user; nil for never, and
// where no grant counts.
func (r *Access) ends(document int64, user string) *time.Time {
	nearest, found := access.Nearest(r.documents[document].Settings, r.counted(document, user))
	if !found {
		return nil
	}
	return r.grants[r.places(document, user)[nearest.Level]].expiresAt
}

// counted are the grants of a user on a document and above it. They are looked up place by place: a user may have one on each of
// thousands of documents.
func (r *Access) counted(document int64, user string) []access.Grant {
	var grants []access.Grant
	for level, at := range r.places(document, user) {
		if g, there := r.grants[at]; there {
			grants = append(grants, access.Grant{Level: level, Role: g.role})
		}
	}
	return grants
}

// places are where a grant reaches a document, by their levels.
func (r *Access) places(document int64, user string) []place {
	folders := r.documents[document].folders
	all := make([]place, 0, len(folders)+2)
	all = append(all, place{user: user, document: document})
	for _, key := range folders {
		all = append(all, place{user: user, folder: key})
	}
	return append(all, place{user: user})
}

// readableAtOnce is of how many documents access is read at once: of any number it would be as much in memory.
const readableAtOnce = 10_000

// Readable returns those of any number of documents that a user may read, in their order.
func Readable(ctx context.Context, q pg.Queryer, organization int64, documents []int64, user string) (readable []int64, err error) {
	for some := range slices.Chunk(documents, readableAtOnce) {
		known, err := ReadAccess(ctx, q, organization, some, []string{user})
		if err != nil {
			return nil, err
		}
		for _, document := range some {
			if known.Decide(document, user).Read {
				readable = append(readable, document)
			}
		}
	}
	return readable, nil
}
