package pgtest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSharedIsOneDatabaseForAllTests(t *testing.T) {
	t.Parallel()
	address := Shared(t)
	require.Equal(t, address, Shared(t))
	require.NotEqual(t, address, URL(t))
	t.Run("of another test", func(t *testing.T) { require.Equal(t, address, Shared(t)) })
	require.NotEqual(t, "0", ask(t, address, `SELECT count(*)::text FROM pg_tables WHERE tablename = 'workspaces'`), "it has the schema")
}
