package notification

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// ReadSeen is the statement that reads what a user, whose placeholder is given, has not read
// about comments up to the marks of annotations a with this condition, and no more than most; $1 is the workspace.
// What is being taken back meanwhile is passed over.
func ReadSeen(user, condition, most string) string {
	return `UPDATE notification_recipients t SET read_at = clock_timestamp() FROM (
    SELECT r.notification_id FROM notification_recipients r JOIN notifications n ON n.id = r.notification_id
    JOIN annotations a ON a.key = n.annotation_key
    LEFT JOIN read_marks o ON o.annotation_key = a.key AND o.user_id = ` + user + `
    LEFT JOIN document_read_marks d ON d.annotation_key = a.key AND d.user_id = ` + user + `
    WHERE r.workspace_id = $1 AND r.user_id = ` + user + ` AND r.read_at IS NULL AND n.comment_seq <= greatest(o.seq, d.seq)` + condition + `
    ORDER BY r.notification_id LIMIT ` + most + ` FOR NO KEY UPDATE OF r SKIP LOCKED) unread
WHERE t.notification_id = unread.notification_id AND t.user_id = ` + user
}

// Narrowing says of which notifications a call is: of an organization or a document of it, and,
// where they are not empty, those for a user, and those about annotations at a location.
type Narrowing struct {
	directory.Container
	UserID, LocationID string
}

// atLocation is the condition for notifications, whose id the column has, that are about
// annotations at a location.
func atLocation(column string) string {
	return `(SELECT ` + location + ` FROM notifications n LEFT JOIN annotations a ON a.key = n.annotation_key WHERE n.id = ` + column + `) = %s`
}

// Mark says of a notification which users have read it, and which have not, and what it says
// from now on.
type Mark struct {
	ID           string
	Read, Unread []string
	Edit         CustomEdit
}

// holdMarked holds those of the named notifications that a call is of against being removed.
func (n Narrowing) holdMarked(ctx context.Context, tx *pg.Tx, workspaceID string, at directory.Scope, ids []string) ([]string, error) {
	q := pg.NewConditions(workspaceID)
	q.And("of.id = ANY(%s)", ids)
	q.And("d.organization_key = %s", at.Organization)
	if at.Document != nil {
		q.And("d.key = %s", *at.Document)
	}
	if n.UserID != "" {
		q.And("EXISTS (SELECT FROM notification_recipients r WHERE r.notification_id = of.id AND r.user_id = %s)", n.UserID)
	}
	if n.LocationID != "" {
		q.And(atLocation("of.id"), n.LocationID)
	}
	return texts(ctx, tx, `SELECT of.id FROM notifications of JOIN documents d ON d.key = of.document_key
WHERE of.workspace_id = $1`+q.Text()+` ORDER BY of.id FOR NO KEY UPDATE OF of`, q.Args...)
}

// setMarks changes recipients, who are held in the order of their keys. Who has read
// something keeps the time.
const setMarks = `
UPDATE notification_recipients t SET read_at = CASE WHEN held.read THEN clock_timestamp() END FROM (
    SELECT r.notification_id, r.user_id, m.read FROM unnest($1::text[], $2::text[], $3::boolean[]) AS m (id, user_id, read)
    JOIN notification_recipients r ON r.notification_id = m.id AND r.user_id = m.user_id
    ORDER BY r.notification_id, r.user_id FOR NO KEY UPDATE OF r) held
WHERE t.notification_id = held.notification_id AND t.user_id = held.user_id AND (t.read_at IS NOT NULL) <> held.read`

// MarkEach marks and edits notifications, each of which is named once, and returns an entry for
// each; one that is edited and was not added by a caller stays as it is (not-editable). Who is
// no recipient is passed over. Errors: NOT_FOUND of organization, document; PERMISSION_DENIED
// of an actor who may not write, where verify asks for that.
func (s *Notifications) MarkEach(ctx context.Context, workspaceID string, of Narrowing, marks []Mark, verify bool) (entries []directory.Entry, err error) {
	names := make([]string, len(marks))
	for i, m := range marks {
		names[i] = m.ID
	}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		at, err := open(ctx, tx, workspaceID, of.Container)
		if err != nil {
			return err
		}
		keys, err := keysOf(ctx, tx, workspaceID, names)
		if err != nil {
			return err
		}
		there, err := of.holdMarked(ctx, tx, workspaceID, at, keys.all(names))
		if err != nil {
			return err
		}
		entries = keys.entriesOf(names, there)
		applied, err := editAll(ctx, tx, edits{at.Organization, verify, keys}, marks, entries)
		if err != nil {
			return err
		}
		return setAll(ctx, tx, there, applied)
	})
	return entries, err
}

