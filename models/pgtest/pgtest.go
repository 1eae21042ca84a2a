package pgtest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/redline-svc/redline/models/internal/pg"
	"github.com/redline-svc/redline/models/schema"
)

const (
	// startLimit covers the first fetch of the server's binaries.
	startLimit = 5 * time.Minute
	// dropLimit is how long it may take to clear or to drop one database.
	dropLimit = time.Minute
	// conns is a test's pool: enough for its own concurrency.
	conns = 20
)

// current is this test binary's share in the server, taken by its first test, and
// the database that its tests share.
var current struct {
	once   sync.Once
	inMain bool
	member *member
	err    error

	mu     sync.Mutex
	shared string
}

// Tests are those of a package (*testing.M), perhaps with something to do after
// them. Run returns the exit code.
type Tests interface{ Run() int }

// Main runs the tests of a package. It must be all that its TestMain does before
// them, because a test binary is started once more as the keeper of the server.
func Main(tests Tests) {
	if parent, ok := os.LookupEnv(keeperOf); ok {
		os.Exit(keeperMain(parent))
	}
	current.inMain = true
	code := tests.Run()
	if current.shared != "" {
		if err := drop(current.member, current.shared); err != nil {
			fmt.Fprintln(os.Stderr, "drop the database of all tests:", err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// New returns a pool on a database with the newest schema and without rows; it is
// closed when the test ends.
func New(t testing.TB) *pg.DB {
	t.Helper()
	db, err := pg.Open(t.Context(), URL(t), pg.PoolOptions{Conns: conns})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// URL returns the address of a database with the newest schema and without rows, which no
// other test has until this one ends.
func URL(t testing.TB) string {
	t.Helper()
	share := join(t)
	claimed, err := share.claim(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), dropLimit)
		defer cancel()
		if err := share.release(ctx, claimed); err != nil {
			t.Errorf("clear the database of the test: %v", err)
		}
	})
	return share.url(claimed.name)
}

// Shared returns the address of one database with the newest schema that all tests of
// this binary have in common: for tests that keep apart by their workspaces.
func Shared(t testing.TB) string {
	t.Helper()
	share := join(t)
	current.mu.Lock()
	defer current.mu.Unlock()
	if current.shared == "" {
		name, err := share.create(t.Context(), share.template)
		if err != nil {
			t.Fatal(err)
		}
		current.shared = name
	}
	return share.url(current.shared)
}

// Empty makes a database without any schema, which is dropped when the test ends, and
// returns its address.
func Empty(t testing.TB) string {
	t.Helper()
	share := join(t)
	name, err := share.create(t.Context(), "template1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := drop(share, name); err != nil {
			t.Errorf("drop the database of the test: %v", err)
		}
	})
	return share.url(name)
}

// drop removes a database that was created for tests.
func drop(share *member, name string) error {
	ctx, cancel := context.WithTimeout(context.Background(), dropLimit)
	defer cancel()
	return share.drop(ctx, name)
}

// join returns this binary's share in the server of its run.
func join(t testing.TB) *member {
	t.Helper()
	if !current.inMain {
		t.Fatal("the TestMain of a package that uses pgtest calls pgtest.Main")
	}
	current.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), startLimit)
		defer cancel()
		current.member, current.err = enter(ctx)
	})
	if current.err != nil {
		t.Fatal(fmt.Errorf("share the test database: %w", current.err))
	}
	return current.member
}

// enter joins the run of this binary and makes sure of the template.
func enter(ctx context.Context) (*member, error) {
	r, err := runOf(parent)
	if err != nil {
		return nil, err
	}
	share, err := r.join(ctx)
	if err != nil {
		return nil, err
	}
	return share, share.prepare(ctx, schema.Files(), schema.Migrate)
}
