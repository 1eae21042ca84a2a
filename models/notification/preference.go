package notification

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// What a user wants to be told of in a channel: every comment, what concerns them, or
// nothing.
const (
	WantsAll  = "ALL"
	WantsMine = "MINE"
	WantsNone = "NONE"
)

// Preference is what a user wants to be told of, in each channel. A channel that is empty
// is left as it is. By Slack the caller's own sender goes, nothing else.
type Preference struct{ Inbox, Email, Slack string }

// Preferences are those of users about one document.
type Preferences map[string]Preference

// Of is the preference of a user.
func (p Preferences) Of(userID string) Preference {
	if known, ok := p[userID]; ok {
		return known
	}
	return Preference{Inbox: WantsMine, Email: WantsMine}
}

// Everything are the users who want to be told of every comment in a channel, in the order
// of their ids.
func (p Preferences) Everything() (users []string) {
	for user, known := range p {
		if known.Inbox == WantsAll || known.Email == WantsAll {
			users = append(users, user)
		}
	}
	slices.Sort(users)
	return users
}

// effective are the columns of what holds: a channel of d, the preference about a document,
// else of o, that about its organization.
const effective = `coalesce(d.inbox, o.inbox, 'MINE'), coalesce(d.email, o.email, 'MINE')`

// readPreferences reads those of the users $3, and of all who may want every comment. Both preferences are looked up for each
// user, whatever the planner thinks of the table: joined, those of thousands were compared with one another.
const readPreferences = `
WITH asked AS (
    SELECT user_id FROM notification_preferences WHERE organization_key = $1 AND document_key = $2 AND (inbox = 'ALL' OR email = 'ALL')
    UNION
    SELECT user_id FROM notification_preferences WHERE organization_key = $1 AND document_key IS NULL AND (inbox = 'ALL' OR email = 'ALL')
    UNION
    SELECT unnest($3::text[])
)
SELECT a.user_id, ` + effective + ` FROM asked a
LEFT JOIN LATERAL (SELECT inbox, email FROM notification_preferences
    WHERE organization_key = $1 AND user_id = a.user_id AND document_key = $2 OFFSET 0) d ON true
LEFT JOIN LATERAL (SELECT inbox, email FROM notification_preferences
    WHERE organization_key = $1 AND user_id = a.user_id AND document_key IS NULL OFFSET 0) o ON true`

// ReadPreferences reads what holds for a document: of these users, and of all who want to be
// told of every comment.
func ReadPreferences(ctx context.Context, q pg.Queryer, at directory.Scope, users []string) (Preferences, error) {
	rows, err := q.Query(ctx, readPreferences, at.Organization, *at.Document, users)
	if err != nil {
		return nil, err
	}
	found := Preferences{}
	var user string
	var p Preference
	_, err = pgx.ForEachRow(rows, []any{&user, &p.Inbox, &p.Email}, func() error {
		found[user] = p
		return nil
	})
	return found, err
}

// Setting is a call that says what users want to be told of: in documents, or, where there
// are none, in the organization.
type Setting struct {
	OrganizationID       string
	DocumentIDs, UserIDs []string
	Preference
}

const setPreferences = `
INSERT INTO notification_preferences AS p (workspace_id, organization_key, document_key, user_id, inbox, email, slack)
SELECT $1, $2, d.key, u.id, nullif($5, ''), nullif($6, ''), nullif($7, '') FROM unnest($3::bigint[]) AS d (key) CROSS JOIN unnest($4::text[]) AS u (id) ORDER BY u.id, d.key
ON CONFLICT ON CONSTRAINT notification_preferences_once DO UPDATE
SET inbox = coalesce(excluded.inbox, p.inbox), email = coalesce(excluded.email, p.email), slack = coalesce(excluded.slack, p.slack)`

// maxUsers is how many users of an organization have a preference of their own: a change of
// annotations reads those who want every comment.
const maxUsers = 10_000

// usersBeyond reports whether the users $2, of whom some have a preference already, would be
// more than $3 with all others who have one. Those who have are visited one by one, past all
// that each of them wants.
const usersBeyond = `
WITH RECURSIVE added AS (
    SELECT u.id FROM unnest($2::text[]) AS u (id)
    WHERE NOT EXISTS (SELECT FROM notification_preferences WHERE organization_key = $1 AND user_id = u.id)
), known (n, user_id) AS (
    (SELECT 1, user_id FROM notification_preferences WHERE organization_key = $1 AND EXISTS (SELECT FROM added) ORDER BY user_id LIMIT 1)
    UNION ALL
    SELECT k.n + 1, next.user_id FROM known k CROSS JOIN LATERAL (
        SELECT user_id FROM notification_preferences WHERE organization_key = $1 AND user_id > k.user_id ORDER BY user_id LIMIT 1) next
    WHERE k.n <= $3
)
SELECT EXISTS (SELECT FROM added) AND (SELECT count(*) FROM added) + (SELECT count(*) FROM known) > $3`

