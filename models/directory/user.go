package directory

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Users stores the people of organizations and their grants. All that changes
// people holds the row of their organization, so calls about the same people
// follow one another whatever their order.
type Users struct {
	db     *pg.DB
	forget []Forget
}

// Forget queues that what another package keeps of users in an organization is gone for
// everybody; a removal follows, in which it may remove the rows.
type Forget func(b *pgx.Batch, workspaceID, organizationID string, userIDs []string)

// NewUsers makes the store; forget is what goes with users that leave an
// organization, beside their profiles and grants.
func NewUsers(db *pg.DB, forget ...Forget) *Users { return &Users{db: db, forget: forget} }

// Codes of entries that changed nothing.
const (
	CodeNotFound      = "not-found"
	CodeNotMember     = "not-member"
	CodeAlreadyExists = "already-exists"
	CodeInProgress    = "in-progress"
)

// Entry is the result of one item of a call. ID is the caller's, ItemID the
// service's own; Code is empty after success.
type Entry struct{ ID, ItemID, Code string }

// Success reports whether the item was written.
func (e Entry) Success() bool { return e.Code == "" }

// UserItem returns the service's own ids of users of an organization.
func UserItem(workspaceID, organizationID string) func(string) string {
	return func(id string) string { return secret.DerivedID(workspaceID, "user", organizationID, id) }
}

// Add makes or merges profiles and grants each user the level that the container
// names. Errors: NOT_FOUND of what may not be made.
func (s *Users) Add(ctx context.Context, workspaceID string, c Container, sent []ProfileChange) ([]Entry, error) {
	users := lastOfEach(sent)
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		at, err := c.open(ctx, tx, workspaceID, LockPeople)
		if err != nil {
			return err
		}
		return admit(ctx, tx, workspaceID, at, users)
	})
	if err != nil {
		return nil, err
	}
	itemID := UserItem(workspaceID, c.OrganizationID)
	entries := make([]Entry, len(users))
	for i, u := range users {
		entries[i] = Entry{ID: u.UserID, ItemID: itemID(u.UserID)}
	}
	return entries, nil
}

// admit makes or merges the profiles of users and grants them the level; who calls holds off other
// changes of its people.
func admit(ctx context.Context, tx *pg.Tx, workspaceID string, at Scope, users []sentUser) error {
	known, err := readPeople(ctx, tx, at, users)
	if err != nil {
		return err
	}
	var grants []Grant
	for _, u := range users {
		u.Cleared.Nulls, u.Person = nil, u.Person.WithoutNulls() // what comes as null is absent here
		grants = append(grants, Grant{UserID: u.UserID, Role: known.roleOf(u.ProfileChange)})
		known.merge(u.ProfileChange)
	}
	return writePeople(ctx, tx, workspaceID, at, known, users, grants)
}

// Update changes the users that are known at the level that the container names.
// A container that does not exist has no users.
func (s *Users) Update(ctx context.Context, workspaceID string, c Container, sent []ProfileChange) ([]Entry, error) {
	users := lastOfEach(sent)
	codes := map[string]string{}
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		at, known, err := s.enter(ctx, tx, workspaceID, c, users)
		if err != nil {
			return err
		}
		var changed []sentUser
		var grants []Grant
		for _, u := range users {
			if codes[u.UserID] = known.codeOf(u.ProfileChange, at); codes[u.UserID] != "" {
				continue
			}
			if u.Role != "" {
				grants = append(grants, Grant{UserID: u.UserID, Role: u.Role})
			}
			known.merge(u.ProfileChange)
			changed = append(changed, u)
		}
		return writePeople(ctx, tx, workspaceID, at, known, changed, grants)
	})
	absent := fault.Is(err, fault.StatusNotFound)
	if err != nil && !absent {
		return nil, err
	}
	itemID := UserItem(workspaceID, c.OrganizationID)
	entries := make([]Entry, len(users))
	for i, u := range users {
		code := codes[u.UserID]
		if absent {
			code = CodeNotFound
		}
		entries[i] = Entry{ID: u.UserID, ItemID: itemID(u.UserID), Code: code}
	}
	return entries, nil
}

// sentUser is a user of a call and where they stand in it, by which faults of
// them are named.
type sentUser struct {
	ProfileChange
	path []string
}

// lastOfEach keeps the last element of each user, in the order of the first.
func lastOfEach(sent []ProfileChange) []sentUser {
	position := make(map[string]int, len(sent))
	var kept []sentUser
	for i, u := range sent {
		user := sentUser{u, []string{"users", strconv.Itoa(i)}}
		if earlier, twice := position[u.UserID]; twice {
			kept[earlier] = user
			continue
		}
		position[u.UserID] = len(kept)
		kept = append(kept, user)
	}
	return kept
}

// people are those of one call as they are now: profiles, and grants at the
// level of the call.
type people struct {
	profiles map[string]*Profile
	grants   map[string]HeldGrant
}

// enter opens the container, holding off other changes of its people, and reads
// the users that are known there.
func (s *Users) enter(ctx context.Context, tx *pg.Tx, workspaceID string, c Container, users []sentUser) (Scope, *people, error) {
	at, err := c.open(ctx, tx, workspaceID, LockPeople)
	if err != nil {
		return at, nil, err
	}
	known, err := readPeople(ctx, tx, at, users)
	return at, known, err
}

