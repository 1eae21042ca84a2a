package workspace

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models/internal/pg"
)

// rewrapBlocks is how many blocks of a table (8 KiB each) are read at once.
const rewrapBlocks = 64

// Rewrap moves every sealed value, and every hash by which one is found, to the
// first keys of the box. It runs beside the service: each row is changed by a
// statement of its own, only where it still holds what was read, so a value is
// readable at any moment, and a run that was killed is simply started again. SQL is by
// hand: tables and columns are those of the list, and rows are found by their blocks.
type Rewrap struct {
	db  *pg.DB
	box *secret.Box
	// columns are walked in order, that of the key check after all others.
	columns []SealedColumn
}

// NewRewrap makes the work over these columns, which are all sealed ones of the
// schema but the key check's.
func NewRewrap(db *pg.DB, box *secret.Box, columns []SealedColumn) *Rewrap {
	return &Rewrap{db: db, box: box, columns: columns}
}

// KeyCount is how many values of a column are sealed or hashed with a key.
type KeyCount struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	// Kind is "encryption" or "hash".
	Kind  string `json:"kind"`
	KeyID string `json:"keyId"`
	Rows  int64  `json:"rows"`
	// Left is true where Rewrap has yet to move them.
	Left bool `json:"left"`
}

// Run rewraps until no column has a row left that it can move. Done is called
// after each pass over a column with the rows moved in it.
func (r *Rewrap) Run(ctx context.Context, done func(column SealedColumn, moved int)) error {
	unreadable := 0
	for _, column := range append(append([]SealedColumn{}, r.columns...), KeyCheckColumn) {
		if column.Table == KeyCheckColumn.Table && unreadable > 0 {
			break
		}
		failed, err := r.column(ctx, column, done)
		if err != nil {
			return err
		}
		unreadable += failed
	}
	if unreadable > 0 {
		return fmt.Errorf("%d values do not open with any key of this process and were left as they are, and so was the canary row", unreadable)
	}
	return nil
}

// column makes passes until one finds nothing that it can move, and returns how
// many values do not open.
func (r *Rewrap) column(ctx context.Context, column SealedColumn, done func(SealedColumn, int)) (int, error) {
	for {
		p, err := r.pass(ctx, column)
		if err != nil {
			return 0, err
		}
		done(column, p.moved)
		if p.moved+p.raced == 0 {
			return p.unreadable, nil
		}
	}
}

// pass counts rows under old keys: moved, changed by somebody else meanwhile,
// and not to be opened.
type pass struct{ moved, raced, unreadable int }

// pass walks a column's table once, block by block, so that it needs no index
// and no order of rows. A row that moves meanwhile is met in the next pass.
func (r *Rewrap) pass(ctx context.Context, column SealedColumn) (pass, error) {
	var p pass
	var blocks int64
	err := r.db.Pool.QueryRow(ctx, `
		SELECT pg_relation_size($1::regclass) / current_setting('block_size')::bigint`, column.Table).Scan(&blocks)
	if err != nil {
		return p, pg.Translate(err)
	}
	for from := int64(0); from < blocks; from += rewrapBlocks {
		left, err := r.read(ctx, column, from)
		if err != nil {
			return p, err
		}
		for _, row := range left {
			if err := r.move(ctx, column, row, &p); err != nil {
				return p, err
			}
		}
	}
	return p, nil
}

// rewrapRow is a value under an old key. plain is nil when it does not open.
type rewrapRow struct {
	binding       secret.Binding
	at            string
	sealed, plain []byte
}

// keyID is the name of the key under which the column's value is sealed.
func (c SealedColumn) keyID() string { return "convert_from(sealed_under(" + c.Column + "), 'UTF8')" }

// left is the condition of rows that are yet to be moved; $1 and $2 are the
// first encryption and hash key.
func (c SealedColumn) left() string {
	if c.Lookup == nil {
		return fmt.Sprintf("(%s <> $1 AND $2 <> '')", c.keyID())
	}
	return fmt.Sprintf("(%s <> $1 OR %s <> $2)", c.keyID(), c.Lookup.HashKeyID)
}

