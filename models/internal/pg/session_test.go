package pg_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pgtest"
)

// trips notes what goes to Postgres in one round trip each, of statements that are prepared.
type trips struct {
	mu   sync.Mutex
	sent []string
}

func (r *trips) note(trip string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sent = append(r.sent, trip)
}

// take returns the trips since it was called last.
func (r *trips) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	sent := r.sent
	r.sent = nil
	return sent
}

func (r *trips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	r.note(data.SQL)
	return ctx
}

func (r *trips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

func (r *trips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	var statements []string
	for _, query := range data.Batch.QueuedQueries {
		statements = append(statements, query.SQL)
	}
	r.note(strings.Join(statements, "; "))
	return ctx
}

func (r *trips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

func (r *trips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

func (r *trips) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	r.note("copy")
	return ctx
}

func (r *trips) TraceCopyFromEnd(context.Context, *pgx.Conn, pgx.TraceCopyFromEndData) {}

// opened opens a pool of one connection, whose statements the tracer sees.
func opened(t testing.TB, url string, tracer pgx.QueryTracer) *pg.DB {
	t.Helper()
	db, err := pg.Open(t.Context(), url, pg.PoolOptions{Conns: 1, Tracer: tracer})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

const (
	insertOwner = `INSERT INTO owners (id, email_key) VALUES ('by-hand', 'a@example.com') ON CONFLICT DO NOTHING`
	divide      = `SELECT 1 / $1::int`
)

// ending is what is written at the end of a transaction.
type ending struct{ statements []string }

// Write queues the statements at the end of the transaction.
func (e *ending) Write(b *pgx.Batch) {
	for _, statement := range e.statements {
		b.Queue(statement)
	}
}

func atEnd(tx *pg.Tx, statements ...string) {
	own := pg.AtEnd[ending](tx)
	own.statements = append(own.statements, statements...)
}

func queue(statements ...string) func(b *pgx.Batch) {
	return func(b *pgx.Batch) {
		for _, statement := range statements {
			b.Queue(statement)
		}
	}
}

func owners(t testing.TB, db *pg.DB) (n int) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(t.Context(), `SELECT count(*) FROM owners`).Scan(&n))
	return n
}

func TestBeginGoesWithTheFirstStatementAndCommitWithTheLast(t *testing.T) {
	t.Parallel()
	const beginRead = `begin isolation level repeatable read read only`
	sent := &trips{}
	db := opened(t, pgtest.URL(t), sent)
	ctx := t.Context()
	for name, c := range map[string]struct {
		run  func(fn func(tx *pg.Tx) error) error
		fn   func(tx *pg.Tx) error
		want []string
	}{
		"nothing":        {fn: func(*pg.Tx) error { return nil }},
		"an empty batch": {fn: func(tx *pg.Tx) error { return tx.Send(ctx, queue()) }},
		"a batch": {
			fn:   func(tx *pg.Tx) error { return tx.Send(ctx, queue("SELECT 1", "SELECT 2")) },
			want: []string{"begin; SELECT 1; SELECT 2", "commit"},
		},
		"a batch and something at the end": {
			fn: func(tx *pg.Tx) error {
				atEnd(tx, insertOwner)
				return tx.Send(ctx, queue("SELECT 1"))
			},
			want: []string{"begin; SELECT 1", insertOwner + "; commit"},
		},
		"a last batch and something at the end": {
			fn: func(tx *pg.Tx) error {
				atEnd(tx, insertOwner)
				last := &pgx.Batch{}
				queue("SELECT 2", "SELECT 3")(last)
				tx.SendLast(last)
				return tx.Send(ctx, queue("SELECT 1"))
			},
			want: []string{"begin; SELECT 1", "SELECT 2; SELECT 3; " + insertOwner + "; commit"},
		},
		"something at the end alone": {
			fn:   func(tx *pg.Tx) error { atEnd(tx, insertOwner); return nil },
			want: []string{"begin; " + insertOwner + "; commit"},
		},
		"statements one by one": {
			fn: func(tx *pg.Tx) error {
				var n int
				if err := tx.QueryRow(ctx, divide, 1).Scan(&n); err != nil {
					return err
				}
				_, err := tx.Exec(ctx, insertOwner)
				return err
			},
			want: []string{"begin; " + divide, insertOwner, "commit"},
		},
		"a copy": {
			fn: func(tx *pg.Tx) error {
				_, err := tx.CopyFrom(ctx, pgx.Identifier{"owners"}, []string{"id"}, pgx.CopyFromRows(nil))
				return err
			},
			want: []string{"begin", "copy", "commit"},
		},
		"GORM": {
			fn: func(tx *pg.Tx) error {
				_, err := gorm.G[owner](tx.Gorm()).Find(ctx)
				return err
			},
			want: []string{"begin", `SELECT * FROM "owners"`, "commit"},
		},
		"a reading": {
			run:  func(fn func(tx *pg.Tx) error) error { return db.Read(ctx, fn) },
			fn:   func(tx *pg.Tx) error { return tx.Send(ctx, queue("SELECT 1")) },
			want: []string{beginRead + "; SELECT 1", "rollback"},
		},
		"a reading of one batch": {
			run:  func(func(tx *pg.Tx) error) error { return db.ReadBatch(ctx, queue("SELECT 1", "SELECT 2")) },
			want: []string{beginRead + "; SELECT 1; SELECT 2; commit"},
		},
	} {
		run := c.run
		if run == nil {
			run = func(fn func(tx *pg.Tx) error) error { return db.InTx(ctx, fn) }
		}
		sent.take()
		require.NoError(t, run(c.fn), name)
		require.Equal(t, c.want, sent.take(), name)
	}
	require.Equal(t, 1, owners(t, db))
	require.EqualValues(t, 1, db.Pool.Stat().NewConnsCount(), "each left its connection as it was")
}

// The rows of the statement that began the transaction are read like any others.
func TestRowsThatCameWithBegin(t *testing.T) {
	t.Parallel()
	const numbers = `SELECT generate_series(1, 3)`
	db := opened(t, pgtest.URL(t), nil)
	for name, read := range map[string]func(rows pgx.Rows) (n int){
		"to their end": func(rows pgx.Rows) (n int) {
			for rows.Next() {
				n++
			}
			return n
		},
		"in part": func(rows pgx.Rows) int {
			defer rows.Close()
			require.True(t, rows.Next())
			return 3
		},
		"as a whole": func(rows pgx.Rows) int {
			all, err := pgx.CollectRows(rows, pgx.RowTo[int])
			require.NoError(t, err)
			return len(all)
		},
	} {
		require.NoError(t, db.InTx(t.Context(), func(tx *pg.Tx) error {
			rows, err := tx.Query(t.Context(), numbers)
			require.NoError(t, err)
			require.Equal(t, 3, read(rows), name)
			require.NoError(t, rows.Err(), name)
			tag, err := tx.Exec(t.Context(), insertOwner)
			require.LessOrEqual(t, tag.RowsAffected(), int64(1))
			return err
		}), name)
	}
	require.NoError(t, db.InTx(t.Context(), func(tx *pg.Tx) error {
		require.ErrorIs(t, tx.QueryRow(t.Context(), `SELECT FROM owners WHERE id = 'nobody'`).Scan(), pgx.ErrNoRows)
		tag, err := tx.Exec(t.Context(), `DELETE FROM owners`)
		require.EqualValues(t, 1, tag.RowsAffected())
		return err
	}))
	require.NoError(t, db.InTx(t.Context(), func(tx *pg.Tx) error {
		tag, err := tx.Exec(t.Context(), insertOwner)
		require.EqualValues(t, 1, tag.RowsAffected(), "also where it begins the transaction")
		return err
	}))
	require.EqualValues(t, 1, db.Pool.Stat().NewConnsCount())
}

// Whatever goes wrong is the error of the transaction and undoes all of it, wherever the
// statement travelled; the connection goes on.
func TestAFailureUndoesTheTransaction(t *testing.T) {
	t.Parallel()
	const divisionByZero, uniqueViolation, syntaxError = "22012", "23505", "42601"
	db := opened(t, pgtest.URL(t), nil)
	noted(t, db, `CREATE TABLE pairs (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)`)
	const twice = `INSERT INTO pairs VALUES (1), (1)`
	ctx := t.Context()
	hinted := 0
	db.OnCommit(func([]pg.Hint) { hinted++ })
	for name, c := range map[string]struct {
		fn   func(tx *pg.Tx) error
		code string
	}{
		"the first batch": {func(tx *pg.Tx) error { return tx.Send(ctx, queue(insertOwner, `SELECT 1 / 0`)) }, divisionByZero},
		"the first row":   {func(tx *pg.Tx) error { return tx.QueryRow(ctx, divide, 0).Scan(nil) }, divisionByZero},
		"the first rows": {func(tx *pg.Tx) error {
			rows, err := tx.Query(ctx, divide, 0)
			if err != nil {
				return err
			}
			rows.Close()
			return rows.Err()
		}, divisionByZero},
		"the first statement": {func(tx *pg.Tx) error { _, err := tx.Exec(ctx, divide, 0); return err }, divisionByZero},
		"no statement":        {func(tx *pg.Tx) error { return tx.QueryRow(ctx, `SELEC 1`).Scan() }, syntaxError},
		"a later one": {func(tx *pg.Tx) error {
			_, err := tx.Exec(ctx, insertOwner)
			require.NoError(t, err)
			_, err = tx.Exec(ctx, divide, 0)
			return err
		}, divisionByZero},
		"at the end": {func(tx *pg.Tx) error {
			atEnd(tx, `SELECT 1 / 0`)
			_, err := tx.Exec(ctx, insertOwner)
			return err
		}, divisionByZero},
		"the commit":              {func(tx *pg.Tx) error { return tx.Send(ctx, queue(insertOwner, twice)) }, uniqueViolation},
		"the commit with the end": {func(tx *pg.Tx) error { atEnd(tx, insertOwner, twice); return nil }, uniqueViolation},
	} {
		err := db.InTx(ctx, func(tx *pg.Tx) error {
			tx.NotifyAll("topic")
			return c.fn(tx)
		})
		known, ok := errors.AsType[*pgconn.PgError](err)
		require.True(t, ok, "%s: %v", name, err)
		require.Equal(t, c.code, known.Code, name)
		require.Equal(t, fault.StatusInternal, statusOf(err), name)
		require.Zero(t, owners(t, db), name)
	}
	require.Zero(t, hinted)
	require.EqualValues(t, 1, db.Pool.Stat().NewConnsCount())
}

// statusOf is the status of an error that was translated.
func statusOf(err error) fault.Status {
	known, _ := errors.AsType[*fault.Error](err)
	return known.Status
}

// A failure that is not passed on keeps the transaction from being committed all the same.
func TestAFailureThatIsNotPassedOn(t *testing.T) {
	t.Parallel()
	db := opened(t, pgtest.URL(t), nil)
	ctx := t.Context()
	require.ErrorIs(t, db.InTx(ctx, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, insertOwner)
		require.NoError(t, err)
		_, err = tx.Exec(ctx, divide, 0)
		require.Error(t, err)
		return nil
	}), pgx.ErrTxCommitRollback)
	require.Zero(t, owners(t, db))
	require.ErrorIs(t, db.InTx(ctx, func(tx *pg.Tx) error {
		require.Error(t, tx.Send(ctx, queue(`SELEC 1`)), "it is found before the transaction begins")
		_, err := tx.Exec(ctx, insertOwner)
		require.ErrorIs(t, err, pgx.ErrTxClosed)
		require.ErrorIs(t, gorm.G[owner](tx.Gorm()).Create(ctx, &owner{ID: "by-gorm", EmailKey: "b@example.com"}), pgx.ErrTxClosed)
		atEnd(tx, insertOwner)
		return nil
	}), pgx.ErrTxClosed)
	require.Zero(t, owners(t, db))
}

