package attack

import (
	"context"
	_ "embed"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/tests/kit"
)

//go:embed changes.sql
var writeDownChanges string

// changes reads which rows the process of one caller has changed. Postgres is told the name of
// the process with each of its connections.
type changes struct {
	conn *pgx.Conn
	name string
}

// countChanges lets Postgres write down who changes which rows.
func countChanges(isolated *kit.IsolatedStack) {
	t := isolated.T
	t.Helper()
	conn, err := pgx.Connect(t.Context(), isolated.DatabaseURL)
	require.NoError(t, err)
	defer func() { _ = conn.Close(context.WithoutCancel(t.Context())) }()
	_, err = conn.Exec(t.Context(), writeDownChanges)
	require.NoError(t, err)
}

// by returns the changes of the process that has this name.
func by(isolated *kit.IsolatedStack, name string) *changes {
	t := isolated.T
	t.Helper()
	conn, err := pgx.Connect(t.Context(), isolated.DatabaseURL)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(context.WithoutCancel(t.Context())) })
	return &changes{conn: conn, name: name}
}

// named is the address of the database with the name of who connects.
func named(address, name string) string {
	parsed, err := url.Parse(address)
	if err != nil {
		return address // a process runs with it, so it is one
	}
	query := parsed.Query()
	query.Set("application_name", name)
	parsed.RawQuery = query.Encode()
	return parsed.String()
}

// since returns what was changed since it was asked last, each kind once.
func (c *changes) since(ctx context.Context) (string, error) {
	rows, err := c.conn.Query(ctx, `DELETE FROM attack_changes WHERE made_by = $1 RETURNING what`, c.name)
	if err != nil {
		return "", err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return strings.Join(found, ", "), err
}
