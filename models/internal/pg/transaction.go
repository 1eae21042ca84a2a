package pg

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/fault"
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

// SQLTx is a transaction for SQL by hand alone. It collects what is to be woken
// and wakes it once, after the commit; of a transaction that is undone nothing is
// woken.
type SQLTx struct {
	session
	wakes []Wake
}

// Tx is a transaction of InTx, which GORM shares.
type Tx struct {
	SQLTx
	// orm opens GORM over the same connection.
	orm func() *gorm.DB
}

// Gorm is GORM inside the transaction, for rows that are read and written one by
// one.
func (tx *Tx) Gorm() *gorm.DB { return tx.orm() }

// Wake notes the ids of a topic that have something to do after the commit; no
// ids is nothing.
func (tx *SQLTx) Wake(topic Topic, ids ...string) {
	if len(ids) > 0 {
		tx.wakes = append(tx.wakes, Wake{Topic: topic, IDs: ids})
	}
}

// WakeAll notes that a topic as a whole has something to do after the commit.
func (tx *SQLTx) WakeAll(topic Topic) { tx.wakes = append(tx.wakes, Wake{Topic: topic}) }

// InTx runs fn in one transaction, for hand-written SQL and for GORM alike; an
// error from fn undoes all of it.
func (db *DB) InTx(ctx context.Context, fn func(tx *Tx) error) error {
	conn, err := db.acquire(ctx)
	if err != nil {
		return Translate(err)
	}
	defer conn.release()
	begun, err := conn.pgx.Conn().Begin(ctx)
	if err != nil {
		return Translate(err)
	}
	defer func() { _ = begun.Rollback(context.WithoutCancel(ctx)) }() // after a commit this does nothing
	tx := &Tx{SQLTx: SQLTx{session: begun}, orm: conn.gorm}
	if err := fn(tx); err != nil {
		return Translate(err)
	}
	if err := begun.Commit(ctx); err != nil {
		return translateCommit(err)
	}
	db.notify(tx.wakes)
	return nil
}

// ReadTx runs fn on one snapshot of the database.
func (db *DB) ReadTx(ctx context.Context, fn func(tx *SQLTx) error) error {
	conn, err := db.Pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return Translate(err)
	}
	defer func() { _ = conn.Rollback(context.WithoutCancel(ctx)) }() // there is nothing to commit
	return Translate(fn(&SQLTx{session: conn}))
}

// rollbackLimit bounds the rollback of a transaction whose caller gave up.
const rollbackLimit = 2 * time.Second

// kind is how a transaction begins, and what a commit is whose answer was lost.
type kind struct {
	begin string
	lost  func(error) error
}

// A transaction that stores, and one whose reads see one moment.
var (
	forStoring = kind{begin: "begin", lost: translateBatch}
	forReading = kind{begin: "begin isolation level repeatable read read only", lost: Translate}
)

// Decision is the second half of a transaction of two trips: it queues what to
// send with the commit. Should it have to read more, then by the transaction,
// never by another connection. It may say that there is nothing to send (false),
// then the transaction is given up.
type Decision func(tx *SQLTx, b *pgx.Batch) (bool, error)

// TwoTrips runs a transaction in two round trips: reads locks and reads; writes
// decides in between and queues what to store.
func (db *DB) TwoTrips(ctx context.Context, reads func(*pgx.Batch), writes Decision) error {
	return db.trips(ctx, forStoring, reads, writes)
}

// TwoReads reads one snapshot in two round trips: what the second one reads is
// decided by the first.
func (db *DB) TwoReads(ctx context.Context, first func(*pgx.Batch), second Decision) error {
	return db.trips(ctx, forReading, first, second)
}

func (db *DB) trips(ctx context.Context, k kind, first func(*pgx.Batch), second Decision) error {
	conn, err := db.Pool.Acquire(ctx)
	if err != nil {
		return Translate(err)
	}
	defer conn.Release() // a connection that is still in a transaction is closed
	if err := firstTrip(ctx, conn, k.begin, first); err != nil {
		rollback(ctx, conn)
		return Translate(err)
	}
	tx, batch := &SQLTx{session: conn}, &pgx.Batch{}
	more, err := second(tx, batch)
	if err != nil || !more {
		rollback(ctx, conn)
		return Translate(err)
	}
	batch.Queue("commit")
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		rollback(ctx, conn)
		return k.lost(err)
	}
	db.notify(tx.wakes)
	return nil
}

func firstTrip(ctx context.Context, conn *pgxpool.Conn, begin string, reads func(*pgx.Batch)) error {
	batch := &pgx.Batch{}
	batch.Queue(begin)
	reads(batch)
	return conn.SendBatch(ctx, batch).Close()
}

// Snapshot runs reads that see one moment, in one round trip.
func (db *DB) Snapshot(ctx context.Context, reads func(b *pgx.Batch)) error {
	b := &pgx.Batch{}
	reads(b)
	if statements(b) <= 1 {
		return Translate(db.Pool.SendBatch(ctx, b).Close())
	}
	around := &pgx.Batch{}
	around.Queue(forReading.begin)
	around.QueuedQueries = append(around.QueuedQueries, b.QueuedQueries...)
	around.Queue("commit")
	conn, err := db.Pool.Acquire(ctx)
	if err != nil {
		return Translate(err)
	}
	defer conn.Release()
	if err := conn.SendBatch(ctx, around).Close(); err != nil {
		rollback(ctx, conn)
		return Translate(err)
	}
	return nil
}

// statements is how many statements of a batch look at rows. One sees a moment by itself,
// and a batch is a transaction even if nothing begins it.
func statements(b *pgx.Batch) (n int) {
	for _, q := range b.QueuedQueries {
		if q.SQL != ByKeys && q.SQL != InOrder {
			n++
		}
	}
	return n
}

// rollback gives the locks back at once, whatever became of the caller.
func rollback(ctx context.Context, conn *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackLimit)
	defer cancel()
	_, _ = conn.Exec(ctx, "rollback") // a connection that cannot is closed by the pool
}

// translateBatch is Translate for a batch that ends in a commit: unless the
// server said what was wrong, or our own code refused, the commit may have
// happened.
func translateBatch(err error) error {
	var pg *pgconn.PgError
	var known *fault.Error
	if errors.As(err, &pg) || errors.As(err, &known) || pgconn.SafeToRetry(err) {
		return Translate(err)
	}
	return fault.Late(err)
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
