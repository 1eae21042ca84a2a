package pg

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/multitracer"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// DB is one pool of connections, seen by hand-written SQL and by GORM alike.
type DB struct {
	Pool *pgxpool.Pool
	Gorm *gorm.DB
	std  *sql.DB
	hear atomic.Pointer[func([]Hint)]
	gate atomic.Pointer[Gate]
	// counting has the workspaces that count many rows.
	counting *KeyedMutex
}

// ErrURL is an address that is none of a Postgres database. Nothing of it is
// quoted: it may be a part of the password.
var ErrURL = errors.New("cannot be used as a Postgres URL")

// connectTimeout bounds one dial, so that a database that is away is noticed
// before a caller's own patience ends.
const connectTimeout = 5 * time.Second

// planning is how Postgres plans every statement: for look-ups by an index. A plan that is
// made while a table is nearly empty would read all of it, and stay until the autovacuum
// looks at the table, a minute and thousands of rows later. A table that no index leads into
// is read whole all the same, at a cost that is there to prevent it: that must not have the
// statement compiled.
var planning = map[string]string{"enable_seqscan": "off", "jit": "off"}

// PoolOptions are what one pool has of its own.
type PoolOptions struct {
	// Conns is how many connections it has at most.
	Conns int32
	// Shared bounds what one workspace may hold of it (slots.For): a quarter of the
	// connections, at least 4. Whoever waits does so for 20 s at most, and for a row's lock
	// for 10 s; then the error is RESOURCE_EXHAUSTED busy.
	Shared bool
	// Tracer, if there is one, sees every statement.
	Tracer pgx.QueryTracer
}

// lockLimit is how long a statement of a shared pool waits for a lock.
const lockLimit = 10 * time.Second

// Open makes the pool. It does not wait for the database: a process starts
// without it and becomes ready when it is there. Error: ErrURL.
func Open(ctx context.Context, url string, o PoolOptions) (*DB, error) {
	conf, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, ErrURL
	}
	conf.MaxConns = o.Conns
	conf.ConnConfig.ConnectTimeout = connectTimeout
	if conf.ConnConfig.RuntimeParams["application_name"] == "" {
		conf.ConnConfig.RuntimeParams["application_name"] = "redline" // whom an operator sees in pg_stat_activity
	}
	conf.ConnConfig.RuntimeParams["timezone"] = "UTC"
	maps.Copy(conf.ConnConfig.RuntimeParams, planning)
	var tracers []pgx.QueryTracer
	if o.Tracer != nil {
		tracers = append(tracers, o.Tracer)
	}
	if o.Shared {
		conf.ConnConfig.RuntimeParams["lock_timeout"] = strconv.FormatInt(lockLimit.Milliseconds(), 10)
		tracers = append(tracers, newShares(int64(o.Conns)))
	}
	if len(tracers) > 0 {
		conf.ConnConfig.Tracer = multitracer.New(tracers...)
	}
	pool, err := pgxpool.NewWithConfig(ctx, conf)
	if err != nil {
		return nil, Translate(err)
	}
	std := stdlib.OpenDBFromPool(pool)
	orm, err := gorm.Open(postgres.New(postgres.Config{Conn: std}), &gorm.Config{
		Logger:                 logger.NewSlogLogger(slog.Default(), logger.Config{LogLevel: logger.Silent, ParameterizedQueries: true}),
		SkipDefaultTransaction: true,
		DisableAutomaticPing:   true,
		TranslateError:         false,
	})
	if err != nil {
		pool.Close()
		return nil, fmt.Errorf("open gorm: %w", err)
	}
	return &DB{Pool: pool, Gorm: orm, std: std, counting: NewKeyedMutex()}, nil
}

// Close ends the pool once its connections are back.
func (db *DB) Close() {
	_ = db.std.Close()
	db.Pool.Close()
}

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error { return Translate(db.Pool.Ping(ctx)) }

// ManyRows is above how many rows a count waits until others of its workspace are done.
const ManyRows = 100_000

// CountMany runs a count of more than ManyRows rows, or of what may be as many: one at a time for a
// workspace. It is called while no connection is held.
func (db *DB) CountMany(ctx context.Context, workspaceID string, count func() error) error {
	done, err := db.counting.Lock(ctx, workspaceID)
	if err != nil {
		return err
	}
	defer done()
	return Translate(count())
}

// Clock is the time by the clock of Postgres, as a value that GORM writes.
var Clock = gorm.Expr("clock_timestamp()")

// Tenant limits a statement to one workspace. The empty string would mean every
// workspace, so it is refused.
func Tenant(workspaceID string) func(*gorm.Statement) {
	return func(s *gorm.Statement) {
		if workspaceID == "" {
			_ = s.AddError(errors.New("a statement without a workspace"))
			return
		}
		s.Where("workspace_id = ?", workspaceID)
	}
}
