package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/internal/config"
	"github.com/redline-svc/redline/internal/fault"
	"github.com/redline-svc/redline/internal/secret"
	"github.com/redline-svc/redline/models"
	"github.com/redline-svc/redline/models/pgtest"
	"github.com/redline-svc/redline/models/schema"
	"github.com/redline-svc/redline/models/workspace"
)

// running is a process of this program, inside the test.
type running struct {
	public, ops string
	// signal does what SIGTERM does; ended returns what the command returned.
	signal context.CancelFunc
	ended  chan error
}

// lastPort is below the range from which systems give a port to whoever asks for
// any: what was free stays so.
var lastPort = 15_000 + rand.IntN(4_000)

// freeAddr returns an address that is free, and to nobody twice.
func freeAddr(t *testing.T) string {
	t.Helper()
	for {
		lastPort++
		l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(lastPort)))
		if err == nil {
			require.NoError(t, l.Close())
			return l.Addr().String()
		}
		require.Less(t, lastPort, 20_000, "%v", err)
	}
}

func startAPI(t *testing.T, database string, more ...string) *running {
	t.Helper()
	return start(t, config.API, database, more...)
}

// start runs a process of a role, without Temporal and index.
func start(t *testing.T, role config.Role, database string, more ...string) *running {
	t.Helper()
	r := &running{public: freeAddr(t), ops: freeAddr(t), ended: make(chan error, 1)}
	environ = func() []string {
		return append([]string{
			"REDLINE_DATABASE_URL=" + database, "REDLINE_HTTP_ADDR=" + r.public, "REDLINE_OPS_ADDR=" + r.ops,
			"REDLINE_PUBLIC_BASE_URL=http://" + r.public, "REDLINE_BLOB_DIR=" + t.TempDir(),
			"REDLINE_WEAVIATE_ADDR=127.0.0.1:1", "REDLINE_WEAVIATE_GRPC_ADDR=127.0.0.1:1", "REDLINE_TEMPORAL_ADDR=127.0.0.1:1",
			"REDLINE_ENCRYPTION_KEYS=" + keyA, "REDLINE_HASH_KEYS=" + keyB, "REDLINE_LOG_LEVEL=error", "REDLINE_SHUTDOWN_DELAY=300ms", "REDLINE_RATE_CREATE_PER_HOUR=0",
		}, more...)
	}
	ctx, signal := context.WithCancel(context.Background())
	r.signal = signal
	go func() { r.ended <- runProcess(ctx, role) }()
	t.Cleanup(signal)
	return r
}

var keyA, keyB = secret.NewKey("a").Encode(), secret.NewKey("b").Encode()

// end waits for the process.
func (r *running) end(t *testing.T) error {
	t.Helper()
	select {
	case err := <-r.ended:
		return err
	case <-time.After(time.Minute):
		require.FailNow(t, "the process did not end")
		return nil
	}
}

// part is what /readyz says of one.
type part struct{ Status, Error string }

// ready asks /readyz; without an answer the code is 0.
func (r *running) ready() (code int, parts map[string]part) {
	answer, err := http.Get("http://" + r.ops + "/readyz")
	if err != nil {
		return 0, nil
	}
	defer answer.Body.Close()
	var state struct{ Dependencies map[string]part }
	if json.NewDecoder(answer.Body).Decode(&state) != nil {
		return 0, nil
	}
	return answer.StatusCode, state.Dependencies
}

// becomes waits until /readyz answers with that code and, for one part, that state.
func (r *running) becomes(t *testing.T, want int, name, state string) {
	t.Helper()
	require.Eventually(t, func() bool {
		code, parts := r.ready()
		return code == want && parts[name].Status == state
	}, time.Minute, 10*time.Millisecond, "%d, %s %s", want, name, state)
}

// create calls an operation that needs the database.
func (r *running) create(name string) (*http.Response, error) {
	body := fmt.Sprintf(`{"data":{"ownerEmail":"%s@example.com"}}`, name)
	return http.Post("http://"+r.public+"/v2/workspace/create", "application/json", strings.NewReader(body))
}

