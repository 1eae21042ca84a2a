package kit

import (
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
)

// Follows migrates a document and waits until that is done.
func Follows(env *Env, from, to string) {
	env.T.Helper()
	require.Equal(env.T, redline.MigrationStatusCompleted, Migrated(env, Migrates(env, from, to)).Status)
}
