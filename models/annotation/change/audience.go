package change

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
	named map[*Annotation]*named
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
func readAudience(ctx context.Context, tx *pg.Tx, c *Change, notices []notice) (*audience, error) {
	users, organizations := usersOf(notices), []string{}
	who := &audience{named: namedIn(c)}
	for a, n := range who.named {
		users = append(users, n.concerned...)
		organizations = append(organizations, a.Visibility.OrganizationID)
	}
	access, err := directory.ReadAccess(ctx, tx, c.Scope.Organization, []int64{*c.Scope.Document}, users)
	if err != nil {
		return nil, err
	}
	who.Audience = directory.Audience{Document: *c.Scope.Document, Reach: access, Members: map[directory.Membership]bool{}}
	if err := who.ReadMembers(ctx, tx, c.WorkspaceID, users, organizations); err != nil {
		return nil, err
	}
	who.exclude()
	return who, nil
}

// namedIn are the users whom the annotations with events name.
func namedIn(c *Change) map[*Annotation]*named {
	all := map[*Annotation]*named{}
	for _, a := range c.Annotations {
		if a.published() {
			mentioned := a.Mentioned()
			all[a] = &named{mentioned: mentioned, concerned: a.concerned(slices.Concat(mentioned, a.mentionedBefore()))}
		}
	}
	return all
}

// exclude finds the users who may not see what names them.
func (who *audience) exclude() {
	for a, n := range who.named {
		if a.Visibility.Type == directory.VisiblePublic {
			continue
		}
		n.excluded = []string{}
		for _, user := range n.concerned {
			if !who.Sees(a.Visibility, a.Author, user) {
				n.excluded = append(n.excluded, user)
			}
		}
	}
}
