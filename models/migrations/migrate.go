package migrations

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/redline-svc/redline/models/internal/pg"
)

//go:embed *.sql
var files embed.FS

// Files are the SQL files that make the schema.
func Files() fs.FS { return files }

// migrator gives goose over the embedded files. A session lock lets several
// processes ask for the migration at once: one does it, the others wait.
func migrator(std *sql.DB) (*goose.Provider, error) {
	locker, err := lock.NewPostgresSessionLocker()
	if err != nil {
		return nil, fmt.Errorf("make the migration lock: %w", err)
	}
	return goose.NewProvider(goose.DialectPostgres, std, files, goose.WithSessionLocker(locker))
}

// Migrate brings the schema to the newest version. It is safe to repeat. Error:
// ErrURL.
func Migrate(ctx context.Context, url string) error {
	return withMigrator(url, func(p *goose.Provider) error {
		_, err := p.Up(ctx)
		return err
	})
}

func withMigrator(url string, fn func(*goose.Provider) error) error {
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
	if err := fn(p); err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	return nil
}

// SchemaVersion is the number of the newest migration in this program, which
// is the schema that it needs.
func SchemaVersion() int64 {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return 0
	}
	var newest int64
	for _, e := range entries {
		if n, err := goose.NumericComponent(e.Name()); err == nil && n > newest {
			newest = n
		}
	}
	return newest
}

// SchemaReady tells whether the database has at least the schema this program
// needs.
func SchemaReady(ctx context.Context, db *pg.DB) error {
	var have int64
	err := db.Pool.QueryRow(ctx, `SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied`).Scan(&have)
	if err != nil {
		return pg.Translate(err)
	}
	if have < SchemaVersion() {
		return pg.Translate(fmt.Errorf("the schema is at version %d, this program needs %d: run redline migrate", have, SchemaVersion()))
	}
	return nil
}
