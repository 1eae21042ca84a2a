package directory

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Types of visibility.
const (
	VisiblePublic       = "public"
	VisibleOrganization = "organizationPrivate"
	VisibleRestricted   = "restricted"
)

// Visibility says who may see an annotation, of those who may read its document;
// its author always may. OrganizationID is set with VisibleOrganization, UserIDs
// with VisibleRestricted.
type Visibility struct {
	Type           string
	OrganizationID string
	UserIDs        []string
}

// VisibleTo is the condition for rows a with a visibility that at least one of the users
// ($1 workspace, %[1]s the users) may see, whatever the document allows.
const VisibleTo = `(a.visibility = 'public' OR a.author_id = ANY(%[1]s::text[]) OR a.visible_to && %[1]s::text[]
 OR a.visible_to_org = ANY(ARRAY(SELECT o.organization_id FROM organizations o WHERE o.key = ANY(ARRAY(SELECT g.organization_key FROM grants g
    WHERE g.workspace_id = $1 AND g.user_id = ANY(%[1]s::text[]) AND g.folder_key IS NULL AND g.document_key IS NULL AND ` + Unexpired + `)))))`

// Viewers is who may see what is added at this moment.
type Viewers struct {
	Document int64
	Reach    *Access
	// Members of organizations that annotations are private to.
	Members map[Membership]bool
}

// Membership is a user in an organization.
type Membership struct{ OrganizationID, UserID string }

// Reads reports whether a user may read the document.
func (a *Viewers) Reads(user string) bool { return a.Reach.Decide(a.Document, user).Read }

// Sees reports whether a user may read the document and see something of an author
// with this visibility.
func (a *Viewers) Sees(v Visibility, author, user string) bool {
	return a.Reads(user) && v.Admits(author, user, a.Members)
}

// Admits reports whether something of an author is visible to a user who may read its
// document.
func (v Visibility) Admits(author, user string, members map[Membership]bool) bool {
	switch v.Type {
	case VisibleOrganization:
		return user == author || members[Membership{OrganizationID: v.OrganizationID, UserID: user}]
	case VisibleRestricted:
		return user == author || slices.Contains(v.UserIDs, user)
	default:
		return true
	}
}

// readMembers returns which of the pairs of organization and user are memberships.
const readMembers = `
SELECT o.organization_id, g.user_id FROM unnest($2::text[], $3::text[]) AS p (organization_id, user_id)
JOIN organizations o ON o.workspace_id = $1 AND o.organization_id = p.organization_id
JOIN grants g ON g.organization_key = o.key AND g.user_id = p.user_id AND g.folder_key IS NULL AND g.document_key IS NULL AND ` + Unexpired

// ReadMembers adds which of these are memberships.
func (a *Viewers) ReadMembers(ctx context.Context, q pg.Queryer, workspaceID string, asked []Membership) error {
	if len(asked) == 0 {
		return nil
	}
	organizations, users := make([]string, len(asked)), make([]string, len(asked))
	for i, m := range asked {
		organizations[i], users[i] = m.OrganizationID, m.UserID
	}
	rows, err := q.Query(ctx, readMembers, workspaceID, organizations, users)
	if err != nil {
		return err
	}
	members, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (m Membership, err error) {
		return m, row.Scan(&m.OrganizationID, &m.UserID)
	})
	for _, m := range members {
		a.Members[m] = true
	}
	return err
}
