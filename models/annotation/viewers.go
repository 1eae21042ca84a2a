package annotation

import (
	"context"
	"slices"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// viewers is who may see the annotations of a change at this moment, and whom those
// with events name.
type viewers struct {
	directory.Viewers
	named map[*annotation]*named
}

// named are the users whom an annotation names. A thread can tag ten thousand of them,
// and all its events say the same of them: they are found once.
type named struct {
	// Mentioned are those whom the thread tags, concerned these and the assignee.
	mentioned, concerned []string
	// excluded are those of the concerned who may not see the annotation where not
	// everybody does. The list is never nil then, also where nobody is on it.
	excluded []string
	// bytes is about what an event shows of them.
	bytes int64
}

// quotes is what JSON has around a text in a list.
const quotes = 3

// readViewers reads who of those concerned may see the annotations at this moment: the
// recipients of the notices, and the users whom the annotations with events name. Of others
// it reads whether they may read the document.
func readViewers(ctx context.Context, tx *pg.Tx, c *change, notices []notice, others []string) (*viewers, error) {
	who := &viewers{named: namedIn(c)}
	users := slices.Concat(usersOf(notices), others)
	var private []directory.Membership
	for a, n := range who.named {
		users = append(users, n.concerned...)
		private = append(private, a.memberships(n.concerned...)...)
	}
	for _, n := range notices {
		for _, r := range n.recipients {
			private = append(private, n.annotation.memberships(r.userID)...)
		}
	}
	access, err := directory.ReadAccess(ctx, tx, c.scope.Organization, []int64{*c.scope.Document}, pg.Distinct(users))
	if err != nil {
		return nil, err
	}
	who.Viewers = directory.Viewers{Document: *c.scope.Document, Reach: access, Members: map[directory.Membership]bool{}}
	if err := who.ReadMembers(ctx, tx, c.workspaceID, private); err != nil {
		return nil, err
	}
	who.exclude()
	return who, nil
}

// memberships are those by which users would see an annotation that is private to an
// organization.
func (a *annotation) memberships(users ...string) (all []directory.Membership) {
	if a.visibility.Type != directory.VisibleOrganization {
		return nil
	}
	for _, user := range users {
		all = append(all, directory.Membership{OrganizationID: a.visibility.OrganizationID, UserID: user})
	}
	return all
}

// namedIn are the users whom the annotations with events name.
func namedIn(c *change) map[*annotation]*named {
	all := map[*annotation]*named{}
	for _, a := range c.annotations {
		if a.published() {
			mentioned := a.mentioned()
			all[a] = &named{mentioned: mentioned, concerned: a.concerned(slices.Concat(mentioned, a.mentionedBefore()))}
		}
	}
	return all
}

// exclude finds the users who may not see what names them, and how much events show of
// those whom they name.
func (who *viewers) exclude() {
	for a, n := range who.named {
		if a.visibility.Type != directory.VisiblePublic {
			n.excluded = []string{}
			for _, user := range n.concerned {
				if !who.Sees(a.visibility, a.author, user) {
					n.excluded = append(n.excluded, user)
				}
			}
		}
		for _, users := range [][]string{n.mentioned, n.excluded} {
			for _, user := range users {
				n.bytes += int64(len(user)) + quotes
			}
		}
	}
}