func TestACallerWhoGaveUpBeforeTheFirstStatement(t *testing.T) {
	t.Parallel()
	db := opened(t, pgtest.URL(t), nil)
	for name, statement := range map[string]func(ctx context.Context, tx *pg.Tx) error{
		"by hand": func(ctx context.Context, tx *pg.Tx) error { _, err := tx.Exec(ctx, insertOwner); return err },
		"by GORM": func(_ context.Context, tx *pg.Tx) error {
			return gorm.G[owner](tx.Gorm()).Create(t.Context(), &owner{ID: "by-gorm", EmailKey: "b@example.com"})
		},
		"at the end": func(_ context.Context, tx *pg.Tx) error { atEnd(tx, insertOwner); return nil },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		require.ErrorIs(t, db.InTx(ctx, func(tx *pg.Tx) error {
			cancel()
			return statement(ctx, tx)
		}), context.Canceled, name)
		require.Zero(t, owners(t, db), name)
	}
	require.Zero(t, db.Pool.Stat().AcquiredConns())
}

// lossy stands before Postgres. Once it loses, it passes on what a client sends and ends the
// connection before the answer.
type lossy struct {
	net.Listener
	server string
	loses  atomic.Bool
}

// before returns a lossy proxy and the address through it.
func before(t *testing.T, address string) (*lossy, string) {
	t.Helper()
	parsed, err := url.Parse(address)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	l := &lossy{Listener: listener, server: parsed.Host}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for client, err := l.Accept(); err == nil; client, err = l.Accept() {
			go l.serve(client)
		}
	}()
	parsed.Host = listener.Addr().String()
	return l, parsed.String()
}