func (r *Rewrap) read(ctx context.Context, column SealedColumn, from int64) ([]rewrapRow, error) {
	query := fmt.Sprintf(`
		SELECT ctid::text, (%s)::text, (%s)::text, %s FROM %s
		WHERE ctid >= $3::text::tid AND ctid < $4::text::tid AND %s IS NOT NULL AND %s`,
		column.Row, column.Workspace, column.Column, column.Table, column.Column, column.left())
	rows, err := r.db.Pool.Query(ctx, query, r.box.WritingKeyID(), r.box.HashKeyID(),
		fmt.Sprintf("(%d,0)", from), fmt.Sprintf("(%d,0)", from+rewrapBlocks))
	if err != nil {
		return nil, pg.Translate(err)
	}
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (rewrapRow, error) {
		s := rewrapRow{binding: secret.Binding{Table: column.Table, Column: column.Column}}
		err := row.Scan(&s.at, &s.binding.Row, &s.binding.Workspace, &s.sealed)
		return s, err
	})
	for i := range found {
		found[i].plain, _ = r.box.Open(found[i].binding, found[i].sealed) // nil is counted by the caller
	}
	return found, pg.Translate(err)
}

// move writes one value under the first keys, unless the row has changed since
// it was read.
func (r *Rewrap) move(ctx context.Context, column SealedColumn, row rewrapRow, p *pass) error {
	if row.plain == nil {
		p.unreadable++
		return nil
	}
	set := column.Column + " = $3"
	args := []any{row.at, row.sealed, r.box.Seal(row.binding, row.plain)}
	if column.Lookup != nil {
		set += fmt.Sprintf(", %s = $4, %s = $5", column.Lookup.MAC, column.Lookup.HashKeyID)
		args = append(args, r.box.MAC(column.Lookup.Use, []byte(row.binding.Row), row.plain), r.box.HashKeyID())
	}
	update := fmt.Sprintf(`UPDATE %s SET %s WHERE ctid = $1::text::tid AND %s = $2`, column.Table, set, column.Column)
	tag, err := r.db.Pool.Exec(ctx, update, args...)
	if tag.RowsAffected() == 0 {
		p.raced++
	} else {
		p.moved++
	}
	return pg.Translate(err)
}

// Count returns for every column how many values are sealed or hashed with which key.
func (r *Rewrap) Count(ctx context.Context) ([]KeyCount, error) {
	var counts []KeyCount
	for _, column := range append(append([]SealedColumn{}, r.columns...), KeyCheckColumn) {
		expressions := map[string]string{"encryption": column.keyID()}
		if column.Lookup != nil {
			expressions["hash"] = column.Lookup.HashKeyID
		}
		for _, kind := range []string{"encryption", "hash"} {
			if expressions[kind] == "" {
				continue
			}
			found, err := r.countBy(ctx, column, kind, expressions[kind])
			if err != nil {
				return nil, err
			}
			counts = append(counts, found...)
		}
	}
	return counts, nil
}

func (r *Rewrap) countBy(ctx context.Context, column SealedColumn, kind, expression string) ([]KeyCount, error) {
	first := map[string]string{"encryption": r.box.WritingKeyID(), "hash": r.box.HashKeyID()}[kind]
	rows, err := r.db.Pool.Query(ctx, fmt.Sprintf(
		`SELECT %s, count(*) FROM %s WHERE %s IS NOT NULL GROUP BY 1 ORDER BY 1`, expression, column.Table, column.Column))
	if err != nil {
		return nil, pg.Translate(err)
	}
	counts, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (KeyCount, error) {
		count := KeyCount{Table: column.Table, Column: column.Column, Kind: kind}
		err := row.Scan(&count.KeyID, &count.Rows)
		count.Left = count.KeyID != first
		return count, err
	})
	return counts, pg.Translate(err)
}
