package stack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/jackc/pgx/v5"
)

// CreateDatabase makes an empty database beside the stack's own and returns its address.
func (s *Stack) CreateDatabase(ctx context.Context, name string) (string, error) {
	return s.createFrom(ctx, name, "template1")
}

// MigratedDatabase makes a database with the newest schema beside the stack's own and
// returns its address. It is a copy of a template, which is migrated once for each program
// that uses the stack: that takes seconds, a copy a tenth of one.
func (s *Stack) MigratedDatabase(ctx context.Context, name string) (string, error) {
	template, err := s.migrated()
	if err != nil {
		return "", err
	}
	return s.createFrom(ctx, name, template)
}

func (s *Stack) createFrom(ctx context.Context, name, template string) (string, error) {
	statement := "CREATE DATABASE " + pgx.Identifier{name}.Sanitize() + " TEMPLATE " + pgx.Identifier{template}.Sanitize()
	return s.databaseURL(name), s.execute(ctx, statement)
}

// DropDatabase removes a database with the connections to it.
func (s *Stack) DropDatabase(ctx context.Context, name string) error {
	return s.execute(ctx, "DROP DATABASE "+pgx.Identifier{name}.Sanitize()+" WITH (FORCE)")
}

// databaseURL is the address of a database beside the stack's own.
func (s *Stack) databaseURL(name string) string {
	address, err := url.Parse(s.Env["REDLINE_DATABASE_URL"])
	if err != nil {
		return "" // the stack runs with it, so it is an address
	}
	address.Path = "/" + name
	return address.String()
}

// execute runs statements on a connection of their own to the stack's database.
func (s *Stack) execute(ctx context.Context, statements ...string) error {
	conn, err := pgx.Connect(ctx, s.Env["REDLINE_DATABASE_URL"])
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	return executeOn(ctx, conn, statements...)
}

func executeOn(ctx context.Context, conn *pgx.Conn, statements ...string) error {
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// makeTemplate returns the name of the template of the stack's program and makes it where it
// is missing. Other processes that use the stack with the same program wait meanwhile.
func (s *Stack) makeTemplate() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	sum, err := fingerprint(s.Binary)
	if err != nil {
		return "", err
	}
	name := "tests_template_" + sum
	conn, err := pgx.Connect(ctx, s.Env["REDLINE_DATABASE_URL"])
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }() // which releases the lock, as the death of this process would
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock(hashtextextended($1, 0))", name); err != nil {
		return "", err
	}
	var complete bool
	const query = "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1 AND datistemplate)"
	if err := conn.QueryRow(ctx, query, name).Scan(&complete); err != nil || complete {
		return name, err
	}
	return name, s.fillTemplate(ctx, conn, name)
}

// fillTemplate migrates a new database and marks it as a template: one without the mark was
// left by a process that died.
func (s *Stack) fillTemplate(ctx context.Context, conn *pgx.Conn, name string) error {
	if err := executeOn(ctx, conn, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)", "CREATE DATABASE "+name); err != nil {
		return err
	}
	if _, err := s.Run(ctx, map[string]string{"REDLINE_DATABASE_URL": s.databaseURL(name)}, "migrate"); err != nil {
		return err
	}
	// A database that somebody is connected to cannot be copied.
	return executeOn(ctx, conn, "ALTER DATABASE "+name+" WITH IS_TEMPLATE true ALLOW_CONNECTIONS false")
}

// fingerprint returns what differs between programs, and so the schemas that they migrate to.
func fingerprint(binary string) (sum string, err error) {
	file, err := os.Open(binary)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	content := sha256.New()
	_, err = io.Copy(content, file)
	return hex.EncodeToString(content.Sum(nil)[:8]), err
}

// Without turns settings of Postgres off which keep rows when something dies, and take most
// of a test's time on a slow disk: fsync and full_page_writes keep them from the death of the
// machine, synchronous_commit from that of Postgres. The death of other processes loses nothing
// without them.
func (s *Stack) Without(ctx context.Context, settings ...string) error {
	var statements []string
	for _, setting := range settings {
		statements = append(statements, "ALTER SYSTEM SET "+pgx.Identifier{setting}.Sanitize()+" = off")
	}
	return s.execute(ctx, append(statements, "SELECT pg_reload_conf()")...)
}
