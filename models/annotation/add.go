package annotation

import (
	"context"
	"slices"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// addCall is one call of Add within its transaction: it fills the change.
type addCall struct {
	Addition
	change change
	// autoMembers tells whether there are authors who are to become members.
	autoMembers bool
	// reserved is the refusal of a document whose id is reserved: the last of all.
	reserved error
}

// Add adds annotations to a document, all or none. Errors, in this order:
// FAILED_PRECONDITION (private-comments-disabled); NOT_FOUND of organization,
// document, agents; PERMISSION_DENIED with the authors; ALREADY_EXISTS with the
// annotations in use; ABORTED (migration-in-progress).
func (s *Annotations) Add(ctx context.Context, workspaceID string, add Addition) ([]Added, error) {
	a := &addCall{Addition: add, change: change{workspaceID: workspaceID, apiKeyID: add.APIKeyID, container: add.Container}}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		for _, step := range []func(context.Context, *pg.Tx) error{a.open, a.verify, a.join, a.fill, a.insertAnnotations, a.refuse, a.insertComments} {
			if err := step(ctx, tx); err != nil {
				return err
			}
		}
		return storeEffects(ctx, tx, &a.change)
	})
	if err != nil {
		return nil, err
	}
	return a.added(), nil
}

// added is the answer.
func (a *addCall) added() []Added {
	all := make([]Added, len(a.change.annotations))
	for i, annotation := range a.change.annotations {
		all[i] = Added{ID: annotation.id, FindingID: annotation.comments[0].agent.findingID()}
		for _, c := range annotation.comments {
			all[i].CommentIDs = append(all[i].CommentIDs, c.id)
		}
	}
	return all
}

// open looks at the settings and holds the document.
func (a *addCall) open(ctx context.Context, tx *pg.Tx) error {
	var private bool
	err := tx.QueryRow(ctx, `SELECT private_comments, auto_members, clock_timestamp() FROM workspaces WHERE id = $1`, a.change.workspaceID).
		Scan(&private, &a.autoMembers, &a.change.now)
	if err != nil {
		return err
	}
	if !private && a.private() {
		return fault.Precondition("private-comments-disabled", "the workspace allows public annotations only")
	}
	if err = a.enter(ctx, tx); err != nil {
		return err
	}
	return a.checkAgents(ctx, tx, a.change.workspaceID)
}

// enter opens the container. Only who makes members holds off other changes of
// people, and does so before anything is made in the organization, as whoever
// changes people.
func (a *addCall) enter(ctx context.Context, tx *pg.Tx) error {
	organization, err := a.Container.OpenOrganization(ctx, tx, a.change.workspaceID, directory.LockStay)
	if err != nil {
		return err
	}
	if a.autoMembers {
		strangers, err := a.strangers(ctx, tx, organization)
		if err != nil {
			return err
		}
		if a.autoMembers = len(strangers) > 0; a.autoMembers {
			// It may be another one by now: deleted and made again.
			if organization, err = a.Container.OpenOrganization(ctx, tx, a.change.workspaceID, directory.LockPeople); err != nil {
				return err
			}
		}
	}
	a.change.scope, err = a.Container.OpenRest(ctx, tx, a.change.workspaceID, organization)
	if !directory.IsReserved(err) {
		return err
	}
	a.reserved = err
	a.change.scope = directory.Scope{Organization: organization}
	a.change.scope.Document, err = a.Container.MakeReserved(ctx, tx, a.change.workspaceID, organization)
	if err == nil && a.change.scope.Document == nil {
		return a.reserved
	}
	return err
}

// refuse ends a call whose document may not be made.
func (a *addCall) refuse(context.Context, *pg.Tx) error { return a.reserved }

// strangers are the authors who are no members of the organization at this
// moment.
func (a *addCall) strangers(ctx context.Context, tx *pg.Tx, organization int64) ([]string, error) {
	authors, _ := a.authors()
	members, err := directory.ReadGrants(ctx, tx, directory.Scope{Organization: organization}, authors)
	return slices.DeleteFunc(authors, func(user string) bool {
		g, member := members[user]
		return member && !g.Expired
	}), err
}

// verify refuses the call when one of its authors may not write.
func (a *addCall) verify(ctx context.Context, tx *pg.Tx) error {
	if !a.Verify {
		return nil
	}
	authors, first := a.authors()
	access, err := directory.ReadAccess(ctx, tx, a.change.scope.Organization, []int64{*a.change.scope.Document}, authors)
	if err != nil {
		return err
	}
	denied := fault.Denied("", "an author may not write to the document")
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
func (a *addCall) join(ctx context.Context, tx *pg.Tx) error {
	if !a.autoMembers {
		return nil
	}
	strangers, err := a.strangers(ctx, tx, a.change.scope.Organization)
	if err != nil {
		return err
	}
	profiles, err := directory.ReadProfiles(ctx, tx, a.change.scope.Organization, strangers)
	if err != nil {
		return err
	}
	grants := make([]directory.Grant, len(strangers))
	var unknown []*directory.Profile
	for i, user := range strangers {
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
