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

// Delete deletes notifications, all or none, and returns an entry for each that is named.
// Errors: NOT_FOUND of organization, document.
func (s *Notifications) Delete(ctx context.Context, workspaceID string, d Deletion) ([]directory.Entry, error) {
	var gone []string
	var names keys
	err := s.db.InTx(ctx, func(tx *pg.Tx) error {
		at, err := open(ctx, tx, workspaceID, d.Container)
		if err != nil {
			return err
		}
		if names, err = keysOf(ctx, tx, workspaceID, d.IDs); err != nil {
			return err
		}
		d.keys = names.all(d.IDs)
		for {
			if len(d.IDs) > 0 && len(d.keys) == 0 {
				return nil
			}
			chosen, err := d.choose(ctx, tx, workspaceID, at)
			if err != nil || len(chosen) == 0 {
				return err
			}
			if gone, err = d.remove(ctx, tx, chosen); err != nil || len(d.IDs) > 0 {
				return err
			}
		}
	})
	return names.entriesOf(d.IDs, gone), err
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
