package directory

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/internal/pg"
)

// maxProfile bounds a profile as JSON, in bytes, after a merge too; maxProfiles all that one
// call reads.
const (
	maxProfile  = 8 << 10
	maxProfiles = 32 << 20
)

// Profile is a person as known in one organization.
type Profile struct {
	person.Person
	ownInitial bool
}

// ProfileChange is what a caller sends of a user: nil and absent keys leave what
// is known. Cleared names the fields that become unknown.
type ProfileChange struct {
	person.Person
	// Role is the access role sent, or empty.
	Role    string
	Cleared shape.Rest
}

// merge puts the change into the profile.
func (p *Profile) merge(c ProfileChange) {
	p.UserID = c.UserID
	p.Name = merged(p.Name, c.Name, c.Cleared.Null("name"))
	p.Email = merged(p.Email, c.Email, c.Cleared.Null("email"))
	p.PhotoURL = merged(p.PhotoURL, c.PhotoURL, c.Cleared.Null("photoUrl"))
	p.ownInitial = c.Initial != nil || p.ownInitial && !c.Cleared.Null("initial")
	switch {
	case c.Initial != nil:
		p.Initial = c.Initial
	case !p.ownInitial:
		p.Initial = nil
		p.Person = p.Filled(nil)
	default:
	}
	p.Extra = mergedExtra(p.Extra, c.Extra)
}

// mergedExtra are the caller's own keys after a change: one that comes as null is
// gone.
func mergedExtra(old, sent []shape.Pair) []shape.Pair {
	for _, pair := range sent {
		old = slices.DeleteFunc(old, func(known shape.Pair) bool { return known.Name == pair.Name })
		if !pair.IsNull() {
			old = append(old, pair)
		}
	}
	return old
}

func merged(old, sent *string, cleared bool) *string {
	switch {
	case sent != nil:
		return sent
	case cleared:
		return nil
	default:
		return old
	}
}

// ReadProfiles returns the profiles of these users by id. Whoever writes people
// holds the organization's row, so they stay as they are. Error: FAILED_PRECONDITION where
// they are more than maxProfiles.
func ReadProfiles(ctx context.Context, tx pg.Queryer, organization int64, userIDs []string) (map[string]*Profile, error) {
	rows, err := tx.Query(ctx, `SELECT user_id, name, email, initial, own_initial, photo_url, extra
FROM profiles WHERE organization_key = $1 AND user_id = ANY($2)`, organization, userIDs)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	found := map[string]*Profile{}
	size := 0
	for rows.Next() {
		p := new(Profile)
		var extra []byte
		if err := rows.Scan(&p.UserID, &p.Name, &p.Email, &p.Initial, &p.ownInitial, &p.PhotoURL, &extra); err != nil {
			return nil, err
		}
		if size += len(extra); size > maxProfiles {
			return nil, fault.FailedPrecondition("", "the people of the call have profiles of more than 32 MiB; name fewer at once")
		}
		p.Extra = shape.MembersOf(extra)
		found[p.UserID] = p
	}
	return found, rows.Err()
}

// ReadContacts returns name and address of those of the users who have a profile, by id: of
// any number of users, whatever else their profiles hold.
func ReadContacts(ctx context.Context, tx pg.Queryer, organization int64, userIDs []string) (map[string]person.Person, error) {
	rows, err := tx.Query(ctx, `SELECT user_id, name, email FROM profiles WHERE organization_key = $1 AND user_id = ANY($2)`, organization, userIDs)
	if err != nil {
		return nil, err
	}
	found := map[string]person.Person{}
	var p person.Person
	_, err = pgx.ForEachRow(rows, []any{&p.UserID, &p.Name, &p.Email}, func() error {
		found[p.UserID] = person.Person{UserID: p.UserID, Name: p.Name, Email: p.Email}
		return nil
	})
	return found, err
}

// upsertProfiles is one statement for all profiles of a call.
const upsertProfiles = `
INSERT INTO profiles (organization_key, workspace_id, user_id, name, email, initial, own_initial, photo_url, extra)
SELECT $1, $2, u.id, u.name, u.email, coalesce(u.initial, ''), u.own, u.photo, u.extra::json
FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::boolean[], $8::text[], $9::text[])
     AS u (id, name, email, initial, own, photo, extra)
ON CONFLICT (organization_key, user_id) DO UPDATE SET name = excluded.name, email = excluded.email, initial = excluded.initial,
   own_initial = excluded.own_initial, photo_url = excluded.photo_url, extra = excluded.extra, updated_at = clock_timestamp()`

// WriteProfiles stores profiles in one statement.
func WriteProfiles(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64, profiles []*Profile) error {
	n := len(profiles)
	ids, own := make([]string, n), make([]bool, n)
	names, emails, initials, photos, extras := make([]*string, n), make([]*string, n), make([]*string, n), make([]*string, n), make([]*string, n)
	for i, p := range profiles {
		ids[i], own[i], names[i], emails[i], initials[i], photos[i] = p.UserID, p.ownInitial, p.Name, p.Email, p.Initial, p.PhotoURL
		extras[i] = extraText(p.Extra)
	}
	_, err := tx.Exec(ctx, upsertProfiles, organization, workspaceID, ids, names, emails, initials, own, photos, extras)
	return err
}

// extraText is how the caller's own keys are stored; nil without any.
func extraText(extra []shape.Pair) *string {
	if len(extra) == 0 {
		return nil
	}
	text := string(shape.AppendMembers([]byte("{}"), extra))
	return &text
}

// size is that of the profile as JSON, in bytes.
func (p *Profile) size() int { return len(p.Snapshot()) }