// checkUsers refuses more users with a preference of their own than an organization has.
func checkUsers(ctx context.Context, tx *pg.Tx, organization int64, users []string) error {
	var beyond bool
	if err := tx.QueryRow(ctx, usersBeyond, organization, users, maxUsers).Scan(&beyond); err != nil {
		return err
	}
	if beyond {
		return fault.ResourceExhausted("preference-quota", fmt.Sprintf("at most %d users of an organization have a preference of their own", maxUsers), 0)
	}
	return nil
}

// Set stores what users want to be told of, all or nothing. As whatever changes people it
// holds the organization, so that calls about the same users follow one another. Errors:
// NOT_FOUND of organization, document; RESOURCE_EXHAUSTED (preference-quota).
func (s *Notifications) Set(ctx context.Context, workspaceID string, setting Setting) error {
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		c := directory.Container{OrganizationID: setting.OrganizationID}
		organization, err := c.OpenOrganization(ctx, tx, workspaceID, directory.LockPeople)
		if err != nil {
			return err
		}
		documents := []*int64{nil}
		if len(setting.DocumentIDs) > 0 {
			if documents, err = holdDocuments(ctx, tx, organization, setting.DocumentIDs); err != nil {
				return err
			}
		}
		if err = checkUsers(ctx, tx, organization, setting.UserIDs); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, setPreferences, workspaceID, organization, documents, setting.UserIDs, setting.Inbox, setting.Email, setting.Slack)
		return err
	})
}

// holdDocuments holds documents in the order of their keys. Error: NOT_FOUND.
func holdDocuments(ctx context.Context, tx *pg.Tx, organization int64, documentIDs []string) (keys []*int64, err error) {
	rows, err := tx.Query(ctx, `SELECT key, document_id FROM documents WHERE organization_key = $1 AND document_id = ANY($2) ORDER BY key FOR KEY SHARE`,
		organization, documentIDs)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	var key int64
	var documentID string
	_, err = pgx.ForEachRow(rows, []any{&key, &documentID}, func() error {
		keys, found[documentID] = append(keys, new(key)), true
		return nil
	})
	for _, wanted := range documentIDs {
		if err == nil && !found[wanted] {
			err = fault.NotFoundResource("document", wanted)
		}
	}
	return keys, err
}

// PreferenceFilter names a user, documents of an organization, and whether the organization
// itself is meant.
type PreferenceFilter struct {
	OrganizationID, UserID string
	DocumentIDs            []string
	Organization           bool
}

// Held is what holds for a user in a document, or, where its id is empty, in the
// organization.
type Held struct {
	DocumentID string
	Preference
}

// heldSlack is what holds for a caller's own sender; empty until it is set.
const heldSlack = `, coalesce(d.slack, o.slack, '')`

// getPreferences reads what holds in an organization and in documents of it.
const getPreferences = `
SELECT '', ` + effective + heldSlack + ` FROM organizations g
LEFT JOIN notification_preferences d ON false
LEFT JOIN notification_preferences o ON o.organization_key = g.key AND o.user_id = $3 AND o.document_key IS NULL
WHERE g.workspace_id = $1 AND g.organization_id = $2 AND $5
UNION ALL
SELECT t.document_id, ` + effective + heldSlack + ` FROM organizations g JOIN documents t ON t.organization_key = g.key
LEFT JOIN notification_preferences d ON d.organization_key = g.key AND d.user_id = $3 AND d.document_key = t.key
LEFT JOIN notification_preferences o ON o.organization_key = g.key AND o.user_id = $3 AND o.document_key IS NULL
WHERE g.workspace_id = $1 AND g.organization_id = $2 AND t.document_id = ANY($4)`

// Get reads what holds for a user: in the organization, then in the documents in their
// order. What is not there is left out.
func (s *Notifications) Get(ctx context.Context, workspaceID string, f PreferenceFilter) ([]Held, error) {
	rows, err := s.db.Pool.Query(ctx, getPreferences, workspaceID, f.OrganizationID, f.UserID, f.DocumentIDs, f.Organization)
	if err != nil {
		return nil, pg.Translate(err)
	}
	held, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (h Held, err error) {
		return h, row.Scan(&h.DocumentID, &h.Inbox, &h.Email, &h.Slack)
	})
	slices.SortFunc(held, func(a, b Held) int {
		return slices.Index(f.DocumentIDs, a.DocumentID) - slices.Index(f.DocumentIDs, b.DocumentID)
	})
	return held, pg.Translate(err)
}

// ForgetUsers removes what users who leave an organization wanted to be told of.
func ForgetUsers(b *pgx.Batch, workspaceID, organizationID string, userIDs []string) {
	b.Queue(`DELETE FROM notification_preferences WHERE user_id = ANY($3) AND organization_key = (
    SELECT key FROM organizations WHERE workspace_id = $1 AND organization_id = $2)`, workspaceID, organizationID, userIDs)
}
