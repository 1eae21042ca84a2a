package judgment

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

//go:embed remove_of_users.sql
var removeOfUsers string

// hideOfUsers hides what users judged in organizations, from the commit on.
var hideOfUsers = subject.LeaveAll(`nextval('judgments_key_seq')`,
	`SELECT DISTINCT organization_key, user_id FROM judgments
    WHERE workspace_id = $1 AND user_id = ANY ($2) AND organization_key IS NOT NULL AND ($3::bigint[] IS NULL OR organization_key = ANY ($3))`)

// Erase hides the judgments of users in organizations, by the keys of their subjects, nil for all and for
// those in none. EraseSome removes them. Those in no organization cannot be hidden: they go with this call, and EraseInNone
// has left it few.
func Erase(ctx context.Context, tx *pg.Tx, workspaceID string, users []string, subjects []int64) error {
	if _, err := tx.Exec(ctx, hideOfUsers, workspaceID, users, subjects); err != nil || subjects != nil {
		return err
	}
	for {
		removed, err := eraseInNone(ctx, tx, workspaceID, users)
		if err != nil || removed < removeBatch {
			return err
		}
	}
}

// EraseInNone removes the judgments of users in no organization, each batch in a transaction of its own, until less than one is
// left.
func EraseInNone(ctx context.Context, db *pg.DB, workspaceID string, users []string) error {
	for removed := removeBatch; removed == removeBatch; {
		err := db.InTx(ctx, func(tx *pg.Tx) (err error) {
			removed, err = eraseInNone(ctx, tx, workspaceID, users)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

//go:embed remove_in_none.sql
var removeInNone string

// eraseInNone removes a batch of them and returns how many these were.
func eraseInNone(ctx context.Context, tx *pg.Tx, workspaceID string, users []string) (int, error) {
	rows, err := tx.Query(ctx, removeInNone, pgx.NamedArgs{"workspace": workspaceID, "users": users, "most": removeBatch})
	if err != nil {
		return 0, err
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	takeOut(tx, workspaceID, keys...)
	return len(keys), err
}

// EraseSome removes some judgments of users and returns how many, and whether more may be left. When none are, what hid them is
// forgotten.
func EraseSome(ctx context.Context, tx *pg.Tx, workspaceID string, users []string, subjects []int64) (removed int, more bool, err error) {
	rows, err := tx.Query(ctx, removeOfUsers, pgx.NamedArgs{"workspace": workspaceID, "users": users, "subjects": subjects, "most": removeBatch})
	if err != nil {
		return 0, false, err
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	takeOut(tx, workspaceID, keys...)
	if err != nil || len(keys) == removeBatch {
		return len(keys), true, err
	}
	return len(keys), false, subject.ForgetErased(ctx, tx, workspaceID, users, subjects)
}

//go:embed reword.sql
var reword string

// QueueRewording lets judgments from an annotation say something else where they quote a comment, whoever judged.
func QueueRewording(tx *pg.Tx, b *pgx.Batch, workspaceID, annotationID, was, now string) {
	if was == now || was == "" {
		return
	}
	b.Queue(reword, pgx.NamedArgs{"workspace": workspaceID, "annotation": annotationID, "was": was, "now": now}).Query(func(rows pgx.Rows) error {
		changed, err := pgx.CollectRows(rows, pgx.RowTo[string])
		bringIn(tx, workspaceID, changed...)
		return err
	})
}
