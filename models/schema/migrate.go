package schema

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/redline-svc/redline/models/internal/pg"
)

//go:embed *.sql
var files embed.FS

// baselineVersion is the number of the baseline. Files with a number have higher ones.
const baselineVersion = 143

// baseline are the files of the baseline: each refers to those before it alone.
var baseline = []string{
	"workspace.sql", "subject.sql", "directory.sql", "collaboration.sql", "workflow.sql", "delivery.sql", "knowledge.sql", "memory.sql", "person.sql", "quota.sql",
}

// errOldSchema is returned for a database that another baseline has made.
var errOldSchema = errors.New("the database has the tables of another baseline: make it again (locally: make run ARGS=--reset)")

// Files are the SQL files that make the schema.
func Files() fs.FS { return files }

// Migrate brings the schema to the newest version. It is safe to repeat. Error:
// ErrURL.
func Migrate(ctx context.Context, url string) error {
	conf, err := pgx.ParseConfig(url)
	if err != nil {
		return pg.ErrURL
	}
	std := stdlib.OpenDB(*conf)
	defer func() { _ = std.Close() }()
	p, err := migrator(std)
	if err != nil {
		return err
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// migrator returns goose over the baseline and the files with a number. A session lock
// lets several processes ask for the migration at once: one does it, the others wait.
func migrator(std *sql.DB) (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, fmt.Errorf("make the migration lock: %w", err)
	}
	first := goose.NewGoMigration(baselineVersion, &goose.GoFunc{RunTx: createBaseline}, nil)
	return goose.NewProvider(goose.DialectPostgres, std, files, goose.WithSessionLocker(locker), goose.WithGoMigrations(first))
}

// createBaseline makes all that the files of the baseline say.
func createBaseline(ctx context.Context, tx *sql.Tx) error {
	var made bool
	if err := tx.QueryRowContext(ctx, `SELECT to_regclass('workspaces') IS NOT NULL`).Scan(&made); err != nil {
		return err
	}
	if made {
		return errOldSchema
	}
	for _, name := range baseline {
		text, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// Sums returns what a release fixes, a line for each: the version of the baseline, and the
// SHA-256 of each SQL file, both with their names.
func Sums() []string {
	sums := []string{fmt.Sprint(baselineVersion, " baseline")}
	names, _ := fs.Glob(files, "*.sql") // the pattern is no bad one
	for _, name := range names {
		text, _ := files.ReadFile(name) // what is embedded can be read
		sums = append(sums, fmt.Sprintf("%x %s", sha256.Sum256(text), name))
	}
	return sums
}

// SchemaVersion is the number of the newest migration in this program, which
// is the schema that it needs.
func SchemaVersion() int64 {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return 0
	}
	newest := int64(baselineVersion)
	for _, e := range entries {
		if n, err := goose.NumericComponent(e.Name()); err == nil && n > newest {
			newest = n
		}
	}
	return newest
}

// DatabaseVersion is the number of the newest migration of the database, 0 before the first.
func DatabaseVersion(ctx context.Context, db *pg.DB) (have int64, err error) {
	err = db.Pool.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&have)
	if none, is := errors.AsType[*pgconn.PgError](err); is && none.Code == undefinedTable {
		return 0, nil
	}
	return have, pg.Translate(err)
}

// undefinedTable is the code of Postgres where there is no such table.
const undefinedTable = "42P01"

// ErrUnmigrated is returned where the schema is older than this program needs.
var ErrUnmigrated = errors.New("the database has an older schema than this program needs")

// ErrUnserved is returned where the schema has gone on without what this program needs.
var ErrUnserved = errors.New("the database has a schema that no longer serves this program")

// SchemaReady returns an error unless the database has at least the schema that this
// program needs, which is ErrUnmigrated, and still serves it: ErrUnserved is for good.
func SchemaReady(ctx context.Context, db *pg.DB) error {
	have, err := DatabaseVersion(ctx, db)
	if err != nil {
		return err
	}
	own := SchemaVersion()
	if have < own {
		return fmt.Errorf("%w: it is at version %d, this program needs %d: run redline migrate", ErrUnmigrated, have, own)
	}
	var oldest int64
	if err := db.Pool.QueryRow(ctx, `SELECT oldest_schema_served()`).Scan(&oldest); err != nil {
		return pg.Translate(err)
	}
	if own < oldest {
		return fmt.Errorf("%w: it serves programs of schema %d and newer, this one is of %d: run a newer release", ErrUnserved, oldest, own)
	}
	return nil
}
