package notification

import (
	"context"

	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Deletion is a call that deletes notifications: of a document, of a user, or by their ids,
// each of which is named once. With a user only their entry goes.
type Deletion struct {
	Narrowing
	IDs []string

	keys []string
}

// Delete deletes notifications: those that are named all or none, with an entry for each, any others some at a time.
// Errors: NOT_FOUND of organization, document.
func (s *Notifications) Delete(ctx context.Context, workspaceID string, d Deletion) (entries []directory.Entry, err error) {
	for more := true; more && err == nil; {
		err = s.db.InTx(ctx, func(tx *pg.Tx) error {
			at, err := open(ctx, tx, workspaceID, d.Container)
			if err != nil {
				return err
			}
			if len(d.IDs) > 0 {
				more = false
				entries, err = d.removeNamed(ctx, tx, workspaceID, at)
				return err
			}
			more, err = d.removeSome(ctx, tx, workspaceID, at)
			return err
		})
	}
	return entries, err
}

// removeNamed removes what is named.
func (d *Deletion) removeNamed(ctx context.Context, tx *pg.Tx, workspaceID string, at directory.Scope) ([]directory.Entry, error) {
	names, err := keysOf(ctx, tx, workspaceID, d.IDs)
	if err != nil {
		return nil, err
	}
	var gone []string
	if d.keys = names.all(d.IDs); len(d.keys) > 0 {
		chosen, err := d.choose(ctx, tx, workspaceID, at)
		if err != nil {
			return nil, err
		}
		if gone, err = d.remove(ctx, tx, chosen); err != nil {
			return nil, err
		}
	}
	return names.entriesOf(d.IDs, gone), nil
}

// removeSome removes some of what is meant and reports whether there may be more: one notification may have any number of recipients,
// who go before it.
func (d *Deletion) removeSome(ctx context.Context, tx *pg.Tx, workspaceID string, at directory.Scope) (more bool, err error) {
	chosen, err := d.choose(ctx, tx, workspaceID, at)
	if err != nil || len(chosen) == 0 {
		return false, err
	}
	if d.UserID == "" {
		if chosen, err = texts(ctx, tx, holdRemoved, chosen); err != nil {
			return false, err
		}
		removed, err := tx.Exec(ctx, removeSomeEntries, chosen, entriesAtOnce)
		if err != nil || removed.RowsAffected() == entriesAtOnce {
			return true, err
		}
	}
	_, err = d.remove(ctx, tx, chosen)
	return true, err
}

// choose returns some of what is to be removed and there at this moment, the first of them.
func (d *Deletion) choose(ctx context.Context, tx *pg.Tx, workspaceID string, at directory.Scope) ([]string, error) {
	q := pg.NewConditions(workspaceID)
	statement := `SELECT x.id FROM notifications x JOIN documents d ON d.key = x.document_key WHERE x.workspace_id = $1`
	q.And("d.organization_key = %s", at.Organization)
	column := "x.id"
	if d.UserID != "" {
		q = pg.NewConditions(workspaceID)
		statement = `SELECT x.notification_id FROM notification_recipients x WHERE x.workspace_id = $1`
		q.And("x.organization_key = %s", at.Organization)
		q.And("x.user_id = %s", d.UserID)
		column = "x.notification_id"
	}
	if at.Document != nil {
		q.And("x.document_key = %s", *at.Document)
	}
	if d.LocationID != "" {
		q.And(atLocation(column), d.LocationID)
	}
	if len(d.IDs) > 0 {
		q.And(column+" = ANY(%s)", d.keys)
	}
	return texts(ctx, tx, statement+q.Text()+` ORDER BY `+column+` LIMIT `+q.Value(removedAtOnce), q.Args...)
}

// entriesAtOnce is how many recipients of notifications that are removed go in one transaction.
const entriesAtOnce = 10_000

const removeSomeEntries = `
DELETE FROM notification_recipients WHERE ctid = ANY(ARRAY(SELECT ctid FROM notification_recipients WHERE notification_id = ANY($1) LIMIT $2))`

// Notifications are held in the order of their ids before anything of them goes.
const (
	holdRemoved   = `SELECT id FROM notifications WHERE id = ANY($1) ORDER BY id FOR UPDATE`
	removeEntries = `DELETE FROM notification_recipients WHERE notification_id = ANY($1) AND user_id = $2 RETURNING notification_id`
	removeEmpty   = `DELETE FROM notifications n WHERE id = ANY($1) AND NOT EXISTS (SELECT FROM notification_recipients WHERE notification_id = n.id)`
	removeWhole   = `DELETE FROM notifications WHERE id = ANY($1)`
)

// remove removes what was chosen, and returns what was still there.
func (d *Deletion) remove(ctx context.Context, tx *pg.Tx, chosen []string) (gone []string, err error) {
	if gone, err = texts(ctx, tx, holdRemoved, chosen); err != nil {
		return nil, err
	}
	rest := removeWhole
	if d.UserID != "" {
		if gone, err = texts(ctx, tx, removeEntries, gone, d.UserID); err != nil {
			return nil, err
		}
		rest = removeEmpty
	}
	_, err = tx.Exec(ctx, rest, gone)
	return gone, err
}
