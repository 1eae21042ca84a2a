package pg_test

import (
	"errors"
	"testing"

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