func TestAnAPIProcessStopsInOrder(t *testing.T) {
	r := startAPI(t, pgtest.URL(t))
	r.becomes(t, http.StatusOK, "embedding", "up")
	r.becomes(t, http.StatusOK, "weaviate", "down") // without the index it is degraded, not unready
	require.Eventually(t, func() bool { return status(r.create("before")) == http.StatusOK }, time.Minute, 10*time.Millisecond)

	slow := r.openRequest(t)
	paused, over := make(chan time.Duration, 1), make(chan struct{})
	pause = func(d time.Duration) { paused <- d; <-over }
	defer func() { pause = time.Sleep }()
	r.signal()
	require.Equal(t, 300*time.Millisecond, <-paused)
	code, _ := r.ready()
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Equal(t, http.StatusOK, status(r.create("while")), "it serves on while others learn that it stops")
	close(over)
	require.Eventually(t, func() bool { return status(r.create("after")) == 0 }, time.Minute, 10*time.Millisecond, "then it takes no more")
	require.Equal(t, http.StatusOK, slow(), "a request under way is answered")
	require.NoError(t, r.end(t))
}

// status is the code of an answer, 0 without one.
func status(answer *http.Response, err error) int {
	if err != nil {
		return 0
	}
	_ = answer.Body.Close()
	return answer.StatusCode
}

// openRequest sends all of a request but its last byte; the function it returns
// sends that too and returns the answer's code.
func (r *running) openRequest(t *testing.T) func() int {
	t.Helper()
	body, pipe := io.Pipe()
	code := make(chan int, 1)
	go func() {
		answer, err := http.Post("http://"+r.public+"/v2/workspace/create", "application/json", body)
		code <- status(answer, err)
	}()
	_, err := io.WriteString(pipe, `{"data":{"ownerEmail":"slow@example.com"}`)
	require.NoError(t, err)
	return func() int {
		_, err := io.WriteString(pipe, `}`)
		require.NoError(t, err)
		require.NoError(t, pipe.Close())
		return <-code
	}
}

func TestAProcessDoesNotStartWithKeysOfAnotherDatabase(t *testing.T) {
	url := pgtest.URL(t)
	first := startAPI(t, url, "REDLINE_SHUTDOWN_DELAY=0s")
	first.becomes(t, http.StatusOK, "postgres", "up")
	first.signal()
	require.NoError(t, first.end(t))
	second := startAPI(t, url, "REDLINE_ENCRYPTION_KEYS="+secret.NewKey("a").Encode())
	require.ErrorIs(t, second.end(t), workspace.ErrWrongKeys)
}

