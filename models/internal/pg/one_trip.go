package pg

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// ErrNotSo is the error of OneTrip when what a statement of Require asks for is not so.
var ErrNotSo = errors.New("what the transaction requires is not so")

// Require undoes the transaction of a batch unless the query finds a row. The division
// ends it: a statement of plain SQL has no other way to raise an error.
func Require(b *pgx.Batch, query string, args ...any) {
	b.Queue(`SELECT 1 / count(*) FROM (`+query+`) AS required`, args...)
}

// RequireChange undoes the transaction of a batch unless the update changes a row.
func RequireChange(b *pgx.Batch, update string, args ...any) {
	b.Queue(`WITH changed AS (`+update+` RETURNING 1) SELECT 1 / count(*) FROM changed`, args...)
}

// OneTrip runs a transaction whose statements need no answer of one another, in one
// round trip: a batch without a begin is one transaction. What writes reads by tx it
// reads before that transaction. Errors: ErrNotSo.
func (db *DB) OneTrip(ctx context.Context, writes func(tx *SQLTx, b *pgx.Batch) error) error {
	conn, err := db.Pool.Acquire(ctx)
	if err != nil {
		return Translate(err)
	}
	defer conn.Release()
	tx, batch := &SQLTx{session: conn}, &pgx.Batch{}
	if err := writes(tx, batch); err != nil {
		return Translate(err)
	}
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		if refused, ok := errors.AsType[*pgconn.PgError](err); ok && refused.Code == divisionByZero {
			return ErrNotSo
		}
		return translateBatch(err)
	}
	db.notify(tx.wakes)
	return nil
}
