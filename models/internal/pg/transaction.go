package pg

import (
	"context"
	"database/sql"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/gorm"
)

// Queryer reads rows: a transaction, a connection or the pool.
type Queryer interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// RowQueryer reads one row: a transaction, a connection or the pool.
type RowQueryer interface {
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
}

// Batcher sends several statements in one round trip: a transaction, a
// connection or the pool.
type Batcher interface {
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// session is what a transaction speaks over.
type session interface {
	Queryer
	RowQueryer
	Batcher
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error)
}

// Tx is a transaction, for SQL by hand and for GORM alike. It collects whom it
// notifies and notifies them once, after the commit; one that is undone notifies nobody.
type Tx struct {
	session
	hints   []Hint
	endings []Ending
	// orm is GORM of the store, std the connection of the transaction as GORM needs it.
	orm *gorm.DB
	std *sql.Conn
}

// Ending collects what a transaction writes once, at its end.
type Ending interface {
	// Write queues the statements, just before the commit.
	Write(b *pgx.Batch)
}

// AtEnd returns what of type T the transaction writes at its end, the same at each call.
func AtEnd[T any, P interface {
	*T
	Ending
}](tx *Tx) P {
	for _, ending := range tx.endings {
		if own, ok := ending.(P); ok {
			return own
		}
	}
	own := P(new(T))
	tx.endings = append(tx.endings, own)
	return own
}

// writeEndings writes what the transaction writes at its end.
func (tx *Tx) writeEndings(ctx context.Context) error {
	if len(tx.endings) == 0 {
		return nil
	}
	return tx.Send(ctx, func(b *pgx.Batch) {
		for _, ending := range tx.endings {
			ending.Write(b)
		}
	})
}

// Gorm is GORM inside the transaction, for rows that are read and written one by
// one.
func (tx *Tx) Gorm() *gorm.DB {
	// A session without a context would share its pool with that of the store. Of the
	// connection it sees statements alone: that it could begin a transaction is hidden.
	orm := tx.orm.Session(&gorm.Session{NewDB: true, Context: context.Background()})
	orm.Statement.ConnPool = struct{ gorm.ConnPool }{tx.std}
	return orm
}

// Send sends the statements that a function queues in one round trip. Where one fails,
// none after it is run.
func (tx *Tx) Send(ctx context.Context, queue func(b *pgx.Batch)) error {
	b := &pgx.Batch{}
	queue(b)
	return tx.SendBatch(ctx, b).Close()
}

// Notify notes the ids of a topic that have something to do after the commit; no
// ids is nothing.
func (tx *Tx) Notify(topic Topic, ids ...string) {
	if len(ids) > 0 {
		tx.hints = append(tx.hints, Hint{Topic: topic, IDs: ids})
	}
}

// NotifyAll notes that a topic as a whole has something to do after the commit.
func (tx *Tx) NotifyAll(topic Topic) { tx.hints = append(tx.hints, Hint{Topic: topic}) }

// InTx runs fn in one transaction; an error from fn undoes all of it.
func (db *DB) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	return db.begin(ctx, pgx.TxOptions{}, func(begun pgx.Tx, tx *Tx) error {
		if err := fn(tx); err != nil {
			return Translate(err)
		}
		if err := tx.writeEndings(ctx); err != nil {
			return Translate(err)
		}
		if err := begun.Commit(ctx); err != nil {
			return translateCommit(err)
		}
		db.pass(tx.hints)
		return nil
	})
}

// Read runs fn on one snapshot of the database, in which nothing can be changed.
func (db *DB) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return db.begin(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}, func(_ pgx.Tx, tx *Tx) error {
		return Translate(fn(tx))
	})
}

// rollbackLimit bounds the rollback of a transaction whose caller gave up.
const rollbackLimit = 2 * time.Second

// begin runs fn in a transaction, which is undone unless fn commits it.
func (db *DB) begin(ctx context.Context, as pgx.TxOptions, fn func(begun pgx.Tx, tx *Tx) error) error {
	std, err := db.std.Conn(ctx)
	if err != nil {
		return Translate(err)
	}
	defer func() { _ = std.Close() }() // a connection that is still in a transaction is closed
	var conn *pgx.Conn
	if err := std.Raw(func(c any) error { conn = c.(*stdlib.Conn).Conn(); return nil }); err != nil {
		return Translate(err)
	}
	begun, err := conn.BeginTx(ctx, as)
	if err != nil {
		return Translate(err)
	}
	defer func() {
		// The locks are given back at once, whatever became of the caller. After a commit
		// this does nothing.
		own, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackLimit)
		defer cancel()
		_ = begun.Rollback(own)
	}()
	return fn(begun, &Tx{session: begun, orm: db.Gorm, std: std})
}

// ByKeys makes Postgres plan the statements after it in its batch once, and for
// look-ups by key. Without it a plan made while a table is nearly empty, which
// reads all of it, would stay until the autovacuum looks at the table, a minute
// and thousands of rows later.
const ByKeys = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true)`

// InOrder makes Postgres read the statements after it in their batch by an index that has
// their order, and sort nothing. Without it a list of one thing may be read by an index of
// all times of its table, which has nearly that order: where Postgres takes the thing for
// a large part of the table, and it is old, past everything that others did since.
const InOrder = `SELECT set_config('enable_sort', 'off', true), set_config('enable_incremental_sort', 'off', true)`

// BySets makes Postgres join the statements after it in their transaction set by set.
// Without it a plan made without statistics, which takes a set for one row, may read
// all of one for each row of the other. Each set is read whole, so its own conditions
// must make it small.
const BySets = `SELECT set_config('enable_nestloop', 'off', true)`
