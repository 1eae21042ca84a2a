package kit

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// DB opens a connection to the database of the stack that the test uses.
func (env *Env) DB() *pgx.Conn {
	env.T.Helper()
	conn, err := pgx.Connect(env.Ctx, env.Database)
	require.NoError(env.T, err)
	env.T.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}