func TestAProcessStartsWithoutItsDatabase(t *testing.T) {
	r := startAPI(t, "postgres://nobody@127.0.0.1:1/nothing", "REDLINE_SHUTDOWN_DELAY=0s")
	r.becomes(t, http.StatusServiceUnavailable, "postgres", "down")
	var answer *http.Response
	require.Eventually(t, func() bool {
		var err error
		answer, err = r.create("nobody")
		return err == nil && answer.Body.Close() == nil
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)
	require.Equal(t, "1", answer.Header.Get("Retry-After"))
	r.signal()
	require.NoError(t, r.end(t))
}

// notMigrated makes a database look as before the newest migration, and returns what makes it
// look as after it again.
func notMigrated(t *testing.T) (url string, migrate func()) {
	t.Helper()
	url = pgtest.URL(t)
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	const newest = `goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)`
	_, err = conn.Exec(t.Context(), `CREATE TABLE kept AS SELECT * FROM `+newest+`; DELETE FROM `+newest)
	require.NoError(t, err)
	return url, func() {
		_, err = conn.Exec(t.Context(), `INSERT INTO goose_db_version OVERRIDING SYSTEM VALUE SELECT * FROM kept`)
		require.NoError(t, err)
		require.NoError(t, conn.Close(t.Context()))
	}
}

// A worker takes no work before the migration, however long that is left out.
func TestAWorkerWaitsForTheMigration(t *testing.T) {
	url, migrate := notMigrated(t)
	db, err := models.Open(t.Context(), url, models.PoolOptions{Conns: 1})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	var said bytes.Buffer
	g := &gate{db: db, log: slog.New(slog.NewTextHandler(&said, nil))}
	over, stop := context.WithCancel(t.Context())
	stop()
	require.False(t, g.wait(over), "it is stopped before")
	require.True(t, fault.Is(g.check(t.Context()), fault.StatusUnavailable))
	require.ErrorIs(t, g.check(t.Context()), schema.ErrUnmigrated)
	require.Equal(t, 1, strings.Count(said.String(), "run redline migrate"), "%s", &said)
	worked := make(chan struct{})
	go g.behind(t.Context(), func(context.Context) { close(worked) })()
	migrate()
	<-worked
	require.NoError(t, g.check(t.Context()))
}

// Before the migration a process is unready, says what to do and changes nothing, whoever asks it all
// the same; nor does it clear or count anything.
func TestAProcessBeforeTheMigrationAnswersNobody(t *testing.T) {
	url, migrate := notMigrated(t)
	r := start(t, config.Serve, url, "REDLINE_SHUTDOWN_DELAY=0s", "REDLINE_CLEAR_EVERY=10ms")
	r.becomes(t, http.StatusServiceUnavailable, "postgres", "down")
	_, parts := r.ready()
	require.Contains(t, parts["postgres"].Error, "run redline migrate")
	require.Equal(t, http.StatusServiceUnavailable, status(r.create("early")))
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	for _, table := range []string{"workspaces", "rate_uses", "figures", "storage_counts WHERE due_at > '-infinity'"} {
		var rows int
		require.NoError(t, conn.QueryRow(t.Context(), `SELECT count(*) FROM `+table).Scan(&rows))
		require.Zero(t, rows, table)
	}
	require.NoError(t, conn.Close(t.Context()))

	migrate()
	r.becomes(t, http.StatusOK, "postgres", "up")
	require.Equal(t, http.StatusOK, status(r.create("after")))
	r.signal()
	require.NoError(t, r.end(t))
}

// A schema that has gone on without what the program needs is left alone.
func TestAProcessEndsWhereTheSchemaNoLongerServesIt(t *testing.T) {
	url := pgtest.URL(t)
	r := startAPI(t, url, "REDLINE_SHUTDOWN_DELAY=0s")
	r.becomes(t, http.StatusOK, "postgres", "up")
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), `CREATE OR REPLACE FUNCTION oldest_schema_served() RETURNS bigint LANGUAGE sql AS 'SELECT 999999::bigint'`)
	require.NoError(t, err)
	require.NoError(t, conn.Close(t.Context()))
	r.ready() // which makes it look at the schema, unless it has just done so
	require.ErrorIs(t, r.end(t), schema.ErrUnserved, "also while it runs")
	for _, role := range []config.Role{config.API, config.Worker, config.Serve} {
		require.ErrorIs(t, start(t, role, url).end(t), schema.ErrUnserved, role)
	}
}

func TestAProcessDoesNotStartOnATakenPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	r := startAPI(t, pgtest.URL(t), "REDLINE_HTTP_ADDR="+l.Addr().String())
	require.ErrorContains(t, r.end(t), "REDLINE_HTTP_ADDR")
}

func TestCommandLine(t *testing.T) {
	var out strings.Builder
	require.Equal(t, 2, run(t.Context(), nil, &out))
	require.Equal(t, 2, run(t.Context(), []string{"fly"}, &out))
	for _, wrong := range []string{"serve now", "dev now", "dev --fast", "admin fly", "admin limits set", "admin workspace list --fast"} {
		require.Equal(t, 2, run(t.Context(), strings.Fields(wrong), &out), wrong)
	}
	require.Equal(t, 0, run(t.Context(), []string{"--help"}, &out))
	require.Equal(t, 0, run(t.Context(), []string{"version"}, &out))
	environ = func() []string { return nil }
	require.Equal(t, 1, run(t.Context(), []string{"serve"}, &out))
	require.Contains(t, out.String(), "REDLINE_DATABASE_URL: is required")
	for _, c := range commands {
		if c.what != "" { // the program's own call of itself is not for people
			require.Contains(t, out.String(), "\n  "+c.name+" ")
		}
	}
}
