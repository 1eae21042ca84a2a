package models

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
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

// audience is who may see what is added at this moment.
type audience struct {
	document int64
	reach    *reach
	// members of organizations that annotations are private to.
	members map[membership]bool
}

type membership struct{ organizationID, userID string }

// sees tells whether a user may read the document and see what is visible like
// this.
func (a *audience) sees(v Visibility, author, user string) bool {
	if !a.reach.decide(a.document, user).Read {
		return false
	}
	switch v.Type {
	case VisibleOrganization:
		return user == author || a.members[membership{organizationID: v.OrganizationID, userID: user}]
	case VisibleRestricted:
		return user == author || slices.Contains(v.UserIDs, user)
	default:
		return true
	}
}

// readMembers gives which of the users are members of which organizations.
const readMembers = `
SELECT o.organization_id, g.user_id FROM grants g JOIN organizations o ON o.key = g.organization_key
WHERE g.workspace_id = $1 AND g.user_id = ANY($2) AND g.folder_key IS NULL AND g.document_key IS NULL
  AND o.organization_id = ANY($3) AND ` + unexpired

func (a *audience) readMembers(ctx context.Context, q Queryer, workspaceID string, users, organizations []string) error {
	rows, err := q.Query(ctx, readMembers, workspaceID, users, organizations)
	if err != nil {
		return err
	}
	members, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (m membership, err error) {
		return m, row.Scan(&m.organizationID, &m.userID)
	})
	for _, m := range members {
		a.members[m] = true
	}
	return err
}
