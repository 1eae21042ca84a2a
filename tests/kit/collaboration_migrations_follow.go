package kit

import (
	"github.com/stretchr/testify/require"
)

// Follows migrates a document and waits until that is done.
func Follows(env *Env, from, to string) {
	env.T.Helper()
	require.Equal(env.T, "completed", Migrated(env, Migrates(env, from, to)).Status)
}
