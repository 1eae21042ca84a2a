package kit

import (
	"github.com/stretchr/testify/require"

	redline "github.com/redline-svc/redline/clients/go"
	"github.com/redline-svc/redline/tests/kit/client"
)

// PairOf returns a call that migrates a document of acme to another id.
func PairOf(from, to string) map[string]any { return Doc(from, map[string]any{"newDocumentId": to}) }

// Migrates asks for a migration and returns its id.
func Migrates(env *Env, from, to string) string {
	env.T.Helper()
	var accepted redline.MigrationIDResult
	env.Call(client.Migrate, PairOf(from, to), &accepted)
	require.Regexp(env.T, "^mig_", accepted.Data.MigrationID)
	return accepted.Data.MigrationID
}

// Migration returns how far a migration is.
func Migration(env *Env, id string) redline.Migration {
	env.T.Helper()
	var found redline.MigrationResult
	env.Call(client.MigrateStatus, map[string]any{"organizationId": "acme", "migrationId": id}, &found)
	return found.Data
}

// Migrated waits for the end of a migration and returns how it ended.
func Migrated(env *Env, id string) redline.Migration {
	env.T.Helper()
	var last redline.Migration
	RequireWithin(env.T, Patience, "the migration has ended", func() bool {
		last = Migration(env, id)
		return last.Status == "completed" || last.Status == "failed"
	})
	require.NotNil(env.T, last.CompletedAt)
	return last
}

// Fill adds annotations to a document, 100 a call.
func Fill(env *Env, documentID string, n int) {
	env.T.Helper()
	for from := 0; from < n; from += 100 {
		var list []map[string]any
		for i := from; i < min(from+100, n); i++ {
			list = append(list, Annotated(Unique("note"), Wrote("ann", "A remark.")))
		}
		require.Len(env.T, Annotate(env, Made(documentID, list...)), len(list))
	}
}
