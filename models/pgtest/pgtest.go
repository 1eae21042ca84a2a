package pgtest

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/internal/pglocal"
	"github.com/redline-svc/redline/models"
)

const (
	template = "redline_template"
	// startLimit covers the first fetch of the server's binaries.
	startLimit = 5 * time.Minute
	// conns is a test's pool: enough for its own concurrency.
	conns = 20
)

// server is the one Postgres of the test binary, started by its first test.
var server struct {
	once  sync.Once
	local *pglocal.Server
	dir   string
	err   error
	// copying: Postgres copies a template for one session at a time.
	copying sync.Mutex
	count   atomic.Int64
}

// Main runs the tests of a package and ends the server after them.
func Main(m *testing.M) {
	code := m.Run()
	if server.local != nil {
		if err := server.local.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stop the test database:", err)
		}
	}
	_ = os.RemoveAll(server.dir)
	os.Exit(code)
}

// New gives a pool on a fresh database with the newest schema; it is closed
// when the test ends.
func New(t testing.TB) *models.DB {
	t.Helper()
	db, err := models.Open(t.Context(), URL(t), conns)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// URL makes a fresh database with the newest schema and gives its address.
func URL(t testing.TB) string {
	t.Helper()
	name := fresh(t, "TEMPLATE "+template)
	return server.local.URL(name)
}

// Empty makes a database without any schema and gives its address.
func Empty(t testing.TB) string {
	t.Helper()
	return server.local.URL(fresh(t, ""))
}

func fresh(t testing.TB, options string) string {
	t.Helper()
	server.once.Do(start)
	if server.err != nil {
		t.Fatal(server.err)
	}
	name := fmt.Sprintf("test_%d", server.count.Add(1))
	server.copying.Lock()
	defer server.copying.Unlock()
	if err := execute(t.Context(), "CREATE DATABASE "+name+" "+options); err != nil {
		t.Fatal(err)
	}
	return name
}

func start() {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if server.dir, server.err = os.MkdirTemp("", "redline-pgtest-"); server.err != nil {
		return
	}
	server.local, server.err = pglocal.Start(ctx, pglocal.Options{Dir: server.dir, Temporary: true})
	if server.err != nil {
		return
	}
	if server.err = server.local.CreateDatabase(ctx, template); server.err != nil {
		return
	}
	server.err = models.Migrate(ctx, server.local.URL(template))
}

func execute(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, server.local.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, statement)
	return err
}
