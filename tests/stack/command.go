package stack

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"os/exec"

	"github.com/jackc/pgx/v5"
)

// Run runs a command of the program with the stack's variables, changed by
// overrides, to its end and returns what it printed.
func (s *Stack) Run(ctx context.Context, overrides map[string]string, args ...string) (string, error) {
	env := maps.Clone(s.Env)
	maps.Copy(env, overrides)
	cmd := exec.CommandContext(ctx, s.Binary, args...)
	cmd.Env = environment(env)
	output, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("redline %v: %w\n%s", args, err, output)
	}
	return string(output), err
}

// CreateDatabase makes an empty database beside the stack's own and returns its address.
func (s *Stack) CreateDatabase(ctx context.Context, name string) (string, error) {
	address, err := url.Parse(s.Env["REDLINE_DATABASE_URL"])
	if err != nil {
		return "", err
	}
	conn, err := pgx.Connect(ctx, address.String())
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize()); err != nil {
		return "", fmt.Errorf("create database %s: %w", name, err)
	}
	address.Path = "/" + name
	return address.String(), nil
}

// Volatile lets Postgres leave it to the system when data reaches the disk. The
// death of processes, which stories are about, loses nothing by that; only the
// death of the machine would. On a slow disk it is most of a story's time.
func (s *Stack) Volatile(ctx context.Context) error {
	conn, err := pgx.Connect(ctx, s.Env["REDLINE_DATABASE_URL"])
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	for _, statement := range []string{"ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
