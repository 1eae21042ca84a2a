package judgment

import (
	"context"
	"maps"
	"slices"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pattern"
	"github.com/redline-svc/redline/models/subject"
)

// removeBatch is how many rows a transaction removes at most.
const removeBatch = 1000

// removeJudgments removes judgments of subjects that were removed. SQL by hand: GORM's
// deletes have no limit.
var removeJudgments = owingRemoval(`
DELETE FROM judgments WHERE ` + inOrder(`ctid = ANY (ARRAY(
    SELECT j.ctid FROM subjects r CROSS JOIN LATERAL (
        (SELECT ctid FROM judgments WHERE workspace_id = $1 AND organization_key = r.key LIMIT $2)
        UNION (SELECT ctid FROM judgments WHERE workspace_id = $1 AND document_key = r.key LIMIT $2)) j
    WHERE r.workspace_id = $1 AND r.removed_at IS NOT NULL AND NOT r.judgments_gone LIMIT $2))`))

// removeDeparted removes judgments of users who left their organization.
var removeDeparted = owingRemoval(`
DELETE FROM judgments WHERE ` + inOrder(`ctid = ANY (ARRAY(
    SELECT j.ctid FROM departures d CROSS JOIN LATERAL (`+ofDeparted("ctid")+` LIMIT $2) j WHERE d.workspace_id = $1 LIMIT $2))`))

var forgetDepartures = subject.ForgetDepartures(`NOT EXISTS (` + ofDeparted("") + `)`)

// ofDeparted are the judgments of the departure d.
func ofDeparted(columns string) string {
	return `SELECT ` + columns + ` FROM judgments
    WHERE workspace_id = d.workspace_id AND user_id = d.user_id AND organization_key = d.organization_key AND key <= d.through`
}

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
	removed, noted := 0, removeBatch
	for removed == 0 && noted == removeBatch {
		err := s.db.InTx(ctx, func(tx *pg.Tx) error {
			for _, statement := range []string{removeJudgments, removeDeparted} {
				done, err := tx.Exec(ctx, statement, workspaceID, removeBatch)
				if removed = int(done.RowsAffected()); removed > 0 {
					pattern.Removed(tx, workspaceID)
				}
				if err != nil || removed > 0 {
					return err
				}
			}
			if _, err := tx.Exec(ctx, forgetDepartures, workspaceID, removeBatch); err != nil {
				return err
			}
			var err error
			noted, err = subject.Gone(ctx, tx, subject.Judgments, withoutJudgments, workspaceID, removeBatch)
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	return removed, nil
}

// removeHidden removes those of some judgments that are about removed subjects.
var removeHidden = owingRemoval(`
DELETE FROM judgments WHERE ` + inOrder(`key = ANY ($1) AND NOT (`+shownRow("judgments")+`)`))

// removeHidden removes hidden judgments that were claimed for the index, which is owed their
// removal from then on.
func (s *Judgments) removeHidden(ctx context.Context, owed []Owed, hidden map[int64]bool) error {
	if len(hidden) == 0 {
		return nil
	}
	var workspaces []string
	for i := range owed {
		if hidden[owed[i].Key] {
			owed[i].Text = nil
			workspaces = append(workspaces, owed[i].WorkspaceID)
		}
	}
	return s.db.InTx(ctx, func(tx *pg.Tx) error {
		pattern.Removed(tx, workspaces...)
		_, err := tx.Exec(ctx, removeHidden, slices.Collect(maps.Keys(hidden)))
		return err
	})
}
