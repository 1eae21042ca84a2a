package annotation

import (
	"context"
	"slices"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// audience is who may see the annotations of a change at this moment, and whom those
// with events name.
type audience struct {
	directory.Audience
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
}

// readAudience reads who of those concerned may see the annotations at this
// moment: the recipients of the notices, and the users whom the annotations with
// Events name.
func readAudience(ctx context.Context, tx *pg.Tx, c *change, notices []notice) (*audience, error) {
	users, organizations := usersOf(notices), []string{}
	who := &audience{named: namedIn(c)}
	for a, n := range who.named {
		users = append(users, n.concerned...)
		organizations = append(organizations, a.visibility.OrganizationID)
	}
	access, err := directory.ReadAccess(ctx, tx, c.scope.Organization, []int64{*c.scope.Document}, users)
	if err != nil {
		return nil, err
	}
	who.Audience = directory.Audience{Document: *c.scope.Document, Reach: access, Members: map[directory.Membership]bool{}}
	if err := who.ReadMembers(ctx, tx, c.workspaceID, users, organizations); err != nil {
		return nil, err
	}
	who.exclude()
	return who, nil
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

// exclude finds the users who may not see what names them.
func (who *audience) exclude() {
	for a, n := range who.named {
		if a.visibility.Type == directory.VisiblePublic {
			continue
		}
		n.excluded = []string{}
		for _, user := range n.concerned {
			if !who.Sees(a.visibility, a.author, user) {
				n.excluded = append(n.excluded, user)
			}
		}
	}
}
