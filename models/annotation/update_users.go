package annotation

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// UserChange puts a user in the place of another one, or of who they were before.
type UserChange struct {
	OldID string
	New   person.Person
}

// renames are the users who come in the place of others, by the ids of those, whole.
type renames map[string]*person.Person

func renamesOf(c *change, users []UserChange) renames {
	all := renames{}
	for _, u := range users {
		all[u.OldID] = c.filled(&u.New)
	}
	return all
}

// apply puts the new users into an annotation and its thread.
func (r renames) apply(a *annotation) {
	if user := r[a.author]; user != nil {
		a.author, a.from = user.UserID, user.Snapshot()
	}
	if a.assigned != nil && r[a.assigned.UserID] != nil {
		a.assigned = r[a.assigned.UserID]
	}
	if a.visibility.UserIDs != nil {
		a.visibility.UserIDs = pg.Distinct(r.ids(a.visibility.UserIDs))
	}
	thread := make([]*comment, len(a.comments))
	for i, c := range a.comments {
		thread[i] = r.comment(c)
	}
	a.comments = thread
}

// ids are users with the new ones in the places of the old ones.
func (r renames) ids(users []string) []string {
	now := slices.Clone(users)
	for i, user := range now {
		if r[user] != nil {
			now[i] = r[user].UserID
		}
	}
	return now
}

// comment is a comment with the new users; the same one where they have no part in it.
func (r renames) comment(stored *comment) *comment {
	c := *stored
	if user := r[c.From.UserID]; user != nil {
		c.From = *user
	}
	c.Contacts = r.contacts(c.Contacts)
	if c.same(stored) {
		return stored
	}
	c.rewritten = true
	return &c
}

// contacts are contacts with the new users; nobody is there twice.
func (r renames) contacts(stored []directory.Contact) (now []directory.Contact) {
	for _, contact := range stored {
		if user := r[contact.UserID]; user != nil {
			contact = directory.Contact{UserID: user.UserID, Contact: directory.ContactPerson{UserID: user.UserID, Name: user.Name, Email: user.Email}}
		}
		if !slices.ContainsFunc(now, func(listed directory.Contact) bool { return listed.UserID == contact.UserID }) {
			now = append(now, contact)
		}
	}
	return now
}

const rewriteComments = `
UPDATE comments c SET author_id = n.author_id, author = n.author::json, contacts = n.contacts::json
FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[]) AS n (annotation_key, seq, author_id, author, contacts)
WHERE c.annotation_key = n.annotation_key AND c.seq = n.seq`

// queue stores the comments that have other authors or contacts.
func (r renames) queue(b *pgx.Batch, annotations []*annotation) {
	var keys, seqs []int64
	var userIDs, authors []string
	var contacts []*string
	for _, a := range annotations {
		for _, c := range a.comments {
			if c.rewritten {
				keys, seqs = append(keys, a.key), append(seqs, c.seq)
				userIDs, authors = append(userIDs, c.From.UserID), append(authors, string(c.From.Snapshot()))
				contacts = append(contacts, pg.Optional(string(storedContacts(c.Contacts))))
			}
		}
	}
	if len(keys) > 0 {
		b.Queue(rewriteComments, keys, seqs, userIDs, authors, contacts)
	}
}

// marks are how far users have read annotations.
type marks struct {
	keys, seqs []int64
	users      []string
}

// moveMarks gives the new users what the old ones have read of the annotations.
func (r renames) moveMarks(ctx context.Context, tx *pg.Tx, c *change, keys []int64) error {
	var olds []string
	for old, user := range r {
		if user.UserID != old {
			olds = append(olds, old)
		}
	}
	if len(olds) == 0 || len(keys) == 0 {
		return nil
	}
	for _, table := range []string{"read_marks", "document_read_marks"} {
		taken, err := takeMarks(ctx, tx, table, keys, olds)
		if err != nil {
			return err
		}
		if err = putMarks(ctx, tx, table, c, marks{taken.keys, taken.seqs, r.ids(taken.users)}); err != nil {
			return err
		}
	}
	return nil
}

// takeMarks removes marks, held in one order as by all who take several, and returns them.
func takeMarks(ctx context.Context, tx *pg.Tx, table string, keys []int64, users []string) (taken marks, err error) {
	rows, err := tx.Query(ctx, `WITH held AS (
    SELECT annotation_key, user_id FROM `+table+` WHERE annotation_key = ANY ($1) AND user_id = ANY ($2) ORDER BY annotation_key, user_id FOR UPDATE
)
DELETE FROM `+table+` m USING held h WHERE m.annotation_key = h.annotation_key AND m.user_id = h.user_id
RETURNING m.annotation_key, m.user_id, m.seq`, keys, users)
	if err != nil {
		return taken, err
	}
	var key, seq int64
	var user string
	_, err = pgx.ForEachRow(rows, []any{&key, &user, &seq}, func() error {
		taken.keys, taken.users, taken.seqs = append(taken.keys, key), append(taken.users, user), append(taken.seqs, seq)
		return nil
	})
	return taken, err
}

// putMarks stores marks; none moves back.
func putMarks(ctx context.Context, tx *pg.Tx, table string, c *change, m marks) error {
	if len(m.keys) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO `+table+` AS m (annotation_key, user_id, workspace_id, document_key, seq)
SELECT n.annotation_key, n.user_id, $1, $2, max(n.seq) FROM unnest($3::bigint[], $4::text[], $5::bigint[]) AS n (annotation_key, user_id, seq)
GROUP BY 1, 2 ORDER BY 1, 2
ON CONFLICT (annotation_key, user_id) DO UPDATE SET seq = greatest(m.seq, excluded.seq)`,
		c.workspaceID, *c.scope.Document, m.keys, m.users, m.seqs)
	return err
}