func readPeople(ctx context.Context, tx *pg.Tx, at Scope, users []sentUser) (*people, error) {
	ids := make([]string, len(users))
	for i, u := range users {
		ids[i] = u.UserID
	}
	profiles, err := ReadProfiles(ctx, tx, at.Organization, ids)
	if err != nil {
		return nil, err
	}
	grants, err := ReadGrants(ctx, tx, at, ids)
	return &people{profiles, grants}, err
}

// roleOf is the role of a user after an add: as sent, else as it was.
func (p *people) roleOf(u ProfileChange) string {
	switch g, there := p.grants[u.UserID]; {
	case u.Role != "":
		return u.Role
	case there && !g.Expired:
		return g.role
	default:
		return DefaultRole
	}
}

// codeOf returns why a user cannot be updated: without a profile, or without a
// grant at the level named. The organization's level counts as named only when a
// role is sent.
func (p *people) codeOf(u ProfileChange, at Scope) string {
	g, granted := p.grants[u.UserID]
	named := at.folder != nil || at.Document != nil || u.Role != ""
	switch {
	case p.profiles[u.UserID] == nil:
		return CodeNotFound
	case named && (!granted || g.Expired):
		return CodeNotMember
	default:
		return ""
	}
}

func (p *people) merge(u ProfileChange) {
	if p.profiles[u.UserID] == nil {
		p.profiles[u.UserID] = new(Profile)
	}
	p.profiles[u.UserID].merge(u)
}

// writePeople stores the profiles of the users, then the grants.
func writePeople(ctx context.Context, tx *pg.Tx, workspaceID string, at Scope, known *people, users []sentUser, grants []Grant) error {
	if len(users) == 0 {
		return nil
	}
	profiles := make([]*Profile, len(users))
	for i, u := range users {
		profiles[i] = known.profiles[u.UserID]
		if profiles[i].size() > maxProfile {
			return fault.InvalidArgument(fault.Issue{
				Code: "length", Path: u.path, Message: "the user would have more than 8 KiB as JSON",
			})
		}
	}
	if err := WriteProfiles(ctx, tx, workspaceID, at.Organization, profiles); err != nil {
		return err
	}
	return WriteGrants(ctx, tx, workspaceID, at, grants)
}

// goAtOnce is how many grants and memberships of groups of users who are deleted go in one transaction.
const goAtOnce = 10_000

// goSome removes some of what users are granted below the organization, or their memberships of groups, where these are more than
// goAtOnce.
var goSome = []string{
	someOfUsers("grants", " AND num_nonnulls(folder_key, document_key) > 0"), someOfUsers("user_group_members", ""),
}

func someOfUsers(table, where string) string {
	return `WITH found AS (SELECT ctid FROM ` + table + ` WHERE organization_key = $1 AND user_id = ANY($2)` + where + ` LIMIT $3 + 1)
DELETE FROM ` + table + ` WHERE ctid = ANY(ARRAY(SELECT ctid FROM found)) AND (SELECT count(*) FROM found) > $3`
}

// removeSomeOfUsers removes some of what goes with users, where it is too much for one transaction, and reports whether it did.
func removeSomeOfUsers(ctx context.Context, tx *pg.Tx, organization int64, userIDs []string) (bool, error) {
	for _, statement := range goSome {
		if gone, err := tx.Exec(ctx, statement, organization, userIDs, goAtOnce); err != nil || gone.RowsAffected() > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// Delete removes users. With the organization alone go all their grants in it,
// their judgments and what waits to be mailed to them, with a folder or a
// document only the grant there. Each may have any number of grants: of too many some go in transactions before that.
func (s *Users) Delete(ctx context.Context, workspaceID string, c Container, userIDs []string) ([]Entry, error) {
	var gone map[string]bool
	var err error
	for more := true; more && err == nil; {
		err = s.db.InTx(ctx, func(tx *pg.Tx) (err error) {
			gone, more, err = s.remove(ctx, tx, workspaceID, c, userIDs)
			return err
		})
	}
	if err != nil && !fault.Is(err, fault.StatusNotFound) {
		return nil, err
	}
	return EntriesOf(userIDs, gone, CodeNotFound, UserItem(workspaceID, c.OrganizationID)), nil
}

// remove removes users, or some of what goes with them, and then there is more to do.
func (s *Users) remove(ctx context.Context, tx *pg.Tx, workspaceID string, c Container, userIDs []string) (gone map[string]bool, more bool, err error) {
	at, err := c.open(ctx, tx, workspaceID, LockPeople)
	if err != nil {
		return nil, false, err
	}
	if at.folder != nil || at.Document != nil {
		gone, err = idsOf(ctx, tx, `DELETE FROM grants WHERE `+atLevel+` AND user_id = ANY($4)
RETURNING CASE WHEN expires_at <= clock_timestamp() THEN '' ELSE user_id END`, at.Organization, at.folder, at.Document, userIDs)
		return gone, false, err
	}
	if more, err = removeSomeOfUsers(ctx, tx, at.Organization, userIDs); err != nil || more {
		return nil, more, err
	}
	gone, err = idsOf(ctx, tx, `DELETE FROM profiles WHERE organization_key = $1 AND user_id = ANY($2) RETURNING user_id`,
		at.Organization, userIDs)
	if err != nil || len(gone) == 0 {
		return nil, false, err
	}
	b := &pgx.Batch{}
	for _, forget := range s.forget {
		forget(b, workspaceID, c.OrganizationID, slices.Collect(maps.Keys(gone)))
	}
	if err := tx.SendBatch(ctx, b).Close(); err != nil {
		return nil, false, err
	}
	return gone, false, QueueRemoval(ctx, tx, workspaceID, Removal{Users: len(gone)})
}
