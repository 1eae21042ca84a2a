package workspace

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/models/internal/pg"
)

// CountedSecrets is up to where the values of one column under one key are counted
// by KeyUses.
const CountedSecrets = 10_000

// keyUse is one way in which a column depends on a key: what names the key in a row
// and in the answer.
type keyUse struct{ table, column, key, name string }

// keyUses are those of a column: of the key that seals it, and of the key that made
// the hash by which it is found.
func (c SealedColumn) keyUses() []keyUse {
	uses := []keyUse{{c.Table, c.Column, "sealed_under(" + c.Column + ")", "convert_from(turn.id, 'UTF8')"}}
	if c.Lookup != nil {
		uses = append(uses, keyUse{c.Table, c.Column, c.Lookup.HashKeyID, "turn.id"})
	}
	return uses
}

// statement returns a row for each key: its name, and how many values there are under
// it, up to CountedSecrets. It goes from key to key by the index and reads no more
// than it counts.
func (u keyUse) statement() string {
	next := func(behind string) string {
		return fmt.Sprintf(`(SELECT %[1]s FROM %[2]s WHERE %[3]s IS NOT NULL AND %[1]s > %[4]s ORDER BY %[1]s LIMIT 1)`, u.key, u.table, u.column, behind)
	}
	return fmt.Sprintf(`WITH RECURSIVE turn (id) AS (SELECT %s UNION ALL SELECT %s FROM turn WHERE id IS NOT NULL)
SELECT %s, (SELECT count(*) FROM (SELECT FROM %s WHERE %s IS NOT NULL AND %s = turn.id LIMIT %d) r) FROM turn WHERE id IS NOT NULL`,
		next("''"), next("turn.id"), u.name, u.table, u.column, u.key, CountedSecrets)
}

// KeyUses returns, by the name of a key, how many values are sealed or hashed with it,
// those of each column counted up to CountedSecrets. It costs the same however many
// there are.
func (r *Rewrap) KeyUses(ctx context.Context) (map[string]int64, error) {
	found := map[string]int64{}
	b := &pgx.Batch{}
	for _, column := range append(append([]SealedColumn{}, r.columns...), KeyCheckColumn) {
		for _, use := range column.keyUses() {
			b.Queue(use.statement()).Query(func(rows pgx.Rows) error {
				var key string
				var n int64
				_, err := pgx.ForEachRow(rows, []any{&key, &n}, func() error {
					found[key] += n
					return nil
				})
				return err
			})
		}
	}
	return found, pg.Translate(r.db.Pool.SendBatch(ctx, b).Close())
}