// setAll stores the marks of the notifications that are there.
func setAll(ctx context.Context, tx *pg.Tx, there []string, marks []Mark) error {
	known := setOf(there)
	var ids, users []string
	var read []bool
	add := func(id string, marked []string, as bool) {
		for _, user := range marked {
			ids, users, read = append(ids, id), append(users, user), append(read, as)
		}
	}
	for _, m := range marks {
		if known[m.ID] {
			add(m.ID, m.Read, true)
			add(m.ID, m.Unread, false)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, setMarks, ids, users, read)
	return err
}

// markedAtOnce is how many notifications one transaction looks at.
const markedAtOnce = 10_000

// unread are the next notifications behind $5 that a user $2 has not read in an organization, or in a document of it, with the
// documents that they are about.
const unread = `
SELECT notification_id, document_key FROM notification_recipients
WHERE workspace_id = $1 AND user_id = $2 AND read_at IS NULL AND organization_key = $3 AND document_key = coalesce($4, document_key)
  AND notification_id > $5 ORDER BY notification_id LIMIT $6`

// MarkAll marks as read what the user of a call has not read and may see, some at a time, and returns how many these were. What
// somebody else marks or removes meanwhile is passed over. Errors: NOT_FOUND of organization, document.
func (s *Notifications) MarkAll(ctx context.Context, workspaceID string, of Narrowing) (changed int64, err error) {
	after, more := "", true
	for more && err == nil {
		err = s.db.InTx(ctx, func(tx *pg.Tx) error {
			some, last, err := of.markSome(ctx, tx, workspaceID, after)
			changed, after, more = changed+some, last, last != ""
			return err
		})
	}
	return changed, err
}

// markSome marks what may be seen of the next notifications behind an id, and returns the last id of these; none where there are no more.
func (n Narrowing) markSome(ctx context.Context, tx *pg.Tx, workspaceID, after string) (changed int64, last string, err error) {
	at, err := open(ctx, tx, workspaceID, n.Container)
	if err != nil {
		return 0, "", err
	}
	rows, err := tx.Query(ctx, unread, workspaceID, n.UserID, at.Organization, at.Document, after, markedAtOnce)
	if err != nil {
		return 0, "", err
	}
	var document int64
	var documents []int64
	if _, err = pgx.ForEachRow(rows, []any{&last, &document}, func() error {
		documents = append(documents, document)
		return nil
	}); err != nil || len(documents) == 0 {
		return 0, "", err
	}
	readable, err := directory.Readable(ctx, tx, at.Organization, pg.Distinct(documents), n.UserID)
	if err != nil || len(readable) == 0 {
		return 0, last, err
	}
	changed, err = n.markVisible(ctx, tx, workspaceID, at.Organization, readable, after, last)
	return changed, last, err
}

// markVisible marks what the user may see of the notifications behind one id up to another one.
func (n Narrowing) markVisible(ctx context.Context, tx *pg.Tx, workspaceID string, organization int64, documents []int64, after, last string) (int64, error) {
	q := pg.NewConditions(workspaceID)
	user := q.Value(n.UserID)
	q.And("r.organization_key = %s", organization)
	q.And("r.document_key = ANY(%s)", documents)
	q.And("r.notification_id > %s", after)
	q.And("r.notification_id <= %s", last)
	q.And(seenBy, []string{n.UserID})
	q.Equal(location, n.LocationID)
	done, err := tx.Exec(ctx, `UPDATE notification_recipients t SET read_at = clock_timestamp() FROM (
    SELECT r.notification_id FROM notification_recipients r JOIN notifications n ON n.id = r.notification_id
    LEFT JOIN annotations a ON a.key = n.annotation_key
    WHERE r.workspace_id = $1 AND r.user_id = `+user+` AND r.read_at IS NULL`+q.Text()+`
    ORDER BY r.notification_id FOR NO KEY UPDATE OF r SKIP LOCKED) unread
WHERE t.notification_id = unread.notification_id AND t.user_id = `+user, q.Args...)
	return done.RowsAffected(), err
}

// open holds the organization, and the document where one is named.
func open(ctx context.Context, tx *pg.Tx, workspaceID string, c directory.Container) (directory.Scope, error) {
	organization, err := c.OpenOrganization(ctx, tx, workspaceID, directory.LockStay)
	if err != nil {
		return directory.Scope{}, err
	}
	return c.OpenRest(ctx, tx, workspaceID, organization)
}

// texts returns the one column of a statement's rows.
func texts(ctx context.Context, q pg.Queryer, statement string, args ...any) ([]string, error) {
	rows, err := q.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
