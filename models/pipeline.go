package models

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/redline-svc/redline/internal/fault"
)

// rollbackLimit bounds the rollback of a transaction whose caller gave up.
const rollbackLimit = 2 * time.Second

// reader reads by a connection: one row, many, or what a batch asks.
type reader interface {
	batcher
	queryer
	rowQuerier
}

// kind is how a transaction begins, and what a commit is whose answer was lost.
type kind struct {
	begin string
	lost  func(error) error
}

// A transaction that stores, and one whose reads see one moment.
var (
	forStoring = kind{begin: "begin", lost: translateBatch}
	forReading = kind{begin: "begin isolation level repeatable read read only", lost: translate}
)

// twoTrips runs a transaction in two round trips: reads locks and reads; writes
// decides in between and queues what to store; should it have to read more, then
// by the connection it is given, never by another one. writes may say that there is
// nothing to store (false), then the transaction is given up.
func (db *DB) twoTrips(ctx context.Context, reads func(*pgx.Batch), writes func(reader, *pgx.Batch) (bool, error)) error {
	return db.trips(ctx, forStoring, reads, writes)
}

func (db *DB) trips(ctx context.Context, k kind, first func(*pgx.Batch), second func(reader, *pgx.Batch) (bool, error)) error {
	conn, err := db.Pool.Acquire(ctx)
	if err != nil {
		return translate(err)
	}
	defer conn.Release() // a connection that is still in a transaction is closed
	if err := firstTrip(ctx, conn, k.begin, first); err != nil {
		rollback(ctx, conn)
		return translate(err)
	}
	batch := &pgx.Batch{}
	more, err := second(conn, batch)
	if err != nil || !more {
		rollback(ctx, conn)
		return translate(err)
	}
	batch.Queue("commit")
	if err := conn.SendBatch(ctx, batch).Close(); err != nil {
		rollback(ctx, conn)
		return k.lost(err)
	}
	return nil
}

func firstTrip(ctx context.Context, conn *pgxpool.Conn, begin string, reads func(*pgx.Batch)) error {
	batch := &pgx.Batch{}
	batch.Queue(begin)
	reads(batch)
	return conn.SendBatch(ctx, batch).Close()
}

// rollback gives the locks back at once, whatever became of the caller.
func rollback(ctx context.Context, conn *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackLimit)
	defer cancel()
	_, _ = conn.Exec(ctx, "rollback") // a connection that cannot is closed by the pool
}

// translateBatch is translate for a batch that ends in a commit: unless the
// server said what was wrong, or our own code refused, the commit may have
// happened.
func translateBatch(err error) error {
	var pg *pgconn.PgError
	var known *fault.Error
	if errors.As(err, &pg) || errors.As(err, &known) || pgconn.SafeToRetry(err) {
		return translate(err)
	}
	return fault.Late(err)
}
