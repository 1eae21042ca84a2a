package pg_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

type owner struct{ ID, EmailKey string }

// TableName is GORM's hook for the table.
func (owner) TableName() string { return "owners" }

func TestGormSpeaksInTheSameTransaction(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	undone := errors.New("undone")
	write := func(outcome error) func(tx *pg.Tx) error {
		return func(tx *pg.Tx) error {
			_, err := tx.Exec(t.Context(), `INSERT INTO owners (id, email_key) VALUES ('by-hand', 'a@example.com')`)
			require.NoError(t, err)
			require.NoError(t, gorm.G[owner](tx.Gorm()).Create(t.Context(), &owner{ID: "by-gorm", EmailKey: "b@example.com"}))
			found, err := gorm.G[owner](tx.Gorm()).Find(t.Context())
			require.NoError(t, err)
			require.Len(t, found, 2)
			others, err := gorm.G[owner](db.Gorm).Find(t.Context())
			require.NoError(t, err)
			require.Empty(t, others, "the store's own GORM stays outside")
			return outcome
		}
	}
	require.ErrorIs(t, db.InTx(t.Context(), write(undone)), undone)
	require.NoError(t, db.InTx(t.Context(), write(nil)))
	found, err := gorm.G[owner](db.Gorm).Order("id").Find(t.Context())
	require.NoError(t, err)
	require.Equal(t, []owner{{"by-gorm", "b@example.com"}, {"by-hand", "a@example.com"}}, found)
	require.Zero(t, db.Pool.Stat().AcquiredConns())
}

// Several statements see one moment in Read, which changes nothing; what one batch is
// planned by does not outlive it.
func TestRead(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	read := func(into *string) func(row pgx.Row) error {
		return func(row pgx.Row) error { return row.Scan(into) }
	}
	var first, second, alone, after, later string
	require.NoError(t, db.Read(t.Context(), func(tx *pg.Tx) error {
		found, err := gorm.G[owner](tx.Gorm()).Find(t.Context())
		require.NoError(t, err)
		require.Empty(t, found)
		_, err = db.Pool.Exec(t.Context(), `INSERT INTO owners (id, email_key) VALUES ('meanwhile', 'a@example.com')`)
		require.NoError(t, err)
		found, err = gorm.G[owner](tx.Gorm()).Find(t.Context())
		require.NoError(t, err)
		require.Empty(t, found, "it is not of this moment")
		return tx.Send(t.Context(), func(b *pgx.Batch) {
			b.Queue(`SHOW transaction_isolation`).QueryRow(read(&first))
			b.Queue(`SHOW transaction_isolation`).QueryRow(read(&second))
		})
	}))
	b := &pgx.Batch{}
	b.Queue(pg.ByKeys)
	b.Queue(`SELECT current_setting('transaction_isolation') || ', ' || current_setting('plan_cache_mode')`).QueryRow(read(&alone))
	require.NoError(t, db.Pool.SendBatch(t.Context(), b).Close())
	require.NoError(t, db.Pool.QueryRow(t.Context(), `SHOW plan_cache_mode`).Scan(&after))
	require.Equal(t, []string{"repeatable read", "repeatable read", "read committed, force_generic_plan", "auto"}, []string{first, second, alone, after})
	for _, statements := range []int{1, 2} {
		require.Error(t, db.Read(t.Context(), func(tx *pg.Tx) error {
			return tx.Send(t.Context(), func(b *pgx.Batch) {
				for range statements {
					b.Queue(`SELECT 1 / 0`).QueryRow(read(&later))
				}
			})
		}))
	}
	require.Error(t, db.Read(t.Context(), func(tx *pg.Tx) error {
		_, err := tx.Exec(t.Context(), `DELETE FROM owners`)
		return err
	}))
	require.Zero(t, db.Pool.Stat().AcquiredConns())
}

// A transaction whose caller has had enough gives its locks and its connection back.
func TestATransactionEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	err := db.InTx(ctx, func(tx *pg.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO owners (id, email_key) VALUES ('undone', 'a@example.com')`)
		require.NoError(t, err)
		cancel()
		_, err = tx.Exec(ctx, `SELECT 1`)
		return err
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, db.Pool.Stat().AcquiredConns())
	found, err := gorm.G[owner](db.Gorm).Find(t.Context())
	require.NoError(t, err)
	require.Empty(t, found)
}

// A statement that is planned while its table is nearly empty goes by an index all the same.
func TestPlansGoByAnIndex(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	noted(t, db, insertOwner)
	noted(t, db, `ANALYZE owners`)
	rows, err := db.Pool.Query(t.Context(), `EXPLAIN SELECT FROM owners WHERE id = ANY ($1)`, []string{"a", "b"})
	require.NoError(t, err)
	plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	require.NotContains(t, strings.Join(plan, "\n"), "Seq Scan")
}
