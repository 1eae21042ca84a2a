package annotation

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/json"
	"slices"
	"time"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/person"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// change is one add on its way through its transaction.
type change struct {
	Addition
	workspaceID string
	at          directory.Scope
	now         time.Time
	// autoMembers tells whether there are authors who are to become members.
	autoMembers bool
	profiles    map[string]*directory.Profile
	rows        []*annotationRow
	folderID    *string
}

// Add adds annotations to a document, all or none. Errors, in this order:
// FAILED_PRECONDITION (private-comments-disabled); NOT_FOUND of organization,
// document, agents; PERMISSION_DENIED with the authors; ALREADY_EXISTS with the
// annotations in use.
func (s *Annotations) Add(ctx context.Context, workspaceID string, add Addition) ([]Added, error) {
	a := &change{Addition: add, workspaceID: workspaceID}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		for _, step := range []func(context.Context, *pg.Tx) error{a.open, a.verify, a.join, a.fill, a.insert, a.insertThreads, a.notify, a.record, a.recordJudgments} {
			if err := step(ctx, tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	added := make([]Added, len(a.rows))
	for i, row := range a.rows {
		added[i] = Added{ID: row.id, FindingID: row.Comments[0].Agent.findingID()}
		for _, c := range row.comments {
			added[i].CommentIDs = append(added[i].CommentIDs, c.id)
		}
	}
	return added, nil
}

// open looks at the settings and holds the document.
func (a *change) open(ctx context.Context, tx *pg.Tx) error {
	var private bool
	err := tx.QueryRow(ctx, `SELECT private_comments, auto_members, clock_timestamp() FROM workspaces WHERE id = $1`, a.workspaceID).
		Scan(&private, &a.autoMembers, &a.now)
	if err != nil {
		return err
	}
	if !private && a.private() {
		return fault.Precondition("private-comments-disabled", "the workspace allows public annotations only")
	}
	if err = a.enter(ctx, tx); err != nil {
		return err
	}
	return a.checkAgents()
}

// enter opens the container. Only who makes members holds off other changes of
// people, and does so before anything is made in the organization, as whoever
// changes people.
func (a *change) enter(ctx context.Context, tx *pg.Tx) error {
	organization, err := a.Container.OpenOrganization(ctx, tx, a.workspaceID, directory.LockStay)
	if err != nil {
		return err
	}
	if a.autoMembers {
		strangers, err := a.strangers(ctx, tx, organization)
		if err != nil {
			return err
		}
		if a.autoMembers = len(strangers) > 0; a.autoMembers {
			if _, err := a.Container.OpenOrganization(ctx, tx, a.workspaceID, directory.LockPeople); err != nil {
				return err
			}
		}
	}
	a.at, err = a.Container.OpenRest(ctx, tx, a.workspaceID, organization)
	return err
}

// strangers are the authors who are no members of the organization at this
// moment.
func (a *change) strangers(ctx context.Context, tx *pg.Tx, organization int64) ([]string, error) {
	authors, _ := a.authors()
	members, err := directory.ReadGrants(ctx, tx, directory.Scope{Organization: organization}, authors)
	return slices.DeleteFunc(authors, func(user string) bool {
		g, member := members[user]
		return member && !g.Expired
	}), err
}

// verify refuses the call when one of its authors may not write.
func (a *change) verify(ctx context.Context, tx *pg.Tx) error {
	if !a.Verify {
		return nil
	}
	authors, first := a.authors()
	known, err := directory.ReadAccess(ctx, tx, a.at.Organization, []int64{*a.at.Document}, authors)
	if err != nil {
		return err
	}
	denied := fault.Denied("", "an author may not write to the document")
	for _, user := range authors {
		if !known.Decide(*a.at.Document, user).Write {
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
func (a *change) join(ctx context.Context, tx *pg.Tx) error {
	if !a.autoMembers {
		return nil
	}
	strangers, err := a.strangers(ctx, tx, a.at.Organization)
	if err != nil {
		return err
	}
	known, err := directory.ReadProfiles(ctx, tx, a.at.Organization, strangers)
	if err != nil {
		return err
	}
	grants := make([]directory.Grant, len(strangers))
	var unknown []*directory.Profile
	for i, user := range strangers {
		grants[i] = directory.Grant{UserID: user, Role: directory.DefaultRole}
		if known[user] == nil {
			unknown = append(unknown, &directory.Profile{Person: person.Person{UserID: user}})
		}
	}
	if err := directory.WriteProfiles(ctx, tx, a.workspaceID, a.at.Organization, unknown); err != nil {
		return err
	}
	return directory.WriteGrants(ctx, tx, a.workspaceID, directory.Scope{Organization: a.at.Organization}, grants)
}

// fill completes people from their profiles and everything else from its
// defaults.
func (a *change) fill(ctx context.Context, tx *pg.Tx) error {
	users := map[string]bool{}
	for i := range a.Annotations {
		if assigned := a.Annotations[i].Assigned; assigned != nil {
			users[assigned.UserID] = true
		}
		for j := range a.Annotations[i].Comments {
			c := &a.Annotations[i].Comments[j]
			users[c.From.UserID] = true
			for _, tagged := range c.Tags {
				users[tagged] = true
			}
		}
	}
	ids := make([]string, 0, len(users))
	for user := range users {
		ids = append(ids, user)
	}
	var err error
	if a.profiles, err = directory.ReadProfiles(ctx, tx, a.at.Organization, ids); err != nil {
		return err
	}
	for i := range a.Annotations {
		a.rows = append(a.rows, a.row(&a.Annotations[i]))
	}
	return nil
}

// annotationRow is an annotation with all its defaults.
type annotationRow struct {
	*NewAnnotation
	id                   string
	key                  int64
	author               string
	createdMs, updatedMs int64
	lastAuthor           string
	lastSeq, otherSeq    int64
	bytes                int64
	comments             []commentRow
}

// commentRow is a comment with all its defaults.
type commentRow struct {
	*NewComment
	id, seq              int64
	createdMs, updatedMs int64
	contacts             []directory.Contact
}

func (a *change) row(n *NewAnnotation) *annotationRow {
	row := &annotationRow{NewAnnotation: n, id: n.ID, author: n.Comments[0].From.UserID}
	if row.id == "" {
		row.id = id.New(id.Annotation)
	}
	taken := map[int64]bool{}
	for i := range n.Comments {
		if sent := n.Comments[i].ID; sent != nil {
			taken[*sent] = true
		}
	}
	for i := range n.Comments {
		row.append(a.comment(&n.Comments[i], taken))
	}
	row.createdMs = timeOf(n.CreatedMs, &row.comments[0].createdMs)
	row.updatedMs = timeOf(n.UpdateMs, &row.updatedMs)
	return row
}

// append puts a comment at the end of the thread and keeps what count/get needs.
func (r *annotationRow) append(c commentRow) {
	c.seq = int64(len(r.comments)) + 1
	if user := c.From.UserID; user != r.lastAuthor {
		r.otherSeq, r.lastAuthor = r.lastSeq, user
	}
	r.lastSeq = c.seq
	r.bytes += int64(len(c.Text) + len(c.HTML))
	r.updatedMs = max(r.updatedMs, c.updatedMs)
	r.comments = append(r.comments, c)
}

func (a *change) comment(n *NewComment, taken map[int64]bool) commentRow {
	c := commentRow{NewComment: n, contacts: n.Contacts}
	if n.ID != nil {
		c.id = *n.ID
	} else {
		c.id = newCommentID(taken)
	}
	now := a.now.UnixMilli()
	c.createdMs = timeOf(n.CreatedMs, n.UpdateMs, &now)
	c.updatedMs = timeOf(n.UpdateMs, &c.createdMs)
	for _, user := range n.Tags {
		known := a.profiles[user]
		if known == nil || slices.ContainsFunc(c.contacts, func(sent directory.Contact) bool { return sent.UserID == user }) {
			continue
		}
		c.contacts = append(c.contacts, directory.Contact{UserID: user, Contact: directory.ContactPerson{UserID: user, Name: known.Name, Email: known.Email}})
	}
	return c
}

// timeOf is the first time that is there.
func timeOf(times ...*int64) int64 {
	return *cmp.Or(times...)
}

// newCommentID makes an id that is not taken in its annotation, and takes it.
// Ids are positive and below 2^53, which every reader of JSON keeps exact.
func newCommentID(taken map[int64]bool) int64 {
	const bits = 53
	for {
		var random [8]byte
		_, _ = rand.Read(random[:]) // never fails: the runtime ends the process instead
		made := int64(binary.BigEndian.Uint64(random[:]) >> (64 - bits))
		if made > 0 && !taken[made] {
			taken[made] = true
			return made
		}
	}
}

// snapshot is a person as stored with what they wrote.
func (a *change) snapshot(p person.Person) string {
	var known *person.Person
	if found := a.profiles[p.UserID]; found != nil {
		known = &found.Person
	}
	return string(p.Filled(known).Snapshot())
}

func (a *change) assigned(r *annotationRow) (userID, snapshot any) {
	if r.Assigned == nil {
		return nil, nil
	}
	return r.Assigned.UserID, a.snapshot(*r.Assigned)
}

func contactsOrNil(contacts []directory.Contact) any {
	if len(contacts) == 0 {
		return nil
	}
	text, _ := json.Marshal(contacts) // texts are always written
	return string(text)
}
