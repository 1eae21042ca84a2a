package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/schema"
)

func TestADatabaseGoesWithItsTest(t *testing.T) {
	t.Parallel()
	const found = `SELECT count(*)::text FROM pg_database WHERE datname = `
	var name string
	t.Run("user", func(t *testing.T) {
		db := New(t)
		require.NoError(t, schema.SchemaReady(t.Context(), db))
		require.NoError(t, db.Pool.QueryRow(t.Context(), `SELECT current_database()`).Scan(&name))
		require.Equal(t, "1", ask(t, URL(t), found+"'"+name+"'"))
	})
	require.Equal(t, "0", ask(t, Empty(t), found+"'"+name+"'"))
}

func TestATemplateIsMigratedOnce(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"1.sql": {Data: []byte(rand.Text())}}
	var migrated atomic.Int32
	migrate := func(context.Context, string) error { migrated.Add(1); return nil }
	cut := errors.New("cut off")
	require.ErrorIs(t, joinAgain(t).prepare(t.Context(), files, func(context.Context, string) error { return cut }), cut)

	var wg sync.WaitGroup
	for range 4 {
		m := joinAgain(t)
		wg.Go(func() {
			if err := m.prepare(t.Context(), files, migrate); err != nil {
				t.Error(err)
				return
			}
			for range 3 { // several sessions copy it at once
				if _, err := m.create(t.Context(), m.template); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	require.EqualValues(t, 1, migrated.Load(), "what was cut off is made anew, what is complete is not")
}

func TestOtherMigrationsHaveAnotherTemplate(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, files := range []fstest.MapFS{
		{"1.sql": {Data: []byte("a")}},
		{"1.sql": {Data: []byte("b")}},
		{"2.sql": {Data: []byte("a")}},
		{"1.sql": {Data: []byte("a")}, "2.sql": {Data: []byte("a")}},
	} {
		sum, err := fingerprint(files)
		require.NoError(t, err)
		again, err := fingerprint(files)
		require.NoError(t, err)
		require.Equal(t, sum, again)
		seen[sum] = true
	}
	require.Len(t, seen, 4)
}

// joinAgain joins the run of this binary as another binary of it would.
func joinAgain(t *testing.T) *member {
	t.Helper()
	r, err := runOf(parent)
	require.NoError(t, err)
	ctx, cancel := limited()
	defer cancel()
	m, err := r.join(ctx)
	require.NoError(t, err)
	t.Cleanup(func() { _ = m.conn.Close(context.Background()) })
	return m
}
