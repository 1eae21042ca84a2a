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

// Tx is a transaction, for SQL by hand and for GORM alike. It collects whom it
// notifies and notifies them once, after the commit; one that is undone notifies nobody.
type Tx struct {
	*session
	hints   []Hint
	last    pgx.Batch
	endings []Ending
	// gorm is GORM on the connection of the transaction, which it has begun.
	gorm func() *gorm.DB
}

// Ending collects what a transaction writes once, at its end.
type Ending interface {
	// Write queues the statements, which go in one round trip with the commit: what their
	// callbacks return undoes nothing.
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

// SendLast sends a batch at the end of the transaction, before what is collected for then
// (AtEnd) and in one round trip with it and the commit: what its callbacks return undoes nothing.
func (tx *Tx) SendLast(b *pgx.Batch) {
	tx.last.QueuedQueries = append(tx.last.QueuedQueries, b.QueuedQueries...)
}

// Gorm is GORM inside the transaction, for rows that are read and written one by
// one. Its statements cannot carry BEGIN: where none was sent before, that takes a round trip.
func (tx *Tx) Gorm() *gorm.DB { return tx.gorm() }

// Send sends the statements that a function queues in one round trip. Where one fails,
// none after it is run.
func (tx *Tx) Send(ctx context.Context, queue func(b *pgx.Batch)) error {
	b := &pgx.Batch{}
	queue(b)
	return tx.SendBatch(ctx, b).Close()
}

// SendQueued sends what a batch has, if it has anything, and empties it.
func (tx *Tx) SendQueued(ctx context.Context, b *pgx.Batch) error {
	if b.Len() == 0 {
		return nil
	}
	err := tx.SendBatch(ctx, b).Close()
	*b = pgx.Batch{}
	return err
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

// Gate may refuse what a transaction has written before it is committed.
type Gate interface {
	// Closed reports whether a transaction of this context is to be looked at.
	Closed(ctx context.Context) bool
	// Check looks at a transaction that has written everything. Its error undoes it.
	Check(ctx context.Context, tx *Tx) error
}

// SetGate has a gate look at the transactions of InTx from now on.
func (db *DB) SetGate(gate Gate) { db.gate.Store(&gate) }

// check has the gate look at a transaction whose context it asks for, once that has written
// what it collected for its end.
func (db *DB) check(ctx context.Context, tx *Tx) error {
	gate := db.gate.Load()
	if gate == nil || !(*gate).Closed(ctx) {
		return nil
	}
	tx.writeEndings()
	if err := tx.SendBatch(ctx, &tx.last).Close(); err != nil {
		return err
	}
	tx.last = pgx.Batch{}
	if tx.begun == nil {
		return nil
	}
	return (*gate).Check(ctx, tx)
}

// InTx runs fn in one transaction; an error from fn, or of the gate, undoes all of it.
func (db *DB) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	return db.inSession(ctx, pgx.TxOptions{}, func(tx *Tx) error {
		if err := fn(tx); err != nil {
			return Translate(err)
		}
		if err := db.check(ctx, tx); err != nil {
			return Translate(err)
		}
		if err := tx.commit(ctx); err != nil {
			return translateCommit(err)
		}
		db.pass(tx.hints)
		return nil
	})
}

// commit writes what the transaction writes at its end and commits it, in one round trip.
// Where a statement fails, none after it is run, and so no commit.
func (tx *Tx) commit(ctx context.Context) error {
	tx.writeEndings()
	if tx.begun == nil && tx.last.Len() == 0 {
		return nil
	}
	queueCommit(&tx.last)
	return tx.SendBatch(ctx, &tx.last).Close()
}

// writeEndings queues what was collected for the end of the transaction.
func (tx *Tx) writeEndings() {
	for _, ending := range tx.endings {
		ending.Write(&tx.last)
	}
	tx.endings = nil
}

// queueCommit ends a transaction with its last batch.
func queueCommit(b *pgx.Batch) {
	b.Queue("commit").Exec(func(tag pgconn.CommandTag) error {
		if tag.String() == "ROLLBACK" { // the answer where a statement had failed
			return pgx.ErrTxCommitRollback
		}
		return nil
	})
}

// snapshot is a transaction that sees one moment of the database and changes nothing.
var snapshot = pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}

// Read runs fn on one snapshot of the database, in which nothing can be changed.
func (db *DB) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return db.inSession(ctx, snapshot, func(tx *Tx) error { return Translate(fn(tx)) })
}

// ReadBatch is Read with one batch, whose statements a function queues: one round trip.
func (db *DB) ReadBatch(ctx context.Context, queue func(b *pgx.Batch)) error {
	return db.Read(ctx, func(tx *Tx) error {
		return tx.Send(ctx, func(b *pgx.Batch) {
			queue(b)
			queueCommit(b)
		})
	})
}

// rollbackLimit bounds the rollback of a transaction whose caller gave up.
const rollbackLimit = 2 * time.Second

// inSession runs fn in a transaction, which is undone unless fn commits it.
func (db *DB) inSession(ctx context.Context, as pgx.TxOptions, fn func(tx *Tx) error) error {
	std, err := db.std.Conn(ctx)
	if err != nil {
		return Translate(err)
	}
	defer func() { _ = std.Close() }() // a connection that is still in a transaction is closed
	var conn *pgx.Conn
	if err := std.Raw(func(c any) error { conn = c.(*stdlib.Conn).Conn(); return nil }); err != nil {
		return Translate(err)
	}
	s := &session{conn: conn, as: as}
	defer s.rollback(ctx)
	return fn(&Tx{session: s, gorm: func() *gorm.DB { return db.gormOn(std, s.begin(ctx)) }})
}

// gormOn is GORM on the connection; none of its statements is run where the transaction of
// these could not begin.
func (db *DB) gormOn(std *sql.Conn, begun error) *gorm.DB {
	// A session without a context would share its pool with that of the store. Of the
	// connection it sees statements alone: that it could begin a transaction is hidden.
	orm := db.Gorm.Session(&gorm.Session{NewDB: true, Context: context.Background()})
	orm.Statement.ConnPool = struct{ gorm.ConnPool }{std}
	_ = orm.AddError(begun)
	return orm
}

// ByKeys makes Postgres plan the statements after it in their batch once: for those whose
// plan is the same whatever their values, and takes longer to make than to run.
const ByKeys = `SELECT set_config('plan_cache_mode', 'force_generic_plan', true)`

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
