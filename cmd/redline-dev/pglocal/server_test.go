package pglocal_test

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/redline-svc/redline/cmd/redline-dev/child"
	"github.com/redline-svc/redline/cmd/redline-dev/pglocal"
)

func TestDataOutlivesAKilledServer(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "pg")
	t.Cleanup(func() { require.NoError(t, pglocal.Remove(dir)) })

	first, err := pglocal.Start(ctx, pglocal.Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, first.CreateDatabase(ctx, "kept"))
	require.NoError(t, first.CreateDatabase(ctx, "kept"), "making it twice is no error")
	run(t, first.URL("kept"), "CREATE TABLE word (text text); INSERT INTO word VALUES ('here')")
	require.NoError(t, syscall.Kill(first.PID(), syscall.SIGKILL))
	<-first.Process().Done()

	second, err := pglocal.Start(ctx, pglocal.Options{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, "here", ask(t, second.URL("kept"), "SELECT text FROM word"))
	require.NoError(t, second.Stop())
	require.False(t, child.Alive(second.PID()))
}

func TestAServerLeftOverIsTakenOver(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "pg")
	t.Cleanup(func() { require.NoError(t, pglocal.Remove(dir)) })

	left, err := pglocal.Start(ctx, pglocal.Options{Dir: dir})
	require.NoError(t, err)
	next, err := pglocal.Start(ctx, pglocal.Options{Dir: dir})
	require.NoError(t, err)
	<-left.Process().Done()
	require.Equal(t, "1", ask(t, next.URL("postgres"), "SELECT '1'"))
	require.NoError(t, next.Stop())
}

func TestAFolderThatWasDeletedBeginsAgain(t *testing.T) {
	ctx := context.Background()
	dir := filepath.Join(t.TempDir(), "pg")
	t.Cleanup(func() { require.NoError(t, pglocal.Remove(dir)) })
	first, err := pglocal.Start(ctx, pglocal.Options{Dir: dir})
	require.NoError(t, err)
	require.NoError(t, first.CreateDatabase(ctx, "old"))
	require.NoError(t, first.Stop())
	require.NoError(t, os.RemoveAll(dir))

	again, err := pglocal.Start(ctx, pglocal.Options{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, "0", ask(t, again.URL("postgres"), "SELECT count(*)::text FROM pg_database WHERE datname = 'old'"))
	require.NoError(t, again.Stop())
}

func TestATemporaryServerLeavesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "pg")
	server, err := pglocal.Start(context.Background(), pglocal.Options{Dir: dir, Temporary: true})
	require.NoError(t, err)
	data := filepath.Dir(ask(t, server.URL("postgres"), "SHOW data_directory"))
	require.NoError(t, server.Stop())
	require.NoDirExists(t, dir)
	require.NoDirExists(t, data)
	_, err = os.Stat(dir)
	require.ErrorIs(t, err, os.ErrNotExist)
}

func run(t *testing.T, address, statement string) {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), address)
	require.NoError(t, err)
	_, err = conn.Exec(context.Background(), statement)
	require.NoError(t, err)
	require.NoError(t, conn.Close(context.Background()))
}

func ask(t *testing.T, address, query string) string {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), address)
	require.NoError(t, err)
	var answer string
	require.NoError(t, conn.QueryRow(context.Background(), query).Scan(&answer))
	require.NoError(t, conn.Close(context.Background()))
	return answer
}
