package temporal

import (
	"context"
	"fmt"
	"os/exec"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/redline-svc/redline/cmd/redline-dev/pglocal"
)

// Prepare makes Temporal's databases and brings their schema to that of the
// tool. What was done is written as the main database's comment, with the
// version, so the next start does not ask the tool again.
func Prepare(ctx context.Context, server *pglocal.Server, tool, version string) error {
	mark := "schema of Temporal " + version
	there, err := comment(ctx, server)
	if err != nil || there == mark {
		return err
	}
	for database, schema := range map[string]string{
		MainDatabase:       "postgresql/v12/temporal",
		VisibilityDatabase: "postgresql/v12/visibility",
	} {
		if err := applySchema(ctx, server, tool, database, schema, there == ""); err != nil {
			return err
		}
	}
	return setComment(ctx, server, mark)
}

// applySchema makes one database and its tables. A first run that was killed
// half-way is begun again from nothing.
func applySchema(ctx context.Context, server *pglocal.Server, tool, database, schema string, fresh bool) error {
	if fresh {
		if err := drop(ctx, server, database); err != nil {
			return err
		}
	}
	if err := server.CreateDatabase(ctx, database); err != nil {
		return err
	}
	steps := [][]string{{"update-schema", "--schema-name", schema}}
	if fresh {
		steps = append([][]string{{"setup-schema", "--version", "0.0"}}, steps...)
	}
	for _, step := range steps {
		if err := runTool(ctx, server, tool, database, step); err != nil {
			return err
		}
	}
	return nil
}

func runTool(ctx context.Context, server *pglocal.Server, tool, database string, step []string) error {
	args := []string{
		"--plugin", "postgres12_pgx", "--endpoint", "127.0.0.1", "--port", strconv.Itoa(server.Port()),
		"--user", "postgres", "--database", database,
	}
	command := exec.CommandContext(ctx, tool, append(args, step...)...)
	command.Env = append(command.Environ(), "SQL_PASSWORD="+server.Password())
	if out, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("schema of database %s: %w\n%s", database, err, out)
	}
	return nil
}

// Drop removes Temporal's databases, so that the next Prepare makes empty ones.
func Drop(ctx context.Context, server *pglocal.Server) error {
	if err := drop(ctx, server, MainDatabase); err != nil {
		return err
	}
	return drop(ctx, server, VisibilityDatabase)
}

func drop(ctx context.Context, server *pglocal.Server, database string) error {
	return execute(ctx, server, "DROP DATABASE IF EXISTS "+pgx.Identifier{database}.Sanitize()+" WITH (FORCE)")
}

// comment is what setComment wrote last, empty without a database.
func comment(ctx context.Context, server *pglocal.Server) (string, error) {
	conn, err := pgx.Connect(ctx, server.URL("postgres"))
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close(ctx) }()
	var text string
	err = conn.QueryRow(ctx, `SELECT coalesce((SELECT shobj_description(oid, 'pg_database')
		FROM pg_database WHERE datname = $1), '')`, MainDatabase).Scan(&text)
	return text, err
}

func setComment(ctx context.Context, server *pglocal.Server, text string) error {
	return execute(ctx, server, "COMMENT ON DATABASE "+pgx.Identifier{MainDatabase}.Sanitize()+" IS '"+text+"'")
}

func execute(ctx context.Context, server *pglocal.Server, statement string) error {
	conn, err := pgx.Connect(ctx, server.URL("postgres"))
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, statement)
	return err
}
