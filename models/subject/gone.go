package subject

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// Part is what of a removed subject is removed by one package.
type Part string

// Judgments and Sources are what goes with a subject, each the column that says that
// nothing of it is left.
const (
	Judgments Part = "judgments_gone"
	Sources   Part = "sources_gone"
)

// ShownAmong is Shown for a statement that looks at many rows of the workspace $1: it
// reads once of which removed subjects something of the part is left, and looks up
// none for a row.
func ShownAmong(part Part, organization, document string) string {
	left := ` IN (SELECT r.key FROM subjects r
       WHERE r.workspace_id = $1 AND r.removed_at IS NOT NULL AND NOT r.` + string(part) + `)) IS NOT TRUE`
	return `(` + organization + left + ` AND (` + document + left
}

// Gone notes that nothing of a part is left of those removed subjects whose keys a
// query returns, and returns how many those are: they are not looked at again.
func Gone(ctx context.Context, tx *pg.Tx, part Part, query string, args ...any) (int, error) {
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	_, err = tx.Exec(ctx, `UPDATE subjects SET `+string(part)+` = true WHERE key = ANY ($1) AND removed_at IS NOT NULL`, keys)
	return len(keys), err
}
