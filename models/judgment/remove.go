package judgment

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/subject"
)

// removeBatch is how many rows a transaction removes at most.
const removeBatch = 1000

// What goes with what it is about, or with who judged. SQL by hand: GORM's deletes have no
// limit.
var (
	//go:embed remove_of_subjects.sql
	removeOfSubjects string
	//go:embed remove_former.sql
	removeDeparted string
	//go:embed remove_hidden.sql
	removeHidden string
)

var forgetFormerMembers = subject.ForgetFormerMembers(`NOT EXISTS (SELECT FROM judgments
    WHERE workspace_id = d.workspace_id AND user_id = d.user_id AND organization_key = d.organization_key AND key <= d.through)`)

// withoutJudgments are removed subjects of which nothing is left. Who found one before
// it was removed may write about it until the end of their transaction, and none lasts
// ten minutes.
const withoutJudgments = `
SELECT r.key FROM subjects r
WHERE r.workspace_id = $1 AND r.removed_at < clock_timestamp() - interval '10 minutes' AND NOT r.judgments_gone
      AND NOT EXISTS (SELECT FROM judgments WHERE workspace_id = $1 AND organization_key = r.key)
      AND NOT EXISTS (SELECT FROM judgments WHERE workspace_id = $1 AND document_key = r.key) LIMIT $2`

// RemoveBatch removes judgments of organizations and documents that were removed, and of
// users who left an organization, and returns how many: 0 when none are left. They are hidden
// already. It may be repeated.
func (s *Judgments) RemoveBatch(ctx context.Context, workspaceID string) (int, error) {
	n, noted := 0, removeBatch
	for n == 0 && noted == removeBatch {
		err := s.db.InTx(ctx, func(tx *pg.Tx) (err error) {
			for _, statement := range []string{removeOfSubjects, removeDeparted} {
				if n, err = remove(ctx, tx, statement, workspaceID); err != nil || n > 0 {
					return err
				}
			}
			if _, err := tx.Exec(ctx, forgetFormerMembers, workspaceID, removeBatch); err != nil {
				return err
			}
			noted, err = subject.Gone(ctx, tx, subject.Judgments, withoutJudgments, workspaceID, removeBatch)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return n, nil
}

// remove removes judgments by a statement that returns their keys, and returns how many.
func remove(ctx context.Context, tx *pg.Tx, statement, workspaceID string) (int, error) {
	rows, err := tx.Query(ctx, statement, pgx.NamedArgs{"workspace": workspaceID, "most": removeBatch})
	if err != nil {
		return 0, err
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	takeOut(tx, workspaceID, keys...)
	return len(keys), err
}

// removeHidden removes those of some judgments that nobody sees: about something removed,
// or by users who left.
func (s *Judgments) removeHidden(ctx context.Context, keys []int64) error {
	if len(keys) == 0 {
		return nil
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		rows, err := tx.Query(ctx, removeHidden, pgx.NamedArgs{"keys": keys})
		if err != nil {
			return err
		}
		var workspaceID string
		var key int64
		_, err = pgx.ForEachRow(rows, []any{&workspaceID, &key}, func() error {
			takeOut(tx, workspaceID, key)
			return nil
		})
		return err
	})
}
