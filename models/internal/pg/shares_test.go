package pg_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/slots"
	"github.com/redline-svc/redline/internal/weight"
	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pgtest"
)

// shared opens a shared pool of so many connections to a database of the test.
func shared(t *testing.T, conns int32) *pg.DB {
	t.Helper()
	db, err := pg.Open(t.Context(), pgtest.New(t).Pool.Config().ConnString(), pg.PoolOptions{Conns: conns, Shared: true})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	return db
}

// of is a context of what is done for a workspace.
func of(ctx context.Context, workspaceID string) context.Context { return slots.For(ctx, &workspaceID) }

// holdAll takes so many connections for a workspace.
func holdAll(t *testing.T, db *pg.DB, workspaceID string, many int) []*pgxpool.Conn {
	t.Helper()
	held := make([]*pgxpool.Conn, many)
	for i := range held {
		var err error
		held[i], err = db.Pool.Acquire(of(t.Context(), workspaceID))
		require.NoError(t, err)
	}
	return held
}

// A workspace that holds its share waits for its own connections, by whatever way it asks
// for one, and no other waits for it. Who goes away meanwhile has taken nothing.
func TestAWorkspaceHoldsItsShareOfThePool(t *testing.T) {
	t.Parallel()
	db := shared(t, 16)
	held := holdAll(t, db, "ws_many", 4)
	for name, ask := range map[string]func(ctx context.Context) error{
		"pool":        func(ctx context.Context) error { _, err := db.Pool.Exec(ctx, "SELECT 1"); return pg.Translate(err) },
		"orm":         func(ctx context.Context) error { _, err := gorm.G[owner](db.Gorm).Find(ctx); return pg.Translate(err) },
		"transaction": func(ctx context.Context) error { return db.InTx(ctx, func(*pg.Tx) error { return nil }) },
		"snapshot":    func(ctx context.Context) error { return db.Read(ctx, func(*pg.Tx) error { return nil }) },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		require.True(t, fault.Is(ask(of(ctx, "ws_many")), fault.StatusDeadlineExceeded), name)
		cancel()
		require.NoError(t, ask(of(t.Context(), "ws_other")), name)
	}
	later := make(chan error)
	go func() { later <- db.Read(of(t.Context(), "ws_many"), func(*pg.Tx) error { return nil }) }()
	held[0].Release()
	require.NoError(t, <-later)
	for _, conn := range held[1:] {
		conn.Release()
	}
	require.Zero(t, db.Pool.Stat().AcquiredConns())
	for _, conn := range holdAll(t, db, "ws_many", 4) {
		conn.Release() // all of the share is there again
	}
}

// Each of two processes has shares of its own.
func TestShares_3_TheyHoldInEachProcess(t *testing.T) {
	t.Parallel()
	first := shared(t, 8)
	second, err := pg.Open(t.Context(), first.Pool.Config().ConnString(), pg.PoolOptions{Conns: 8, Shared: true})
	require.NoError(t, err)
	t.Cleanup(second.Close)
	for _, db := range []*pg.DB{first, second} {
		for _, conn := range holdAll(t, db, "ws_many", 4) {
			t.Cleanup(conn.Release)
		}
	}
	for _, db := range []*pg.DB{first, second} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		require.True(t, fault.Is(pg.Translate(db.Pool.Ping(of(ctx, "ws_many"))), fault.StatusDeadlineExceeded))
		cancel()
		require.NoError(t, db.Pool.Ping(of(t.Context(), "ws_other")))
	}
}

// Who waited for a turn as long as it may is refused, and may come again.
func TestWhoWaitsTooLongForAConnectionIsBusy(t *testing.T) {
	t.Parallel()
	db := shared(t, 4)
	pg.SetTurnLimit(db, 10*time.Millisecond)
	held := holdAll(t, db, "ws_many", 4)
	for range 2 {
		require.True(t, fault.IsBusy(db.InTx(of(t.Context(), "ws_many"), func(*pg.Tx) error { return nil })))
		_, err := db.Pool.Exec(of(t.Context(), "ws_many"), "SELECT 1")
		require.True(t, fault.IsBusy(pg.Translate(err)))
	}
	for _, conn := range held {
		conn.Release()
	}
	require.NoError(t, db.InTx(of(t.Context(), "ws_many"), func(*pg.Tx) error { return nil }))
}

// A row that another transaction has locked is waited for, but not for ever.
func TestWhoWaitsTooLongForALockIsBusy(t *testing.T) {
	t.Parallel()
	db := shared(t, 8)
	var limit string
	require.NoError(t, db.Pool.QueryRow(t.Context(), "SHOW lock_timeout").Scan(&limit))
	require.Equal(t, "10s", limit)
	lock := func(ctx context.Context, tx *pg.Tx) error {
		return tx.Send(ctx, func(b *pgx.Batch) {
			b.Queue("SET LOCAL lock_timeout = '10ms'")
			b.Queue("LOCK TABLE owners")
		})
	}
	require.NoError(t, db.InTx(t.Context(), func(tx *pg.Tx) error {
		require.NoError(t, lock(t.Context(), tx))
		require.True(t, fault.IsBusy(db.InTx(t.Context(), func(tx *pg.Tx) error { return lock(t.Context(), tx) })))
		return nil
	}))
}

// What the statements of a call say they have changed is counted for it, by whatever way they are sent.
func TestTheRowsThatACallChangesAreCounted(t *testing.T) {
	t.Parallel()
	db := shared(t, 4)
	ctx, rows := weight.Count(t.Context())
	const insert = `INSERT INTO owners (id, email_key) SELECT $1 || n, $1 || n FROM generate_series(1, 50) n`
	require.NoError(t, db.InTx(ctx, func(tx *pg.Tx) error {
		b := &pgx.Batch{}
		b.Queue(insert, "a")
		b.Queue(`SELECT id FROM owners`)
		return tx.SendBatch(ctx, b).Close()
	}))
	require.Zero(t, rows.Extra())
	_, err := db.Pool.Exec(ctx, insert, "b")
	require.NoError(t, err)
	require.Equal(t, 1, rows.Extra())
	changed, err := gorm.G[owner](db.Gorm).Where("email_key <> ''").Update(ctx, "email_key", gorm.Expr("email_key || 'x'"))
	require.NoError(t, err)
	require.Equal(t, 100, changed)
	require.Equal(t, 2, rows.Extra())
}
