package directory

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// collect returns the one column of a statement's rows.
func collect[T any](ctx context.Context, q pg.Queryer, statement string, args ...any) (column []T, err error) {
	rows, err := q.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	err = collectInto(&column)(rows)
	return column, err
}

// collectInto is collect for a statement of a batch.
func collectInto[T any](column *[]T) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*column, err = pgx.CollectRows(rows, pgx.RowTo[T])
		return err
	}
}

// idsOf runs a statement that returns ids back.
func idsOf(ctx context.Context, tx *pg.Tx, statement string, args ...any) (map[string]bool, error) {
	ids, err := collect[string](ctx, tx, statement, args...)
	return setOf(ids), err
}

func setOf(ids []string) map[string]bool {
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}
