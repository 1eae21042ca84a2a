package annotation

import (
	"context"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// readAudience reads who of those concerned may see the annotations at this
// moment: the recipients of the notices, and the users whom the annotations with
// events name.
func readAudience(ctx context.Context, tx *pg.Tx, c *change, notices []notice) (*directory.Audience, error) {
	var users, organizations []string
	for _, n := range notices {
		for _, r := range n.recipients {
			users = append(users, r.userID)
		}
	}
	for _, a := range c.annotations {
		if a.published() {
			users = append(users, a.concerned()...)
			organizations = append(organizations, a.visibility.OrganizationID)
		}
	}
	access, err := directory.ReadAccess(ctx, tx, c.scope.Organization, []int64{*c.scope.Document}, users)
	if err != nil {
		return nil, err
	}
	audience := &directory.Audience{Document: *c.scope.Document, Reach: access, Members: map[directory.Membership]bool{}}
	return audience, audience.ReadMembers(ctx, tx, c.workspaceID, users, organizations)
}

// excluded are the users whom an annotation concerns and who may not see it. The
// list is never nil, also where nobody is on it.
func excluded(audience *directory.Audience, a *changedAnnotation) []string {
	users := []string{}
	for _, user := range a.concerned() {
		if !audience.Sees(a.visibility, a.author, user) {
			users = append(users, user)
		}
	}
	return users
}
