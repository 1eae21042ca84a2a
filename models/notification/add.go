package notification

import (
	"context"
	"iter"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/id"
	"github.com/redline-svc/redline/internal/person"
	"github.com/redline-svc/redline/internal/shape"
	"github.com/redline-svc/redline/models/directory"
	"github.com/redline-svc/redline/models/internal/pg"
)

// Addition is a call that notifies users of something that it says itself: these, and with
// Everybody the members of the organization besides.
type Addition struct {
	directory.Container
	// ID is the caller's own, empty for none.
	ID        string
	Actor     person.Person
	Users     []string
	Everybody bool
	// Verify lets it be done only where the actor may write to the document.
	Verify bool
	Custom Custom
}

// addition is one call of Add within its transaction.
type addition struct {
	Addition
	workspaceID string
	at          directory.Scope
}

// Add notifies those of the users who may read the document and want to be told, but for who
// causes it. It returns the id of the notification, empty where nobody is left and so none is
// made, and how many are notified. Errors: NOT_FOUND of organization, document;
// FAILED_PRECONDITION (notifications-disabled, access-disabled); PERMISSION_DENIED; ALREADY_EXISTS of an id in use.
func (s *Notifications) Add(ctx context.Context, workspaceID string, add Addition) (name string, recipients int, err error) {
	a := &addition{Addition: add, workspaceID: workspaceID}
	err = s.db.InTx(ctx, func(tx *pg.Tx) error {
		settings, err := ReadSettings(ctx, tx, workspaceID, "")
		if err != nil {
			return err
		}
		if !settings.Enabled {
			return disabled()
		}
		organization, err := a.OpenOrganization(ctx, tx, workspaceID, directory.LockStay)
		if err != nil {
			return err
		}
		if a.at, err = a.EnterRest(ctx, tx, workspaceID, organization); err != nil {
			return err
		}
		told, err := a.told(ctx, tx)
		if err != nil || len(told) == 0 {
			return err
		}
		recipients = len(told)
		name, err = a.store(ctx, tx, told)
		return err
	})
	return name, recipients, err
}

// told are those who are notified, in the order of their ids.
func (a *addition) told(ctx context.Context, tx *pg.Tx) ([]string, error) {
	users := slices.Clone(a.Users)
	if a.Everybody {
		members, err := texts(ctx, tx, `SELECT g.user_id FROM grants g
WHERE g.organization_key = $1 AND g.folder_key IS NULL AND g.document_key IS NULL AND `+directory.Unexpired, a.at.Organization)
		if err != nil {
			return nil, err
		}
		users = append(users, members...)
	}
	slices.Sort(users)
	users = slices.Compact(users)
	access, err := directory.ReadAccess(ctx, tx, a.at.Organization, []int64{*a.at.Document}, append([]string{a.Actor.UserID}, users...))
	if err != nil {
		return nil, err
	}
	if a.Verify && !access.Decide(*a.at.Document, a.Actor.UserID).Write {
		denied := fault.PermissionDenied("", "the action user may not write to the document")
		denied.Details.Denied = []fault.DeniedUser{{UserID: a.Actor.UserID}}
		return nil, denied
	}
	wants, err := ReadPreferences(ctx, tx, a.at, users)
	if err != nil {
		return nil, err
	}
	told := slices.DeleteFunc(users, func(user string) bool {
		return user == a.Actor.UserID || wants.Of(user).Inbox == WantsNone || !access.Decide(*a.at.Document, user).Read
	})
	return told[:min(len(told), InAll)], nil
}

const (
	// freeOwnID takes an id from what is in a deleted document or organization: nobody finds it
	// any more, and it waits for its removal.
	freeOwnID = `
UPDATE notifications n SET own_id = NULL WHERE n.workspace_id = $1 AND n.own_id = $2 AND n.document_key IS NOT NULL AND NOT EXISTS (
    SELECT FROM documents d JOIN organizations o ON o.key = d.organization_key WHERE d.key = n.document_key AND o.organization_id IS NOT NULL)`
	insertCustom = `
INSERT INTO notifications (id, own_id, workspace_id, document_key, custom, action_user, created_at)
SELECT $2, $3, $1, $4, $5, $6, $7 WHERE NOT EXISTS (SELECT FROM notifications WHERE id = $3 AND workspace_id = $1)
ON CONFLICT (workspace_id, own_id) WHERE own_id IS NOT NULL DO NOTHING`
)

// store stores the notification with those who are told, and returns its id.
func (a *addition) store(ctx context.Context, tx *pg.Tx, told []string) (name string, err error) {
	var now time.Time
	if err = tx.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&now); err != nil {
		return "", err
	}
	key := id.Series(id.Notice, now, 1)[0]
	if a.ID != "" {
		if _, err = tx.Exec(ctx, freeOwnID, a.workspaceID, a.ID); err != nil {
			return "", err
		}
	}
	done, err := tx.Exec(ctx, insertCustom, a.workspaceID, key, pg.Optional(a.ID), *a.at.Document, string(shape.Encode(a.Custom)), string(a.Actor.Snapshot()), now)
	switch {
	case err != nil:
		return "", err
	case done.RowsAffected() == 0:
		return "", fault.AlreadyExists("", "the notificationId is in use in the workspace")
	case a.ID != "":
		name = a.ID
	default:
		name = key
	}
	return name, queuePortions(ctx, tx, &pgx.Batch{}, a.workspaceID, a.at, directly(key, told))
}

// directly are the portions of those who are told.
func directly(key string, told []string) iter.Seq[Portion] {
	return func(yield func(Portion) bool) {
		for some := range slices.Chunk(told, PortionSize) {
			var p Portion
			for _, user := range some {
				p.Recipients = append(p.Recipients, Recipient{NoticeID: key, UserID: user, Reason: ReasonDirect})
			}
			if !yield(p) {
				return
			}
		}
	}
}
