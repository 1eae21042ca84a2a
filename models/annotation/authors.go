package annotation

import (
	"context"
	"slices"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// authorship is what all calls that add comments do about those who write them, within
// their transaction: they come into the document, may write there, and become members.
type authorship struct {
	change change
	sent   []sentComment
	// autoMembers reports whether there are authors who are to become members.
	autoMembers bool
}

// sentComment is a comment as sent, with the index of the element of the request that
// names its author.
type sentComment struct {
	*NewComment
	index int
}

// sends notes comments as sent; index gives the element for each.
func (a *authorship) sends(comments []NewComment, index func(i int) int) {
	for i := range comments {
		a.sent = append(a.sent, sentComment{&comments[i], index(i)})
	}
}

// authors are the distinct authors, each with the index of the first element that names
// them.
func (a *authorship) authors() (ids []string, first map[string]int) {
	first = map[string]int{}
	for _, c := range a.sent {
		if _, known := first[c.From.UserID]; !known {
			first[c.From.UserID] = c.index
			ids = append(ids, c.From.UserID)
		}
	}
	return ids, first
}

// tagged are the users whom the comments tag.
func (a *authorship) tagged() (users []string) {
	for _, c := range a.sent {
		users = append(users, c.Tags...)
	}
	return users
}

// readSettings reads what the workspace wants, and the time.
func (a *authorship) readSettings(ctx context.Context, tx *pg.Tx) (private bool, err error) {
	err = tx.QueryRow(ctx, `SELECT private_comments, auto_members, clock_timestamp() FROM workspaces WHERE id = $1`, a.change.workspaceID).
		Scan(&private, &a.autoMembers, &a.change.now)
	return private, err
}

// enter opens the container. Only who makes members holds off other changes of
// people, and does so before anything is made in the organization, as whoever
// changes people.
func (a *authorship) enter(ctx context.Context, tx *pg.Tx) error {
	organization, err := a.change.container.OpenOrganization(ctx, tx, a.change.workspaceID, directory.LockStay)
	if err != nil {
		return err
	}
	if a.autoMembers {
		nonMembers, err := a.nonMembers(ctx, tx, organization)
		if err != nil {
			return err
		}
		if a.autoMembers = len(nonMembers) > 0; a.autoMembers {
			// It may be another one by now: deleted and made again.
			if organization, err = a.change.container.OpenOrganization(ctx, tx, a.change.workspaceID, directory.LockPeople); err != nil {
				return err
			}
		}
	}
	a.change.scope.Organization = organization
	scope, err := a.change.container.EnterRest(ctx, tx, a.change.workspaceID, organization)
	if err == nil {
		a.change.scope = scope
	}
	return err
}

// nonMembers are the authors who are no members of the organization at this
// moment.
func (a *authorship) nonMembers(ctx context.Context, tx *pg.Tx, organization int64) ([]string, error) {
	authors, _ := a.authors()
	members, err := directory.ReadGrants(ctx, tx, directory.Scope{Organization: organization}, authors)
	return slices.DeleteFunc(authors, func(user string) bool {
		g, member := members[user]
		return member && !g.Expired
	}), err
}

// verify refuses the call when one of its authors may not write.
func (a *authorship) verify(ctx context.Context, tx *pg.Tx) error {
	authors, first := a.authors()
	access, err := directory.ReadAccess(ctx, tx, a.change.scope.Organization, []int64{*a.change.scope.Document}, authors)
	if err != nil {
		return err
	}
	denied := fault.PermissionDenied("", "an author may not write to the document")
	for _, user := range authors {
		if !access.Decide(*a.change.scope.Document, user).Write {
			denied.Details.Denied = append(denied.Details.Denied, fault.DeniedUser{Index: first[user], UserID: user})
		}
	}
	if len(denied.Details.Denied) > 0 {
		return denied
	}
	return nil
}

// join makes authors members of the organization where the workspace wants it;
// some may have become members while this one waited for the organization.
func (a *authorship) join(ctx context.Context, tx *pg.Tx) error {
	if !a.autoMembers {
		return nil
	}
	nonMembers, err := a.nonMembers(ctx, tx, a.change.scope.Organization)
	if err != nil {
		return err
	}
	profiles, err := directory.ReadProfiles(ctx, tx, a.change.scope.Organization, nonMembers)
	if err != nil {
		return err
	}
	grants := make([]directory.Grant, len(nonMembers))
	var unknown []*directory.Profile
	for i, user := range nonMembers {
		grants[i] = directory.Grant{UserID: user, Role: directory.DefaultRole}
		if profiles[user] == nil {
			unknown = append(unknown, &directory.Profile{Person: person.Person{UserID: user}})
		}
	}
	if err := directory.WriteProfiles(ctx, tx, a.change.workspaceID, a.change.scope.Organization, unknown); err != nil {
		return err
	}
	return directory.WriteGrants(ctx, tx, a.change.workspaceID, directory.Scope{Organization: a.change.scope.Organization}, grants)
}
