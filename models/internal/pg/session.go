package pg

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/redline-svc/redline/internal/telemetry"
)

// session is the connection of a transaction. BEGIN goes with its first statement, or with
// the batch that comes first, in one round trip: a transaction that sends nothing is none.
type session struct {
	conn *pgx.Conn
	as   pgx.TxOptions
	// begun is nil until the first statement. It refuses every other where that one could
	// not begin it.
	begun pgx.Tx
}

// idle is the state of a connection that is in no transaction.
const idle = 'I'

// begin sends BEGIN by itself, before what cannot carry it.
func (s *session) begin(ctx context.Context) (err error) {
	switch {
	case s.begun == nil:
		if s.begun, err = s.conn.BeginTx(ctx, s.as); err == nil {
			err = s.begun.SendBatch(ctx, s.trace(ctx)).Close()
		}
	case s.conn.PgConn().TxStatus() == idle:
		err = pgx.ErrTxClosed
	}
	return err
}

// SendBatch sends several statements in one round trip.
func (s *session) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	switch {
	case s.begun != nil:
		return s.begun.SendBatch(ctx, b)
	case b.Len() == 0:
		return s.conn.SendBatch(ctx, b)
	}
	whole, trace := &pgx.Batch{}, s.trace(ctx)
	whole.BeginTx(s.as)
	whole.QueuedQueries = slices.Concat(whole.QueuedQueries, trace.QueuedQueries, b.QueuedQueries)
	results := s.conn.SendBatch(ctx, whole)
	s.begun = results.Tx()
	for range 1 + trace.Len() {
		_, _ = results.Exec() // of BEGIN and the trace; their error is that of all after them
	}
	return results
}

// trace names the trace of the call for the time of the transaction, if it is collected and
// anything can be written: what is left to others to do keeps it (column trace_parent).
func (s *session) trace(ctx context.Context) *pgx.Batch {
	b := &pgx.Batch{}
	if parent := telemetry.TraceParent(ctx); parent != "" && s.as.AccessMode != pgx.ReadOnly {
		b.Queue(`SELECT set_config('redline.trace_parent', $1, true)`, parent)
	}
	return b
}

// Query reads rows.
func (s *session) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	if s.begun != nil {
		return s.begun.Query(ctx, sql, args...)
	}
	b := &pgx.Batch{}
	b.Queue(sql, args...)
	results := s.SendBatch(ctx, b)
	rows, err := results.Query()
	if err != nil {
		_ = results.Close() // fails of the same
	}
	return firstRows{rows, results}, err
}

// QueryRow reads one row.
func (s *session) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	if s.begun != nil {
		return s.begun.QueryRow(ctx, sql, args...)
	}
	rows, _ := s.Query(ctx, sql, args...) // the rows have the error
	return firstRow{rows}
}

// Exec runs a statement that reads nothing.
func (s *session) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	if s.begun != nil {
		return s.begun.Exec(ctx, sql, args...)
	}
	rows, _ := s.Query(ctx, sql, args...) // the rows have the error
	rows.Close()
	return rows.CommandTag(), rows.Err()
}

// CopyFrom writes many rows of one table.
func (s *session) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, rows pgx.CopyFromSource) (int64, error) {
	if err := s.begin(ctx); err != nil {
		return 0, err
	}
	return s.begun.CopyFrom(ctx, table, columns, rows)
}

// rollback undoes what is not committed, if anything was begun: the locks are given back at
// once, whatever became of the caller.
func (s *session) rollback(ctx context.Context) {
	if s.begun == nil || s.conn.PgConn().TxStatus() == idle {
		return
	}
	own, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackLimit)
	defer cancel()
	_ = s.begun.Rollback(own)
}

// firstRows are the rows of a statement that went with BEGIN: with them its batch ends.
type firstRows struct {
	pgx.Rows
	batch pgx.BatchResults
}

// Next reads the next row.
func (r firstRows) Next() bool {
	more := r.Rows.Next()
	if !more {
		r.Close()
	}
	return more
}

// Close ends the rows.
func (r firstRows) Close() {
	r.Rows.Close()
	_ = r.batch.Close() // the rows have the error
}

// firstRow is such a row.
type firstRow struct{ pgx.Rows }

// Scan reads it.
func (r firstRow) Scan(dest ...any) error {
	_, err := pgx.CollectOneRow(r.Rows, func(row pgx.CollectableRow) (struct{}, error) { return struct{}{}, row.Scan(dest...) })
	return err
}
