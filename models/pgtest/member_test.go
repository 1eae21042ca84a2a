package pgtest

import (
	"context"
	"crypto/rand"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/schema"
)

// nameOf is the name of a test's database.
func nameOf(t *testing.T, db *pg.DB) (name string) {
	t.Helper()
	require.NoError(t, db.Pool.QueryRow(t.Context(), `SELECT current_database()`).Scan(&name))
	return name
}

// there reports whether there is a database of that name.
func there(t *testing.T, name string) bool {
	t.Helper()
	return ask(t, Empty(t), `SELECT count(*)::text FROM pg_database WHERE datname = '`+name+`'`) == "1"
}

// owners makes so many rows.
const owners = `INSERT INTO owners (id, email_key) SELECT 'usr_' || n, n FROM generate_series(1, $1::int) n`

func TestADatabaseIsUsedAgain(t *testing.T) {
	t.Parallel()
	share, before := joinAgain(t), &replica{}
	require.NoError(t, share.prepare(t.Context(), schema.Files(), schema.Migrate))
	for range 2 {
		r, err := share.claim(t.Context())
		require.NoError(t, err)
		other, err := share.claim(t.Context())
		require.NoError(t, err)
		require.NotEqual(t, r.name, other.name, "it is somebody's")
		db, err := pg.Open(t.Context(), share.url(r.name), pg.PoolOptions{Conns: conns})
		require.NoError(t, err)
		require.NoError(t, schema.SchemaReady(t.Context(), db))
		var rows, next, counted int
		require.NoError(t, db.Pool.QueryRow(t.Context(), `SELECT count(*), nextval('work_revisions'),
			(SELECT sum(n_tup_ins + n_tup_del + seq_tup_read) FROM pg_stat_user_tables) FROM owners`).Scan(&rows, &next, &counted))
		require.Equal(t, []int{0, 1, 0}, []int{rows, next, counted}, "rows, sequences and counts are those of a new one")
		_, err = db.Pool.Exec(t.Context(), owners, 3)
		require.NoError(t, err)
		require.NoError(t, share.release(t.Context(), other))
		require.NoError(t, share.release(t.Context(), r), "also where a pool was left open")
		require.ErrorContains(t, db.Pool.Ping(t.Context()), "57P01")
		db.Close()
		if before.name != "" {
			require.Same(t, before, r)
		}
		before = r
	}
}

func TestADatabaseThatIsNotLikeANewOneGoesWithItsTest(t *testing.T) {
	t.Parallel()
	for name, statement := range map[string]string{
		"a table": `CREATE TABLE more (id text)`, "an index": `DROP INDEX annotations_by_id`, "statistics": `ANALYZE owners`,
		"a trigger":    `CREATE TRIGGER never BEFORE INSERT ON owners FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`,
		"many rows":    strings.Replace(owners, "$1", strconv.Itoa(mostRemoved+1), 1),
		"a constraint": `ALTER TABLE owners ADD CONSTRAINT never CHECK (id <> 'never')`,
	} {
		var database string
		t.Run(name, func(t *testing.T) {
			db := New(t)
			database = nameOf(t, db)
			_, err := db.Pool.Exec(t.Context(), `INSERT INTO owners (id, email_key) VALUES ('usr', 'usr')`)
			require.NoError(t, err)
			_, err = db.Pool.Exec(t.Context(), statement)
			require.NoError(t, err)
		})
		require.False(t, there(t, database), name)
	}
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
	require.EqualValues(t, 1, migrated.Load(), "what was cut off is made again, what is complete is not")
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
