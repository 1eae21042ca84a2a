package queue

import (
	"context"
	_ "embed"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

//go:embed due.sql
var dueStatement string

// Due returns the kinds of which a claim may find something. It asks for all of them at once
// and claims nothing, so that who looks often and finds nothing as a rule costs little.
func (q *Queue) Due(ctx context.Context) (kinds []Kind, err error) {
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(dueStatement, pgx.NamedArgs{"kinds": Kinds()}).Query(func(rows pgx.Rows) error {
		kinds, err = pgx.CollectRows(rows, pgx.RowTo[Kind])
		return err
	})
	err = q.db.Pool.SendBatch(ctx, b).Close()
	return kinds, pg.Translate(err)
}