func (l *lossy) serve(client net.Conn) {
	defer func() { _ = client.Close() }()
	server, err := net.Dial("tcp", l.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	go func() { _, _ = io.Copy(client, server) }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := client.Read(buffer)
		if err != nil {
			return
		}
		loses := l.loses.Load()
		if loses {
			_ = client.Close()
		}
		if _, err := server.Write(buffer[:n]); err != nil || loses {
			return
		}
	}
}

// A connection that is lost with the commit leaves open what happened, whatever went along;
// one that is lost before has changed nothing.
func TestAConnectionThatIsLost(t *testing.T) {
	t.Parallel()
	address := pgtest.URL(t)
	direct := opened(t, address, nil)
	for name, c := range map[string]struct {
		fn   func(tx *pg.Tx, lose func()) error
		want fault.Status
		left int
	}{
		"with the first statement": {func(tx *pg.Tx, lose func()) error {
			lose()
			_, err := tx.Exec(t.Context(), insertOwner)
			return err
		}, fault.StatusUnavailable, 0},
		"with the commit": {func(tx *pg.Tx, lose func()) error {
			defer lose()
			_, err := tx.Exec(t.Context(), insertOwner)
			return err
		}, fault.StatusDeadlineExceeded, 1},
		"with the end and the commit": {func(tx *pg.Tx, lose func()) error {
			defer lose()
			atEnd(tx, insertOwner)
			return nil
		}, fault.StatusDeadlineExceeded, 1},
	} {
		_, err := direct.Pool.Exec(t.Context(), `DELETE FROM owners`)
		require.NoError(t, err)
		proxy, through := before(t, address)
		db := opened(t, through, nil)
		once := func() error {
			return db.InTx(t.Context(), func(tx *pg.Tx) error { return c.fn(tx, func() {}) })
		}
		require.NoError(t, once(), name) // its statements are prepared
		_, err = direct.Pool.Exec(t.Context(), `DELETE FROM owners`)
		require.NoError(t, err)
		err = db.InTx(t.Context(), func(tx *pg.Tx) error { return c.fn(tx, func() { proxy.loses.Store(true) }) })
		require.Error(t, err, name)
		require.Equal(t, c.want, statusOf(err), name)
		require.Eventually(t, func() bool { return owners(t, direct) == c.left }, time.Minute, time.Millisecond, name)
		proxy.loses.Store(false)
		require.NoError(t, once(), name)
	}
}
